/* SPDX-License-Identifier: MIT */
/*
 * keys.h — keys and certificates made for a test, and signatures of any kind, wrong ones too.
 *
 * Made anew in each run: 2048-bit RSA, valid for a year but where the name says otherwise. A
 * failure ends the process.
 */
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "base/buffer.h"

enum test_key {
	KEY_NONE, /* nobody: the signature is five bytes */
	KEY_PLATFORM,
	KEY_PLATFORM_NEXT,
	KEY_EXCHANGE,
	KEY_AUTHORITY, /* an authority: */
	KEY_LEAF,      /* what it has signed */
	KEY_EXPIRED,   /* since long */
	KEY_STRANGER,
	KEY_OWNER,
	KEY_NAMELESS, /* without a common name */
	KEY_ELLIPTIC, /* with no RSA key */
	TEST_KEYS,
};

struct test_certificate {
	EVP_PKEY *key;
	X509 *x509;
	unsigned char *der;
	size_t size;
};

extern struct test_certificate test_keys[TEST_KEYS];

/* Before the first use, and after the last. */
void test_keys_make(void);
void test_keys_free(void);

enum test_signature {
	SIGNATURE_BARE = 0,                 /* SignedData alone, as UEFI wants it */
	SIGNATURE_IN_CONTENT_INFO = 1 << 0, /* with ContentInfo around it */
	SIGNATURE_WITH_CONTENT = 1 << 1,    /* not detached */
	SIGNATURE_WITHOUT_CERTIFICATE = 1 << 2,
	SIGNATURE_WITH_ATTRIBUTES = 1 << 3, /* signed attributes */
};

/* Appends the SignedData of content in DER. digest: "SHA256" ... */
void test_sign(struct buffer *out, enum test_key key, const char *digest, unsigned kind,
	const struct buffer *content);
