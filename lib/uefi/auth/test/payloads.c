/* SPDX-License-Identifier: MIT */
/* payloads.c — see payloads.h. */
#include "uefi/auth/test/payloads.h"

#include <string.h>

#include "uefi/auth/certdb.h"
#include "uefi/auth/test/keys.h"
#include "uefi/variable.h"

#define GLOBAL (&uefi_global_guid)
#define SECURITY (&uefi_image_security_guid)
#define OURS (&our_guid)
#define AT 0x27u
#define APPEND 0x67u

static const struct guid our_guid =
	GUID_OF(0x5d1f2c7e, 0x3b6a, 0x4f0e, 0x9c, 0x84, 0xa1, 0xb2, 0xc3, 0xd4, 0xe5, 0xf6);
static const struct guid pkcs7_guid =
	GUID_OF(0x4aafd29d, 0x68df, 0x49ee, 0x8a, 0xa9, 0x34, 0x7d, 0x37, 0x56, 0x65, 0xa7);
static const struct guid x509_guid =
	GUID_OF(0xa5c059a1, 0x94e4, 0x4aa7, 0x87, 0xb5, 0xab, 0x15, 0x5c, 0x2b, 0xf0, 0x72);
static const struct guid sha256_guid =
	GUID_OF(0xc1c41626, 0x504c, 0x4092, 0xac, 0xa9, 0x41, 0xf9, 0x36, 0x93, 0x43, 0x28);

/* What is written. Letters: SHA-256 values filled with them. Digits: certificates by test_key. */
#define KEYS_EXCHANGE "346" /* KEY_EXCHANGE, KEY_AUTHORITY, KEY_EXPIRED */

enum defect {
	RIGHT = 0,
	RAW,            /* no descriptor at all */
	ALTERED,        /* content changed once it was signed */
	CUT,            /* content shorter than what was signed */
	FOR_OTHER_NAME, /* signed for another name, ... */
	FOR_OTHER_GUID,
	FOR_OTHER_ATTRIBUTES,
	FOR_OTHER_TIME,
	WITH_NUL, /* the name was signed with its NUL */
	PAD1,
	NANOSECOND,
	ZONE,
	DAYLIGHT,
	PAD2,
	LENGTH_BEYOND, /* the certificate does not end within the data */
	LENGTH_TOO_SMALL,
	FIXED_PART_CUT, /* 39 bytes */
	TYPE_OTHER,
	GUID_OTHER,
	GARBAGE,          /* for a SignedData: zeros */
	SIGNATURE_BROKEN, /* its last byte changed */
	LIST_CUT,         /* signed well, but the list is a byte short */
	LIST_TYPE_UNKNOWN,
	LIST_SIZE_OTHER, /* entries of 49 bytes in a list of SHA-256 values */
	LIST_HEADER,     /* a header of 4 bytes */
	LARGE,           /* more than the firmware takes for a variable */
};

struct step {
	const char *label;
	const char *name;
	const struct guid *vendor;
	uint32_t attributes;
	enum test_key signer;
	unsigned minute; /* of the time stamp */
	const char *content;
	enum uefi_status status;
	enum defect defect;
	unsigned kind;      /* of enum test_signature */
	const char *digest; /* NULL: SHA256 */
	bool is_for_us_only;
};

#define OK UEFI_SUCCESS
#define DENIED UEFI_SECURITY_VIOLATION
#define INVALID UEFI_INVALID_PARAMETER

#define WRITE(label_, name_, vendor_, attributes_, signer_, minute_, content_, status_, ...)       \
	{                                                                                          \
		.label = (label_), .name = (name_), .vendor = (vendor_),                           \
		.attributes = (attributes_), .signer = (signer_), .minute = (minute_),             \
		.content = (content_), .status = (status_), __VA_ARGS__                            \
	}

