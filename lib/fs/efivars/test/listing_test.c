/* SPDX-License-Identifier: MIT */
/* listing_test.c — lists that firmware gives wrongly, and stores that others change. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/test/tap.h"
#include "fs/efivars/test/mounted.h"

static struct fake_services fake;

static void begin(bool is_exclusive)
{
	fake_services_init(&fake, is_exclusive);
	fake_add(&fake, "A", &other_guid, 7, "a", 1);
	fake_add(&fake, "B", &other_guid, 7, "bb", 2);
}

static void stop(struct fs *fs)
{
	mounted_free(fs);
	fake_services_fini(&fake);
}

static void is_list(struct fs *fs, const char *wanted, const char *what)
{
	char text[4096];

	do_list(fs, 0, text, sizeof(text));
	is_text(text, wanted, what);
}

static void test_duplicates(void)
{
	struct fs *fs;
	char text[4096];

	begin(true);
	fake_add(&fake, "A", &other_guid, 7, "again", 5);
	fake_add(&fake, "C/D", &other_guid, 7, "slash", 5);
	fake_add(&fake, "C!D", &other_guid, 7, "mark", 4);
	fake_add(&fake, "E", &other_guid, 7, "e", 1);
	fs = mounted_new(&fake, true);
	is_list(fs, "A-" OTHER " B-" OTHER " C!D-" OTHER " E-" OTHER, "all behind them are listed");
	ok(do_getxattr(fs, EFIVARS_XATTR_DUPLICATES, text) > 0, "duplicates are told");
	is_text(text, "A-" OTHER "\nC!D-" OTHER, "by name");
	is_int(read_file(fs, "A-" OTHER, text, 64), 5, "the first one is shown");
	is_int(read_file(fs, "C!D-" OTHER, text, 64), 9, "also of two names that look alike");
	ok(memcmp(text + 4, "slash", 5) == 0, "not the second");
	stop(fs);
}

static void test_circle(void)
{
	struct fs *fs;
	char text[4096];

	begin(true);
	fake.is_circle = true;
	fs = mounted_new(&fake, true);
	is_list(fs, "A-" OTHER " B-" OTHER, "a list that runs in a circle ends");
	ok(do_getxattr(fs, EFIVARS_XATTR_ERROR, text) > 0 && strstr(text, "incomplete"),
		"and is said to be incomplete");
	stop(fs);
}

static void test_odd_names(void)
{
	char name[300];
	struct fs *fs;

	begin(true);
	memset(name, 'x', sizeof(name));
	name[219] = 0;
	fake_add(&fake, name, &other_guid, 7, "long", 4);
	fake_add(&fake, "RandomSeed", &uefi_linux_random_seed_guid, 7, "seed", 4);
	fake_add(&fake, "\xed\xa0\xbd", &other_guid, 7, "lone", 4);
	fs = mounted_new(&fake, true);
	is_list(fs, "A-" OTHER " B-" OTHER " \xed\xa0\xbd-" OTHER,
		"what no file can be called is left out, and so is the random seed");
	is_int(read_file(fs, "\xed\xa0\xbd-" OTHER, name, 64), 8, "a lone surrogate can be read");
	stop(fs);

	begin(true);
	fake_add(&fake, "", &other_guid, 7, "none", 4);
	fs = mounted_new(&fake, true);
	is_list(fs, "A-" OTHER " B-" OTHER, "a list ends at a variable without a name");
	stop(fs);
}

static void test_lossless_names(void)
{
	static const uint16_t units[] = {0xe4, 0x20ac, 0xd83d, 0xde00};
	struct fs *fs;
	char text[64];
	const struct fake_variable *v;

	begin(true);
	fs = mounted_new(&fake, true);
	is_int(write_file(fs, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80-" OTHER, 7, "x", 1), 5,
		"a name beyond ASCII is written");
	v = &fake.variables[fake.count - 1];
	ok(v->name.count == 4 && memcmp(v->name.units, units, sizeof(units)) == 0,
		"as the characters that it has");
	is_int(read_file(fs, "\xc3\xa4\xe2\x82\xac\xed\xa0\xbd\xed\xb8\x80-" OTHER, text, 64), 5,
		"the same characters in another form are the same file");
	stop(fs);
}

static void test_failures(void)
{
	static const struct {
		const char *what;
		size_t at;
		enum uefi_status status;
		int error;
	} cases[] = {
		{"a list that is not supported", 0, UEFI_UNSUPPORTED, -EOPNOTSUPP},
		{"a list that cannot begin", 0, UEFI_DEVICE_ERROR, -EIO},
		{"a list that ends in an error", 1, UEFI_DEVICE_ERROR, 0},
	};
	struct efivars_config config = {.reserve = EFIVARS_RESERVE};
	struct fs *fs = NULL;
	struct fs_entry entry;
	char text[4096];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(true);
		fake.next_fails_at = cases[i].at;
		fake.next_status = cases[i].status;
		is_int(efivars_new(&fs, &fake.services, &config), cases[i].error, cases[i].what);
		if (cases[i].error < 0) {
			ok(fake.is_destroyed, "the services are destroyed");
			fake_services_fini(&fake);
		}
	}
	is_list(fs, "A-" OTHER, "what came before it is listed");
	ok(do_getxattr(fs, EFIVARS_XATTR_ERROR, text) > 0, "the error is told");
	is_text(text, "the list of variables is incomplete: EFI_DEVICE_ERROR", "by name");
	is_int(do_lookup(fs, "B-" OTHER, &entry), 0, "what the list lacks is looked for");
	is_int(entry.attr.size, 6, "and found");
	is_int(do_lookup(fs, "C-" OTHER, &entry), -ENOENT, "or not");
	fake_fail(&fake, FAKE_GET, UEFI_DEVICE_ERROR);
	is_int(do_lookup(fs, "C-" OTHER, &entry), -EIO, "unknown is not the same as not there");
	stop(fs);

	begin(true);
	fake.services.supported &= ~UEFI_HAS_GET_NEXT;
	is_int(efivars_new(&fs, &fake.services, &config), -EOPNOTSUPP, "services without a list");
	fake_services_fini(&fake);
}

static void test_unreadable(void)
{
	struct fs_entry entry;
	struct fs *fs;
	char text[4096];

	begin(true);
	fs = mounted_new(&fake, true);
	fake_fail(&fake, FAKE_GET, UEFI_DEVICE_ERROR);
	is_int(do_lookup(fs, "A-" OTHER, &entry), 0, "an unreadable variable is there");
	is_int(entry.attr.size, 4, "and is not empty, which would mean it is not");
	is_int(read_file(fs, "A-" OTHER, text, 64), -EIO, "reading it fails");
	fake_fail(&fake, FAKE_GET, UEFI_UNSUPPORTED);
	is_int(read_file(fs, "A-" OTHER, text, 64), -EINVAL, "with the status's errno");
	ok(do_getxattr(fs, EFIVARS_XATTR_ERROR, text) > 0, "the reason is told");
	is_text(text, "A-" OTHER ": cannot be read: the firmware does not support it "
		"(EFI_UNSUPPORTED)", "in words");
	fake_fail(&fake, FAKE_GET, UEFI_NOT_FOUND);
	is_int(read_file(fs, "A-" OTHER, text, 64), 0, "one that is gone reads as empty");
	fake_fail(&fake, FAKE_GET, UEFI_SUCCESS);
	is_int(read_file(fs, "B-" OTHER, text, 64), 6, "others are read");
	stop(fs);
}

static void test_changed_by_others(void)
{
	struct fs_entry a, b, again;
	struct fs_attr attr;
	uint64_t handle;
	struct fs *fs;
	char text[64];

	begin(false);
	fs = mounted_new(&fake, true);
	is_int(do_lookup(fs, "A-" OTHER, &a), 0, "A");
	is_int(do_lookup(fs, "B-" OTHER, &b), 0, "B");
	is_int(do_open(fs, b.node, O_RDONLY, &handle), 0, "B is open");
	is_int(do_create(fs, "D-" OTHER, O_RDWR, 0644, &again, &handle), 0, "D is created");
	ok(fake.changed_calls >= 4, "each asks whether the store has changed");
	is_int(fake_count(&fake, FAKE_NEXT), 3, "it has not: the list is not read again");

	fake_remove(&fake, "B");
	fake_remove(&fake, "A");
	fake_add(&fake, "C", &other_guid, 7, "c", 1);
	fake_add(&fake, "A", &other_guid, 7, "aaaa", 4);
	fake_set_changed(&fake);
	is_int(do_getattr(fs, a.node, &attr), 0, "A's attributes");
	is_int(attr.size, 8, "have the new size");
	is_int(attr.ino, a.attr.ino, "and the old number");
	is_list(fs, "A-" OTHER " D-" OTHER " C-" OTHER,
		"the list has what is new, not what is gone, and what waits to be written");
	is_int(do_lookup(fs, "B-" OTHER, &again), -ENOENT, "B is gone");
	is_int(do_getattr(fs, b.node, &attr), 0, "the open file has attributes");
	ok(attr.size == 0 && attr.nlink == 0, "of a removed one");
	fake_add(&fake, "D", &other_guid, 7, "d", 1);
	fake_set_changed(&fake);
	is_int(do_lookup(fs, "D-" OTHER, &again), 0, "what was created empty here");
	is_int(again.attr.size, 5, "and written elsewhere has its size");
	is_int(read_file(fs, "C-" OTHER, text, 64), 5, "C is read");
	is_int(read_file(fs, "C-" OTHER, text, 64), 5, "and again");
	fake_find(&fake, "C")->data[0] = 'X';
	is_int(read_file(fs, "C-" OTHER, text, 64), 5, "and once more");
	is_int(text[4], 'X', "never from memory");

	fake.next_fails_at = 1;
	fake.next_status = UEFI_DEVICE_ERROR;
	fake_set_changed(&fake);
	is_list(fs, "A-" OTHER " D-" OTHER " C-" OTHER, "a list that fails takes nothing away");
	stop(fs);
}

static void test_place_taken(void)
{
	struct fs *fs;
	char text[64];

	begin(false);
	fake_add(&fake, "C/D", &other_guid, 7, "slash", 5);
	fake_add(&fake, "C!D", &other_guid, 7, "mark", 4);
	fs = mounted_new(&fake, true);
	is_int(read_file(fs, "C!D-" OTHER, text, 64), 9, "the first of two is shown");
	fake_remove(&fake, "C/D");
	fake_set_changed(&fake);
	is_list(fs, "A-" OTHER " B-" OTHER " C!D-" OTHER, "when it goes, the second is listed");
	is_int(read_file(fs, "C!D-" OTHER, text, 64), 8, "and shown");
	is_int(do_getxattr(fs, EFIVARS_XATTR_DUPLICATES, text), -ENODATA, "no longer two");
	stop(fs);
}

/* A remount gives the store's lock up, or takes it: what was remembered may be old by then. */
static void test_lock_comes_and_goes(void)
{
	char *error = NULL;
	struct fs *fs;
	char text[4096];

	begin(true);
	fs = mounted_new(&fake, true);
	is_int(read_file(fs, "A-" OTHER, text, 64), 5, "read while the store is ours");
	fake.services.is_exclusive = false;
	is_int(efivars_set_read_only(fs, true, &error), 0, "read-only now, and shared");
	fake_remove(&fake, "A");
	fake_add(&fake, "A", &other_guid, 7, "longer", 6);
	fake_set_changed(&fake);
	is_int(read_file(fs, "A-" OTHER, text, 64), 10, "another's change is seen");
	fake_add(&fake, "F", &other_guid, 7, "f", 1);
	fake_set_changed(&fake);
	fake.services.is_exclusive = true;
	is_int(efivars_set_read_only(fs, false, &error), 0, "writable again, and ours");
	is_list(fs, "A-" OTHER " B-" OTHER " F-" OTHER, "what came meanwhile is listed");
	is_int(read_file(fs, "F-" OTHER, text, 64), 5, "and read");
	stop(fs);
}

int main(void)
{
	test_duplicates();
	test_circle();
	test_odd_names();
	test_lossless_names();
	test_failures();
	test_unreadable();
	test_changed_by_others();
	test_place_taken();
	test_lock_comes_and_goes();
	return tap_done();
}
