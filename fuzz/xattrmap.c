/* SPDX-License-Identifier: MIT */
/*
 * xattrmap.c — fuzz target: maps of extended attributes' names, and names through them. The text
 * ends at the first NUL; what follows is a name.
 */
#include "fs/passthrough/xattrmap.h"

#include <stdlib.h>
#include <string.h>

#include "target.h"

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void use(const struct xattrmap *map, const char *name)
{
	const char *client = xattrmap_to_client(map, name);
	struct xattr_name host;

	/* the end of the name, and never empty */
	require(!client || (*client && client >= name && client <= name + strlen(name)));
	if (xattrmap_to_host(map, name, &host) < 0)
		return;
	require(strlen(host.text) >= strlen(name));
	require(strcmp(host.text + strlen(host.text) - strlen(name), name) == 0);
	if (xattrmap_keeps(map, name))
		require(strcmp(host.text, name) == 0 && client && strcmp(client, name) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEAN(free) char *text = strndup((const char *)data, size);
	CLEAN(free) char *error = NULL;
	struct xattrmap *map = NULL;
	struct xattr_name name = {0};
	size_t length;

	if (!text)
		return 0;
	if (xattrmap_parse(&map, text, &error) < 0) {
		require(error && !strchr(error, '\n') && !map);
		return 0;
	}
	length = strlen(text) + 1;
	if (length < size) {
		size_t rest = size - length;

		memcpy(name.text, data + length, rest < XATTR_NAME_MAX ? rest : XATTR_NAME_MAX);
	}
	if (*name.text)
		use(map, name.text);
	use(map, "user.virtiofs.security.capability");
	xattrmap_free(map);
	return 0;
}