static const struct step steps[] = {
	/* setup mode */
	WRITE("no descriptor", "db", SECURITY, AT, KEY_NONE, 0, "a", DENIED, .defect = RAW),
	WRITE("KEK signed by nobody, in setup mode", "KEK", GLOBAL, AT, KEY_NONE, 10, KEYS_EXCHANGE,
		OK),
	WRITE("again, with an older time", "KEK", GLOBAL, AT, KEY_NONE, 5, KEYS_EXCHANGE, OK),
	WRITE("entries of another size", "db", SECURITY, AT, KEY_NONE, 1, "a", INVALID,
		.defect = LIST_SIZE_OTHER),
	WRITE("a type that nobody knows", "db", SECURITY, AT, KEY_NONE, 1, "a", INVALID,
		.defect = LIST_TYPE_UNKNOWN),
	WRITE("a certificate without an RSA key", "db", SECURITY, AT, KEY_NONE, 1, ":", INVALID),
	WRITE("a list with a header", "db", SECURITY, AT, KEY_NONE, 1, "a", INVALID,
		.defect = LIST_HEADER),
	WRITE("db signed by nobody, in setup mode", "db", SECURITY, AT, KEY_NONE, 10, "a", OK),
	WRITE("an append that creates, in setup mode", "dbx", SECURITY, APPEND, KEY_NONE, 10, "a",
		OK),
	WRITE("db without nv", "db", SECURITY, 0x26, KEY_NONE, 10, "a", INVALID),
	WRITE("PK signed by another", "PK", GLOBAL, AT, KEY_STRANGER, 20, "1", DENIED),
	WRITE("PK of two certificates", "PK", GLOBAL, AT, KEY_PLATFORM, 20, "12", INVALID),
	WRITE("PK that is no certificate", "PK", GLOBAL, AT, KEY_PLATFORM, 20, "a", DENIED),
	WRITE("PK of nothing", "PK", GLOBAL, AT, KEY_PLATFORM, 20, "", DENIED,
		.is_for_us_only = true),
	WRITE("PK with nanoseconds", "PK", GLOBAL, AT, KEY_PLATFORM, 20, "1", DENIED,
		.defect = NANOSECOND),
	WRITE("PK signed for other attributes", "PK", GLOBAL, AT, KEY_PLATFORM, 20, "1", DENIED,
		.defect = FOR_OTHER_ATTRIBUTES),
	WRITE("PK without at", "PK", GLOBAL, 0x07, KEY_PLATFORM, 20, "1", INVALID),
	WRITE("PK signed with itself", "PK", GLOBAL, AT, KEY_PLATFORM, 20, "1", OK),

	/* user mode: who signed */
	WRITE("db signed by nobody", "db", SECURITY, AT, KEY_NONE, 30, "b", DENIED),
	WRITE("db signed by a stranger", "db", SECURITY, AT, KEY_STRANGER, 30, "b", DENIED),
	WRITE("db by KEK", "db", SECURITY, AT, KEY_EXCHANGE, 30, "ab", OK),
	WRITE("db by PK", "db", SECURITY, AT, KEY_PLATFORM, 31, "abc", OK),
	WRITE("db by a chain to KEK", "db", SECURITY, AT, KEY_LEAF, 32, "ab", OK),
	WRITE("db by an expired certificate of KEK", "db", SECURITY, AT, KEY_EXPIRED, 33, "ab", OK),
	WRITE("db with signed attributes", "db", SECURITY, AT, KEY_EXCHANGE, 34, "ab", OK,
		.kind = SIGNATURE_WITH_ATTRIBUTES),
	WRITE("KEK by KEK", "KEK", GLOBAL, AT, KEY_EXCHANGE, 40, KEYS_EXCHANGE, DENIED),
	WRITE("KEK by PK", "KEK", GLOBAL, AT, KEY_PLATFORM, 40, KEYS_EXCHANGE, OK),
	WRITE("PK by KEK", "PK", GLOBAL, AT, KEY_EXCHANGE, 40, "2", DENIED),
	WRITE("PK by the new key", "PK", GLOBAL, AT, KEY_PLATFORM_NEXT, 40, "2", DENIED),

	/* time */
	WRITE("the same time", "db", SECURITY, AT, KEY_EXCHANGE, 34, "abcd", DENIED),
	WRITE("an older time", "db", SECURITY, AT, KEY_EXCHANGE, 33, "abcd", DENIED),
	WRITE("signed for another time", "db", SECURITY, AT, KEY_EXCHANGE, 41, "abcd", DENIED,
		.defect = FOR_OTHER_TIME),
	WRITE("a first pad", "db", SECURITY, AT, KEY_EXCHANGE, 42, "abcd", DENIED, .defect = PAD1),
	WRITE("nanoseconds", "db", SECURITY, AT, KEY_EXCHANGE, 42, "abcd", DENIED,
		.defect = NANOSECOND),
	WRITE("a time zone", "db", SECURITY, AT, KEY_EXCHANGE, 42, "abcd", DENIED, .defect = ZONE),
	WRITE("daylight saving", "db", SECURITY, AT, KEY_EXCHANGE, 42, "abcd", DENIED,
		.defect = DAYLIGHT),
	WRITE("a second pad", "db", SECURITY, AT, KEY_EXCHANGE, 42, "abcd", DENIED, .defect = PAD2),

	/* what was signed */
	WRITE("altered content", "db", SECURITY, AT, KEY_EXCHANGE, 42, "abcd", DENIED,
		.defect = ALTERED),
	WRITE("content that is cut", "db", SECURITY, AT, KEY_EXCHANGE, 42, "abcd", DENIED,
		.defect = CUT),
	WRITE("signed for another name", "db", SECURITY, AT, KEY_EXCHANGE, 42, "abcd", DENIED,
		.defect = FOR_OTHER_NAME),
	WRITE("signed for another GUID", "db", SECURITY, AT, KEY_EXCHANGE, 42, "abcd", DENIED,
		.defect = FOR_OTHER_GUID),
	WRITE("signed for other attributes", "db", SECURITY, AT, KEY_EXCHANGE, 42, "abcd", DENIED,
		.defect = FOR_OTHER_ATTRIBUTES),
	WRITE("an append signed as a write", "db", SECURITY, APPEND, KEY_EXCHANGE, 42, "abcd",
		DENIED, .defect = FOR_OTHER_ATTRIBUTES),
	WRITE("a name signed with its NUL", "db", SECURITY, AT, KEY_EXCHANGE, 42, "abcd", DENIED,
		.defect = WITH_NUL),
	WRITE("a broken signature", "db", SECURITY, AT, KEY_EXCHANGE, 42, "abcd", DENIED,
		.defect = SIGNATURE_BROKEN),

	/* the descriptor's form */
	WRITE("a descriptor that is cut", "db", SECURITY, AT, KEY_EXCHANGE, 42, "", DENIED,
		.defect = FIXED_PART_CUT),
	WRITE("a length beyond the end", "db", SECURITY, AT, KEY_EXCHANGE, 42, "abcd", DENIED,
		.defect = LENGTH_BEYOND),
	WRITE("a length below the header", "db", SECURITY, AT, KEY_EXCHANGE, 42, "abcd", DENIED,
		.defect = LENGTH_TOO_SMALL),
	WRITE("another certificate type", "db", SECURITY, AT, KEY_EXCHANGE, 42, "abcd", DENIED,
		.defect = TYPE_OTHER),
	WRITE("another type GUID", "db", SECURITY, AT, KEY_EXCHANGE, 42, "abcd", DENIED,
		.defect = GUID_OTHER),
	WRITE("zeros for a SignedData", "db", SECURITY, AT, KEY_EXCHANGE, 42, "abcd", DENIED,
		.defect = GARBAGE),
	WRITE("a SignedData without its certificate", "db", SECURITY, AT, KEY_EXCHANGE, 42, "abcd",
		DENIED, .kind = SIGNATURE_WITHOUT_CERTIFICATE),
	WRITE("a digest of SHA-1", "db", SECURITY, AT, KEY_EXCHANGE, 42, "abcd", DENIED,
		.digest = "SHA1"),
	WRITE("a digest of SHA-384", "db", SECURITY, AT, KEY_EXCHANGE, 43, "ab", OK,
		.digest = "SHA384", .is_for_us_only = true),
	WRITE("a digest of SHA-512", "db", SECURITY, AT, KEY_EXCHANGE, 44, "ab", OK,
		.digest = "SHA512", .is_for_us_only = true),
	WRITE("ContentInfo around the SignedData", "db", SECURITY, AT, KEY_EXCHANGE, 45, "ab", OK,
		.kind = SIGNATURE_IN_CONTENT_INFO, .is_for_us_only = true),
	WRITE("a SignedData that is not detached", "db", SECURITY, AT, KEY_EXCHANGE, 46, "ab", OK,
		.kind = SIGNATURE_WITH_CONTENT),

	/* what is written */
	WRITE("a list that is cut", "db", SECURITY, AT, KEY_EXCHANGE, 50, "a", INVALID,
		.defect = LIST_CUT),
	WRITE("an unknown type, well signed", "db", SECURITY, AT, KEY_EXCHANGE, 50, "a", INVALID,
		.defect = LIST_TYPE_UNKNOWN),
	WRITE("an elliptic key, well signed", "db", SECURITY, AT, KEY_EXCHANGE, 50, ":", INVALID),
	WRITE("too large", "db", SECURITY, AT, KEY_EXCHANGE, 50, "a", INVALID, .defect = LARGE),
	WRITE("without at", "db", SECURITY, 0x07, KEY_EXCHANGE, 50, "a", INVALID),
	WRITE("without rt", "db", SECURITY, 0x23, KEY_EXCHANGE, 50, "a", INVALID),
	WRITE("dbt by KEK", "dbt", SECURITY, AT, KEY_EXCHANGE, 50, "7", OK),
	WRITE("dbr, which is no variable", "dbr", SECURITY, AT, KEY_STRANGER, 50, "7", INVALID),

	/* append */
	WRITE("an append, older, of one new entry", "db", SECURITY, APPEND, KEY_EXCHANGE, 25, "ae",
		OK),
	WRITE("an append of what is there", "db", SECURITY, APPEND, KEY_EXCHANGE, 60, "ab", OK),
	WRITE("a write between the two", "db", SECURITY, AT, KEY_EXCHANGE, 55, "abf", DENIED),
	WRITE("an append of nothing", "db", SECURITY, APPEND, KEY_EXCHANGE, 70, "", OK),
	WRITE("a write after the append of nothing", "db", SECURITY, AT, KEY_EXCHANGE, 65, "abf",
		DENIED),
	WRITE("an append by a stranger", "db", SECURITY, APPEND, KEY_STRANGER, 80, "g", DENIED),
	WRITE("KEK, appended to by PK", "KEK", GLOBAL, APPEND, KEY_PLATFORM, 80, "1", OK),
	WRITE("dbx after the append that created it", "dbx", SECURITY, AT, KEY_EXCHANGE, 8, "ab",
		OK),

	/* private variables */
	WRITE("a private variable", "TacitOwned", OURS, AT, KEY_OWNER, 10, "first", OK),
	WRITE("another signer", "TacitOwned", OURS, AT, KEY_STRANGER, 11, "second", DENIED),
	WRITE("its owner at the same time", "TacitOwned", OURS, AT, KEY_OWNER, 10, "second",
		DENIED),
	WRITE("its owner, altered", "TacitOwned", OURS, AT, KEY_OWNER, 11, "second", DENIED,
		.defect = ALTERED),
	WRITE("its owner", "TacitOwned", OURS, AT, KEY_OWNER, 11, "second", OK),
	WRITE("its owner, an append", "TacitOwned", OURS, APPEND, KEY_OWNER, 9, "third", OK),
	WRITE("its owner by ContentInfo", "TacitOwned", OURS, AT, KEY_OWNER, 12, "second", OK,
		.kind = SIGNATURE_IN_CONTENT_INFO, .is_for_us_only = true),
	WRITE("a write without at", "TacitOwned", OURS, 0x07, KEY_OWNER, 12, "x", INVALID,
		.defect = RAW),
	WRITE("a deletion without attributes", "TacitOwned", OURS, 0, KEY_OWNER, 12, "",
		UEFI_WRITE_PROTECTED, .defect = RAW),
	WRITE("a second private variable", "TacitOther", OURS, AT, KEY_LEAF, 10, "leaf", OK),
	WRITE("a signer without a name", "TacitNameless", OURS, AT, KEY_NAMELESS, 10, "x", DENIED),
	WRITE("a new private variable of nothing", "TacitNothing", OURS, AT, KEY_OWNER, 10, "",
		UEFI_NOT_FOUND),
	WRITE("a private variable that an append makes", "TacitAppended", OURS, APPEND, KEY_OWNER,
		10, "x", OK),
	WRITE("the deletion of one, signed by a stranger", "TacitOwned", OURS, AT, KEY_STRANGER, 1,
		"", OK),
	WRITE("it is made anew by another", "TacitOwned", OURS, AT, KEY_STRANGER, 5, "mine", OK),
	WRITE("the list of owners", "certdb", &certdb_guid, AT, KEY_OWNER, 99, "x",
		UEFI_WRITE_PROTECTED),

	/* deletions, and back to setup mode */
	WRITE("a deletion without a descriptor", "dbt", SECURITY, AT, KEY_NONE, 0, "", DENIED,
		.defect = RAW),
	WRITE("a deletion without attributes", "dbt", SECURITY, 0, KEY_NONE, 0, "", INVALID,
		.defect = RAW),
	WRITE("a deletion by a stranger", "dbt", SECURITY, AT, KEY_STRANGER, 90, "", DENIED),
	WRITE("a deletion by KEK", "dbt", SECURITY, AT, KEY_EXCHANGE, 90, "", OK),
	WRITE("a deletion of what is gone", "dbt", SECURITY, AT, KEY_EXCHANGE, 91, "",
		UEFI_NOT_FOUND),
	WRITE("PK by PK", "PK", GLOBAL, AT, KEY_PLATFORM, 90, "2", OK),
	WRITE("KEK by the former PK", "KEK", GLOBAL, AT, KEY_PLATFORM, 91, "3", DENIED),
	WRITE("a deletion of KEK", "KEK", GLOBAL, AT, KEY_PLATFORM_NEXT, 91, "", OK),
	WRITE("db by KEK that is gone", "db", SECURITY, AT, KEY_EXCHANGE, 92, "a", UEFI_NOT_FOUND),
	WRITE("a deletion of PK by a stranger", "PK", GLOBAL, AT, KEY_STRANGER, 92, "", DENIED),
	WRITE("a deletion of PK", "PK", GLOBAL, AT, KEY_PLATFORM_NEXT, 92, "", OK),
	WRITE("db signed by nobody, in setup mode again", "db", SECURITY, AT, KEY_NONE, 3, "z", OK),
};

