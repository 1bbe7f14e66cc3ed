/* SPDX-License-Identifier: MIT */
/* xattrmap_test.c — maps of attributes' names: what they say, and texts that are none. */
#include "fs/passthrough/xattrmap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/test/tap.h"

#define MAP_ALL ":map::user.virtiofs.:"
#define MAP_TRUSTED ":map:trusted.:user.virtiofs.:"

/* The map of a text that is one. */
static struct xattrmap *parse(const char *text)
{
	CLEAN(free) char *error = NULL;
	struct xattrmap *map = NULL;

	if (xattrmap_parse(&map, text, &error) < 0) {
		printf("# %s\n", error ? error : "no memory");
		abort();
	}
	return map;
}

/* host: the host's name, or what the client gets instead. */
static const struct {
	const char *map;
	const char *name;
	const char *host;
} asked[] = {
	{":ok:all:::", "user.a", "user.a"}, {":bad:all:::", "user.a", "EPERM"},
	{":unsupported:all:::", "user.a", "EOPNOTSUPP"},
	{":prefix:client::a.:", "user.a", "a.user.a"}, {":prefix:server::a.:", "user.a", "EPERM"},
	{"/prefix/all/trusted./user.v./ /ok/all///", "trusted.a", "user.v.trusted.a"},
	{"/prefix/all/trusted./user.v./ /ok/all///", "user.a", "user.a"},
	{"/prefix/all/trusted./user.v./ /ok/all///", "trusted", "trusted"},
	{":bad:client:user.a::!ok!all!!!", "user.ab", "EPERM"},
	{":bad:client:user.a::!ok!all!!!", "user.b", "user.b"},
	{":ok:client:user.::\n\t:bad:all:::\n", "user.a", "user.a"},
	{":ok:client:user.::\n\t:bad:all:::\n", "security.a", "EPERM"},
	{":prefix:all::user.virtiofs.::bad:all:::", "trusted.a", "user.virtiofs.trusted.a"},
	{MAP_ALL, "trusted.a", "user.virtiofs.trusted.a"},
	{MAP_ALL, "user.virtiofs.a", "user.virtiofs.user.virtiofs.a"},
	{MAP_TRUSTED, "trusted.a", "user.virtiofs.trusted.a"},
	{MAP_TRUSTED, "user.virtiofs.trusted.a", "EPERM"}, {MAP_TRUSTED, "user.a", "user.a"},
	{"xokxallxxx", "user.a", "user.a"},
	{":ok:client:user.::", "security.a", "EPERM"}, /* nothing applies */
};

/* client: what the client sees of the host's name; NULL: nothing. */
static const struct {
	const char *map;
	const char *name;
	const char *client;
} listed[] = {
	{":ok:all:::", "user.a", "user.a"},
	{":bad:all:::", "user.a", NULL},
	{":unsupported:server::user.::ok:all:::", "user.a", NULL},
	{":unsupported:server::user.::ok:all:::", "trusted.a", "trusted.a"},
	{":prefix:server::user.v.:", "user.v.a", "a"},
	{":prefix:server::user.v.:", "user.v.", NULL},
	{":prefix:server::user.v.:", "user.w.a", NULL},
	{":prefix:client::user.v.::ok:server:::", "user.v.a", "user.v.a"},
	{MAP_ALL, "user.virtiofs.trusted.a", "trusted.a"},
	{MAP_ALL, "user.a", NULL},
	{MAP_ALL, "security.selinux", NULL},
	{MAP_TRUSTED, "user.virtiofs.trusted.a", "trusted.a"},
	{MAP_TRUSTED, "trusted.a", NULL},
	{MAP_TRUSTED, "user.a", "user.a"},
};

/* error: how its line begins */
static const struct {
	const char *map;
	const char *error;
} refused[] = {
	{"", "xattrmap: there is no rule in it"},
	{" \n\t", "xattrmap: there is no rule in it"},
	{":", "xattrmap: rule 1, character 2: the type has no ':' behind it"},
	{"ok", "xattrmap: rule 1, character 2: the type has no 'o' behind it"},
	{":ok", "xattrmap: rule 1, character 2: the type has no ':' behind it"},
	{"::all:::", "xattrmap: rule 1, character 2: '' is no type: there are prefix, ok, bad, "
		     "unsupported, map"},
	{":OK:all:::", "xattrmap: rule 1, character 2: 'OK' is no type"},
	{":ok:every:::", "xattrmap: rule 1, character 5: 'every' is no scope: there are client, "
			 "server, all"},
	{":ok:all", "xattrmap: rule 1, character 5: the scope has no ':' behind it"},
	{":ok:all:", "xattrmap: rule 1, character 9: the key has no ':' behind it"},
	{":ok:all::", "xattrmap: rule 1, character 10: the prefix has no ':' behind it"},
	{":ok:all::x", "xattrmap: rule 1, character 10: the prefix has no ':' behind it"},
	{"/ok/all:::", "xattrmap: rule 1, character 5: the scope has no '/' behind it"},
	{":ok:all::: :frob:all:::", "xattrmap: rule 2, character 13: 'frob' is no type"},
	{":map:", "xattrmap: rule 1, character 6: the key has no ':' behind it"},
	{":map::", "xattrmap: rule 1, character 7: the prefix has no ':' behind it"},
	{MAP_ALL ":ok:all:::", "xattrmap: rule 2, character 22: nothing may follow a rule of type "
			       "map"},
	{MAP_ALL " " MAP_ALL, "xattrmap: rule 2, character 23: nothing may follow"},
	{":\n:all:::", "xattrmap: rule 1, character 2: '?' is no type"},
	{"\x80ok\x80", "xattrmap: rule 1, character 5: the scope has no"},
};

