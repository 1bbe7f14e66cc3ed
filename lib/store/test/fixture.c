/* SPDX-License-Identifier: MIT */
/* fixture.c — see fixture.h. */
#include "store/test/fixture.h"

#include <errno.h>
#include <fcntl.h>

#include "base/io.h"

const struct guid fixture_vendor = GUID_OF(0x8be4df61, 0x93ca, 0x11d2, 0xaa, 0x0d, 0x00, 0xe0,
	0x98, 0x03, 0x2b, 0x8c);
const struct guid fixture_other = GUID_OF(0x01234567, 0x89ab, 0xcdef, 1, 2, 3, 4, 5, 6, 7, 8);

struct uefi_name fixture_name(const char *text)
{
	struct uefi_name name = {0};

	if (uefi_name_from_utf8(&name, text, strlen(text)) < 0)
		abort();
	for (size_t i = 0; i < name.count; i++) {
		if (name.units[i] == 0x2205)
			name.units[i] = 0;
	}
	return name;
}

struct nv_variable fixture_variable(const char *name, const void *data, size_t size)
{
	return (struct nv_variable){
		.name = fixture_name(name),
		.vendor = fixture_vendor,
		.attributes = UEFI_ATTRIBUTES_DEFAULT,
		.data = data,
		.size = size,
	};
}

static struct edk2_geometry tiny_geometry(bool is_authenticated)
{
	struct edk2_geometry g = {
		.volume = TINY_SIZE,
		.header = 0x48,
		.first = 0x64,
		.end = TINY_LIVE,
		.live = TINY_LIVE,
		.store_bytes = TINY_LIVE - 0x48,
		.block = TINY_BLOCK,
		.is_authenticated = is_authenticated,
	};

	if (!edk2_geometry_take_work(&g, TINY_LIVE, TINY_WORK))
		abort();
	return g;
}

void fixture_tiny(uint8_t *image, bool is_authenticated)
{
	struct edk2_geometry g = tiny_geometry(is_authenticated);
	struct edk2_wire_work work;

	memset(image, 0xff, TINY_SIZE);
	edk2_geometry_write(&g, image);
	edk2_work_header(TINY_WORK, &work);
	memcpy(image + TINY_LIVE, &work, sizeof(work));
}

void fixture_record(uint8_t *image, const struct edk2_geometry *g, uint32_t *at,
	const struct nv_variable *v, uint8_t state)
{
	edk2_record_encode(g, v, state, image + *at);
	*at += (uint32_t)edk2_record_bytes(g, v->name.count, v->size);
}

struct source *fixture_source(const void *image, size_t size)
{
	struct source *source = NULL;

	if (source_new_memory(&source, image, size) < 0)
		abort();
	return source;
}

struct store *fixture_open(const void *image, size_t size, bool is_writable)
{
	CLEAN(free) char *error = NULL;
	struct source *source = fixture_source(image, size);
	struct store *store = NULL;

	source->is_writable = is_writable;
	if (store_open(&store, source, STORE_PROFILE_AUTO, &error) < 0)
		printf("# open: %s\n", error ? error : "?");
	return store;
}

uint8_t *fixture_file(const char *path, size_t *ret_size)
{
	CLEAN_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t *data = NULL;

	if (fd < 0 || io_read_all(fd, 128u << 20, &data, ret_size) < 0)
		return NULL;
	return data;
}

bool fixture_has(struct store *store, const char *name, const void *data, size_t size)
{
	struct uefi_name key = fixture_name(name);
	struct nv_variable v;
	int r = store->nv.ops->find(&store->nv, &key, &fixture_vendor, &v);

	if (size == SIZE_MAX)
		return r == -ENOENT;
	return r == 0 && v.size == size && (size == 0 || memcmp(v.data, data, size) == 0);
}
