/* SPDX-License-Identifier: MIT */
/* keys.c — see keys.h. */
#include "uefi/auth/test/keys.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <openssl/bio.h>
#include <openssl/pkcs7.h>
#include <openssl/x509v3.h>

#define DAY (24L * 60 * 60)

struct test_certificate test_keys[TEST_KEYS];

static const char *const names[TEST_KEYS] = {
	[KEY_PLATFORM] = "tacit test platform key",
	[KEY_PLATFORM_NEXT] = "tacit test platform key 2",
	[KEY_EXCHANGE] = "tacit test exchange key",
	[KEY_AUTHORITY] = "tacit test authority",
	[KEY_LEAF] = "tacit test leaf",
	[KEY_EXPIRED] = "tacit test expired",
	[KEY_STRANGER] = "tacit test stranger",
	[KEY_OWNER] = "tacit test owner",
	[KEY_ELLIPTIC] = "tacit test elliptic",
};

static void need(bool is_done, const char *what)
{
	if (is_done)
		return;
	printf("Bail out! %s\n", what);
	exit(1);
}

static void add_extension(X509 *x509, int nid, const char *value)
{
	X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, nid, value);

	need(extension && X509_add_ext(x509, extension, -1), "an extension");
	X509_EXTENSION_free(extension);
}

static void make(enum test_key which, enum test_key issuer)
{
	const bool is_expired = which == KEY_EXPIRED;
	struct test_certificate *c = &test_keys[which];
	const struct test_certificate *by = &test_keys[issuer];
	X509_NAME *subject;
	int size;

	c->key = which == KEY_ELLIPTIC ? EVP_EC_gen("P-256") : EVP_RSA_gen(2048);
	c->x509 = X509_new();
	need(c->key && c->x509, "a key");
	subject = X509_get_subject_name(c->x509);
	need(X509_set_version(c->x509, X509_VERSION_3) &&
			ASN1_INTEGER_set(X509_get_serialNumber(c->x509), (long)which + 1) &&
			X509_gmtime_adj(
				X509_getm_notBefore(c->x509), is_expired ? -400 * DAY : -DAY) &&
			X509_gmtime_adj(
				X509_getm_notAfter(c->x509), is_expired ? -300 * DAY : 365 * DAY) &&
			X509_set_pubkey(c->x509, c->key) &&
			X509_NAME_add_entry_by_txt(subject, names[which] ? "CN" : "O", MBSTRING_ASC,
				(const unsigned char *)(names[which] ? names[which] : "tacit"), -1,
				-1, 0) &&
			X509_set_issuer_name(c->x509, X509_get_subject_name(by->x509)),
		"a certificate");
	add_extension(c->x509, NID_basic_constraints,
		which == KEY_AUTHORITY ? "critical,CA:TRUE" : "critical,CA:FALSE");
	need(X509_sign(c->x509, by->key, EVP_sha256()) > 0, "a certificate's signature");
	size = i2d_X509(c->x509, &c->der);
	need(size > 0, "a certificate's bytes");
	c->size = (size_t)size;
}

void test_keys_make(void)
{
	for (enum test_key i = KEY_PLATFORM; i < TEST_KEYS; i++)
		make(i, i == KEY_LEAF ? KEY_AUTHORITY : i);
}

void test_keys_free(void)
{
	for (int i = 0; i < TEST_KEYS; i++) {
		EVP_PKEY_free(test_keys[i].key);
		X509_free(test_keys[i].x509);
		OPENSSL_free(test_keys[i].der);
	}
}

void test_sign(struct buffer *out, enum test_key key, const char *digest, unsigned kind,
	const struct buffer *content)
{
	int flags = PKCS7_BINARY | PKCS7_PARTIAL |
		    (kind & SIGNATURE_WITH_CONTENT ? 0 : PKCS7_DETACHED) |
		    (kind & SIGNATURE_WITHOUT_CERTIFICATE ? PKCS7_NOCERTS : 0) |
		    (kind & SIGNATURE_WITH_ATTRIBUTES ? PKCS7_NOSMIMECAP : PKCS7_NOATTR);
	PKCS7 *pkcs7 = PKCS7_sign(NULL, NULL, NULL, NULL, flags);
	BIO *in = BIO_new_mem_buf(content->data, (int)content->size);
	unsigned char *der = NULL;
	int size;

	need(pkcs7 && in &&
			PKCS7_sign_add_signer(pkcs7, test_keys[key].x509, test_keys[key].key,
				EVP_get_digestbyname(digest), flags) &&
			PKCS7_final(pkcs7, in, flags),
		"a signature");
	size = kind & SIGNATURE_IN_CONTENT_INFO ? i2d_PKCS7(pkcs7, &der)
						: i2d_PKCS7_SIGNED(pkcs7->d.sign, &der);
	need(size > 0, "a signature's bytes");
	buffer_append(out, der, (size_t)size);
	OPENSSL_free(der);
	BIO_free(in);
	PKCS7_free(pkcs7);
}