/* One list of signatures. */
static void add_list(
	struct buffer *out, const struct guid *type, const void *data, size_t size, size_t header)
{
	buffer_append(out, type, sizeof(*type));
	buffer_le32(out, (uint32_t)(28 + header + 16 + size));
	buffer_le32(out, (uint32_t)header);
	buffer_le32(out, (uint32_t)(16 + size));
	buffer_fill(out, 0, header);
	buffer_append(out, &our_guid, sizeof(our_guid));
	buffer_append(out, data, size);
}

static bool is_key_name(const struct step *s)
{
	return s->vendor != OURS && s->vendor != &certdb_guid;
}

static void make_content(const struct step *s, struct buffer *out)
{
	struct guid type = sha256_guid;
	size_t size = s->defect == LIST_SIZE_OTHER ? 33 : 32;

	if (s->defect == LARGE) {
		for (unsigned i = 0; i < 480; i++)
			add_list(out, &sha256_guid, (uint8_t[32]){(uint8_t)i, (uint8_t)(i >> 8)},
				32, 0);
		return;
	}
	if (s->defect == LIST_TYPE_UNKNOWN)
		type.b[0] ^= 1;
	for (const char *c = s->content; *c; c++) {
		uint8_t hash[33];

		memset(hash, *c, sizeof(hash));
		if (!is_key_name(s))
			buffer_u8(out, (uint8_t)*c);
		else if (*c >= '0' && *c <= ':')
			add_list(out, &x509_guid, test_keys[*c - '0'].der, test_keys[*c - '0'].size,
				0);
		else
			add_list(out, &type, hash, size, s->defect == LIST_HEADER ? 4 : 0);
	}
	if (s->defect == LIST_CUT)
		out->size--;
}