static void test_asked(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
		struct xattrmap *map = parse(asked[i].map);
		struct xattr_name host = {0};
		int r = xattrmap_to_host(map, asked[i].name, &host);
		const char *got = r < 0 ? strerrorname_np(-r) : host.text;

		ok(got && strcmp(got, asked[i].host) == 0, "%s of the client is %s, %zu",
			asked[i].name, asked[i].host, i);
		xattrmap_free(map);
	}
}

static void test_listed(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(listed); i++) {
		struct xattrmap *map = parse(listed[i].map);
		const char *got = xattrmap_to_client(map, listed[i].name);

		ok(got && listed[i].client ? strcmp(got, listed[i].client) == 0
					   : got == listed[i].client,
			"%s of the host is %s, %zu", listed[i].name,
			listed[i].client ? listed[i].client : "hidden", i);
		xattrmap_free(map);
	}
}

static void test_refused(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		CLEAN(free) char *error = NULL;
		struct xattrmap *map = NULL;
		int r = xattrmap_parse(&map, refused[i].map, &error);

		ok(r == -EINVAL && !map && error && !strchr(error, '\n') &&
				strncmp(error, refused[i].error, strlen(refused[i].error)) == 0,
			"no map: %s", refused[i].error);
		if (error && strncmp(error, refused[i].error, strlen(refused[i].error)) != 0)
			printf("# got %s\n", error);
	}
}

static void test_limits(void)
{
	CLEAN_BUFFER struct buffer text = BUFFER_INIT;
	CLEAN(free) char *error = NULL;
	struct xattrmap *map = NULL;
	struct xattr_name host;
	char name[XATTR_NAME_MAX + 1];

	memset(name, 'n', XATTR_NAME_MAX);
	name[XATTR_NAME_MAX] = '\0';
	buffer_printf(&text, ":ok:client:%s::", name);
	map = parse(buffer_text(&text));
	is_int(xattrmap_to_host(map, name, &host), 0, "a name of 255 bytes");
	xattrmap_free(map);
	map = parse(MAP_ALL);
	is_int(xattrmap_to_host(map, name, &host), -ERANGE, "one that becomes longer");
	name[XATTR_NAME_MAX - strlen("user.virtiofs.")] = '\0';
	is_int(xattrmap_to_host(map, name, &host), 0, "one that just fits");
	is_int(strlen(host.text), XATTR_NAME_MAX, "has all its bytes");
	xattrmap_free(map);

	buffer_string(&text, ":ok:client:x");
	is_int(xattrmap_parse(&map, buffer_text(&text), &error), -EINVAL, "a field without end");
	free(TAKE_PTR(error));
	text.size = 0;
	buffer_printf(&text, ":ok:client:n%s::", "nnnnnnnnnnnnnnnn");
	for (unsigned i = 1; i < XATTRMAP_RULES_MAX; i++)
		buffer_string(&text, ":ok:all:::");
	xattrmap_free(parse(buffer_text(&text)));
	buffer_string(&text, " :ok:all:::");
	is_int(xattrmap_parse(&map, buffer_text(&text), &error), -EINVAL, "one rule too many");
	ok(error && strstr(error, "there are more than 64 rules"), "is said");
}

static void test_keeps(void)
{
	struct xattrmap *map = parse(MAP_TRUSTED);

	ok(xattrmap_keeps(map, "system.posix_acl_access"), "a name that passes both ways");
	ok(!xattrmap_keeps(map, "trusted.a"), "one that does not");
	xattrmap_free(map);
	map = parse(":ok:client:::");
	ok(!xattrmap_keeps(map, "user.a"), "one that passes one way");
	xattrmap_free(map);
}

int main(void)
{
	test_asked();
	test_listed();
	test_refused();
	test_limits();
	test_keeps();
	return tap_done();
}
