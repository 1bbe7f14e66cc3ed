/* SPDX-License-Identifier: MIT */
/* siglist_test.c — lists of signatures: what is well-formed, and what an append adds. */
#include "uefi/siglist.h"

#include <errno.h>

#include "base/test/tap.h"

static const struct guid sha256_guid =
	GUID_OF(0xc1c41626, 0x504c, 0x4092, 0xac, 0xa9, 0x41, 0xf9, 0x36, 0x93, 0x43, 0x28);
static const struct guid x509_guid =
	GUID_OF(0xa5c059a1, 0x94e4, 0x4aa7, 0x87, 0xb5, 0xab, 0x15, 0x5c, 0x2b, 0xf0, 0x72);
static const struct guid unknown_guid = GUID_OF(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);

static void add_header(struct buffer *out, const struct guid *type, uint32_t list_size,
	uint32_t header_size, uint32_t entry_size)
{
	buffer_append(out, type, sizeof(*type));
	buffer_le32(out, list_size);
	buffer_le32(out, header_size);
	buffer_le32(out, entry_size);
}

/* A list with one entry of entry_size bytes for each byte of fills. */
static void add_list(
	struct buffer *out, const struct guid *type, uint32_t entry_size, const char *fills)
{
	add_header(out, type, 28 + (uint32_t)strlen(fills) * entry_size, 0, entry_size);
	for (; *fills; fills++)
		buffer_fill(out, (uint8_t)*fills, entry_size);
}

static void test_check(void)
{
	static const struct {
		const char *what;
		const struct guid *type;
		uint32_t list_size, header_size, entry_size;
		size_t body;
		const char *why; /* NULL: fine */
	} cases[] = {
		{"a hash", &sha256_guid, 76, 0, 48, 48, NULL},
		{"no hash", &sha256_guid, 28, 0, 48, 0, NULL},
		{"two hashes", &sha256_guid, 124, 0, 48, 96, NULL},
		{"a certificate of any size", &x509_guid, 28 + 77, 0, 77, 77, NULL},
		{"a type that nobody knows", &unknown_guid, 28 + 40, 0, 20, 40, NULL},
		{"a hash of another size", &sha256_guid, 28 + 47, 0, 47, 47,
			"the SHA-256 list at 0 has entries of 47 bytes; 48 are right"},
		{"a list without its header", &sha256_guid, 27, 0, 48, 48,
			"the list of signatures at 0 says it has 27 bytes; 76 are there"},
		{"a list behind the end", &sha256_guid, 77, 0, 48, 48,
			"the list of signatures at 0 says it has 77 bytes; 76 are there"},
		{"the largest size", &sha256_guid, UINT32_MAX, 0, 48, 48,
			"the list of signatures at 0 says it has 4294967295 bytes; 76 are there"},
		{"a header of its own", &x509_guid, 28 + 4 + 40, 4, 40, 44,
			"the list of signatures at 0 has a header of 4 bytes; 0 is allowed"},
		{"part of an entry", &x509_guid, 28 + 41, 0, 40, 41,
			"the list of signatures at 0 has 41 bytes for entries of 40 each"},
		{"entries without bytes", &x509_guid, 28 + 40, 0, 0, 40,
			"the list of signatures at 0 has 40 bytes for entries of 0 each"},
		{"entries without an owner", &x509_guid, 28 + 30, 0, 15, 30,
			"the list of signatures at 0 has 30 bytes for entries of 15 each"},
		{"bytes behind the list", &sha256_guid, 76, 0, 48, 49,
			"1 bytes at 76 are too few for a list of signatures (28)"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEAN_BUFFER struct buffer data = BUFFER_INIT;
		CLEAN_BUFFER struct buffer why = BUFFER_INIT;

		add_header(&data, cases[i].type, cases[i].list_size, cases[i].header_size,
			cases[i].entry_size);
		buffer_fill(&data, 'x', cases[i].body);
		is_int(siglist_check(data.data, data.size, &why), cases[i].why ? -EBADMSG : 0,
			cases[i].what);
		is_text(buffer_text(&why), cases[i].why ? cases[i].why : "", "and why");
	}
	is_int(siglist_check(NULL, 0, NULL), 0, "no list at all is well-formed");
}

static void test_one_certificate(void)
{
	static const struct {
		const char *what;
		const struct guid *type;
		const char *fills;
		bool is_twice;
		bool wanted;
	} cases[] = {
		{"one certificate", &x509_guid, "c", false, true},
		{"two in a list", &x509_guid, "cd", false, false},
		{"two lists", &x509_guid, "c", true, false},
		{"an empty list", &x509_guid, "", false, false},
		{"a hash", &sha256_guid, "h", false, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEAN_BUFFER struct buffer data = BUFFER_INIT;

		add_list(&data, cases[i].type, 48, cases[i].fills);
		if (cases[i].is_twice)
			add_list(&data, cases[i].type, 48, cases[i].fills);
		ok(siglist_is_one_certificate(data.data, data.size) == cases[i].wanted, "%s",
			cases[i].what);
	}
	ok(!siglist_is_one_certificate(NULL, 0), "nothing");
}

static void is_filtered(const struct buffer *stored, const struct buffer *added,
	const struct buffer *wanted, const char *what)
{
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;

	siglist_filter(stored->data, stored->size, added->data, added->size, &out);
	ok(!buffer_error(&out) && out.size == wanted->size &&
			(out.size == 0 || memcmp(out.data, wanted->data, out.size) == 0),
		"%s", what);
}

static void test_filter(void)
{
	CLEAN_BUFFER struct buffer stored = BUFFER_INIT;
	CLEAN_BUFFER struct buffer added = BUFFER_INIT;
	CLEAN_BUFFER struct buffer wanted = BUFFER_INIT;
	CLEAN_BUFFER struct buffer nothing = BUFFER_INIT;

	add_list(&stored, &sha256_guid, 48, "ab");
	add_list(&stored, &x509_guid, 60, "c");
	is_filtered(&stored, &stored, &nothing, "what is there is not added");
	is_filtered(&nothing, &stored, &stored, "to nothing all is added");

	add_list(&added, &sha256_guid, 48, "bxa");
	add_list(&added, &x509_guid, 60, "c");
	add_list(&added, &x509_guid, 61, "c");
	add_list(&added, &unknown_guid, 48, "a");
	add_list(&added, &sha256_guid, 48, "yy");
	add_list(&wanted, &sha256_guid, 48, "x");
	add_list(&wanted, &x509_guid, 61, "c");
	add_list(&wanted, &unknown_guid, 48, "a");
	add_list(&wanted, &sha256_guid, 48, "yy");
	is_filtered(&stored, &added, &wanted,
		"an entry is known by type, size and bytes; doubles among the new ones stay");

	buffer_string(&stored, "rubbish behind");
	is_filtered(&stored, &added, &wanted, "rubbish behind the stored lists does not matter");
	buffer_fill(&nothing, 0, 100);
	is_filtered(&nothing, &added, &added, "nor does stored rubbish alone");
}

int main(void)
{
	test_check();
	test_one_certificate();
	test_filter();
	return tap_done();
}