static void add_time(const struct step *s, unsigned minute, struct buffer *out)
{
	buffer_le16(out, 2026);
	buffer_u8(out, 11);
	buffer_u8(out, 30);
	buffer_u8(out, (uint8_t)(minute / 60));
	buffer_u8(out, (uint8_t)(minute % 60));
	buffer_u8(out, 7);
	buffer_u8(out, s->defect == PAD1);
	buffer_le32(out, s->defect == NANOSECOND);
	buffer_le16(out, s->defect == ZONE);
	buffer_u8(out, s->defect == DAYLIGHT);
	buffer_u8(out, s->defect == PAD2);
}

/* Name, GUID, attributes, time and content, as they are signed. */
static void make_signed(const struct step *s, const struct buffer *content, struct buffer *out)
{
	const char *name = s->defect == FOR_OTHER_NAME ? "dbx" : s->name;

	for (const char *c = name; *c; c++)
		buffer_le16(out, (uint8_t)*c);
	if (s->defect == WITH_NUL)
		buffer_le16(out, 0);
	buffer_append(out, s->defect == FOR_OTHER_GUID ? OURS : s->vendor, sizeof(struct guid));
	buffer_le32(out, s->defect == FOR_OTHER_ATTRIBUTES ? s->attributes ^ 0x40 : s->attributes);
	add_time(s, s->defect == FOR_OTHER_TIME ? s->minute + 1 : s->minute, out);
	buffer_append(out, content->data, content->size);
}

static void make_signature(const struct step *s, const struct buffer *content, struct buffer *out)
{
	CLEAN_BUFFER struct buffer text = BUFFER_INIT;

	make_signed(s, content, &text);
	if (s->signer == KEY_NONE)
		buffer_string(out, "nobdy");
	else if (s->defect == GARBAGE)
		buffer_fill(out, 0, 1500);
	else
		test_sign(out, s->signer, s->digest ? s->digest : "SHA256", s->kind, &text);
	if (s->defect == SIGNATURE_BROKEN)
		out->data[out->size - 1] ^= 1;
}

static void add_descriptor(const struct step *s, const struct buffer *signature, struct buffer *out)
{
	size_t length = 24 + signature->size;

	add_time(s, s->minute, out);
	if (s->defect == LENGTH_BEYOND)
		length += 5000;
	if (s->defect == LENGTH_TOO_SMALL)
		length = 23;
	buffer_le32(out, (uint32_t)length);
	buffer_le16(out, 0x0200);
	buffer_le16(out, s->defect == TYPE_OTHER ? 0x0ef0 : 0x0ef1);
	buffer_append(
		out, s->defect == GUID_OTHER ? &sha256_guid : &pkcs7_guid, sizeof(pkcs7_guid));
	buffer_append(out, signature->data, signature->size);
}

bool payload_make(size_t i, struct payload *ret, struct buffer *ret_data)
{
	const struct step *s = &steps[i];
	CLEAN_BUFFER struct buffer content = BUFFER_INIT;
	CLEAN_BUFFER struct buffer signature = BUFFER_INIT;

	if (i >= ARRAY_SIZE(steps))
		return false;
	*ret = (struct payload){.label = s->label,
		.name = s->name,
		.vendor = s->vendor,
		.attributes = s->attributes,
		.status = s->status,
		.is_for_us_only = s->is_for_us_only};
	make_content(s, &content);
	if (s->defect != RAW) {
		make_signature(s, &content, &signature);
		add_descriptor(s, &signature, ret_data);
	}
	if (s->defect == ALTERED)
		content.data[content.size - 1] ^= 1;
	if (s->defect == CUT)
		content.size -= 76;
	buffer_append(ret_data, content.data, content.size);
	if (s->defect == FIXED_PART_CUT)
		ret_data->size = 39;
	return true;
}
