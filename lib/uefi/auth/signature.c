/* SPDX-License-Identifier: MIT */
/* signature.c — see signature.h. */
#include "uefi/auth/signature.h"

#include <errno.h>
#include <string.h>

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pkcs7.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#define COMMON_NAME_MAX 127u /* bytes of a common name that edk2 looks at */

DEFINE_CLEAN(BIO *, BIO_free)
DEFINE_CLEAN(X509 *, X509_free)
DEFINE_CLEAN(X509_STORE *, X509_STORE_free)
DEFINE_CLEAN(EVP_MD_CTX *, EVP_MD_CTX_free)

struct signature {
	PKCS7 *pkcs7;
	STACK_OF(X509) * signers; /* the certificates are pkcs7's; never empty */
	const EVP_MD *digest;     /* the first one that the SignedData names */
};

/* A certificate's bytes; libcrypto's memory. */
struct der {
	unsigned char *data;
	int size; /* negative: not to be had */
};

static struct der certificate_der(const X509 *certificate)
{
	struct der der = {0};

	der.size = i2d_X509(certificate, &der.data);
	return der;
}

/* The configuration of the machine must not change what a firmware would say. */
static void set_up_libcrypto(void)
{
	/* Without it every call below fails, which is an answer too. */
	(void)OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
}

/* SignedData without ContentInfo around it; nothing may follow. */
static PKCS7 *read_bare(const unsigned char *data, size_t size)
{
	const unsigned char *end = data;
	PKCS7_SIGNED *bare = d2i_PKCS7_SIGNED(NULL, &end, (long)size);
	PKCS7 *pkcs7 = NULL;

	if (bare && end == data + size)
		pkcs7 = PKCS7_new();
	if (!pkcs7 || !PKCS7_set_type(pkcs7, NID_pkcs7_signed)) {
		PKCS7_SIGNED_free(bare);
		PKCS7_free(pkcs7);
		return NULL;
	}
	PKCS7_SIGNED_free(pkcs7->d.sign);
	pkcs7->d.sign = bare;
	return pkcs7;
}

static PKCS7 *read_pkcs7(const unsigned char *data, size_t size)
{
	const unsigned char *end = data;
	PKCS7 *pkcs7 = d2i_PKCS7(NULL, &end, (long)size);

	if (!pkcs7)
		return read_bare(data, size);
	if (PKCS7_type_is_signed(pkcs7) && pkcs7->d.sign)
		return pkcs7;
	PKCS7_free(pkcs7);
	return NULL;
}

static const EVP_MD *find_digest(PKCS7 *pkcs7)
{
	const X509_ALGOR *first = sk_X509_ALGOR_value(pkcs7->d.sign->md_algs, 0);
	const ASN1_OBJECT *name = NULL;

	if (!first)
		return NULL;
	X509_ALGOR_get0(&name, NULL, NULL, first);
	switch (OBJ_obj2nid(name)) {
	case NID_sha256:
		return EVP_sha256();
	case NID_sha384:
		return EVP_sha384();
	case NID_sha512:
		return EVP_sha512();
	default:
		return NULL;
	}
}

static int fill(struct signature *s, const void *data, size_t size, struct buffer *why)
{
	s->pkcs7 = size <= SIGNATURE_MAX ? read_pkcs7(data, size) : NULL;
	if (!s->pkcs7) {
		buffer_printf(
			why, "the certificate data (%zu bytes) is no PKCS#7 SignedData", size);
		return -EBADMSG;
	}
	s->digest = find_digest(s->pkcs7);
	if (!s->digest) {
		buffer_string(
			why, "the signature's digest is none of SHA-256, SHA-384 and SHA-512");
		return -EBADMSG;
	}
	s->signers = PKCS7_get0_signers(s->pkcs7, NULL, 0);
	if (!s->signers || sk_X509_num(s->signers) == 0) {
		buffer_string(why, "the signature does not hold its signer's certificate");
		return -EBADMSG;
	}
	return 0;
}

int signature_new(struct signature **ret, const void *data, size_t size, struct buffer *why)
{
	struct signature *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	set_up_libcrypto();
	r = fill(s, data, size, why);
	ERR_clear_error();
	if (r < 0)
		signature_free(s);
	else
		*ret = s;
	return r;
}

void signature_free(struct signature *s)
{
	if (!s)
		return;
	sk_X509_free(s->signers);
	PKCS7_free(s->pkcs7);
	free(s);
}

bool signature_is_signer(const struct signature *s, const void *certificate, size_t size)
{
	struct der signer = certificate_der(sk_X509_value(s->signers, 0));
	bool is_same = signer.size > 0 && (size_t)signer.size == size &&
		       memcmp(signer.data, certificate, size) == 0;

	OPENSSL_free(signer.data);
	return is_same;
}

static bool is_valid_for(struct signature *s, X509 *trusted, const void *content, size_t size)
{
	CLEAN(X509_STORE_free) X509_STORE *store = X509_STORE_new();
	CLEAN(BIO_free) BIO *in = size <= INT32_MAX ? BIO_new_mem_buf(content, (int)size) : NULL;

	if (!store || !in || !X509_STORE_add_cert(store, trusted) ||
		!X509_STORE_set_flags(
			store, X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_NO_CHECK_TIME) ||
		!X509_STORE_set_purpose(store, X509_PURPOSE_ANY))
		return false;
	return PKCS7_verify(s->pkcs7, NULL, store, in, NULL, PKCS7_BINARY) == 1;
}

bool signature_is_valid(struct signature *s, const void *trusted, size_t trusted_size,
	const void *content, size_t size)
{
	const unsigned char *at = trusted;
	CLEAN(X509_free)
	X509 *certificate =
		trusted_size <= INT32_MAX ? d2i_X509(NULL, &at, (long)trusted_size) : NULL;
	bool is_valid = certificate && is_valid_for(s, certificate, content, size);

	ERR_clear_error();
	return is_valid;
}

bool signature_is_valid_by_signer(struct signature *s, const void *content, size_t size)
{
	bool is_valid = is_valid_for(s, sk_X509_value(s->signers, 0), content, size);

	ERR_clear_error();
	return is_valid;
}

/* Adds the first common name of a certificate, up to a NUL in it, as edk2 reads it. */
static bool add_common_name(EVP_MD_CTX *context, const X509 *certificate)
{
	const X509_NAME *subject = X509_get_subject_name(certificate);
	int i = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
	unsigned char *text = NULL;
	int length = -1;
	bool is_added;

	if (i >= 0)
		length = ASN1_STRING_to_UTF8(
			&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, i)));
	if (length < 0)
		return false;
	length = (int)strnlen((const char *)text,
		(size_t)length < COMMON_NAME_MAX ? (size_t)length : COMMON_NAME_MAX);
	is_added = EVP_DigestUpdate(context, text, (size_t)length) == 1;
	OPENSSL_free(text);
	return is_added;
}

/* Adds the to-be-signed part: the first element within the certificate's outer sequence. */
static bool add_signed_part(EVP_MD_CTX *context, const X509 *certificate)
{
	struct der der = certificate_der(certificate);
	const unsigned char *at = der.data;
	const unsigned char *part;
	long length;
	int tag, class;
	bool is_added = false;

	if (der.size > 0 && !(ASN1_get_object(&at, &length, &tag, &class, der.size) & 0x80)) {
		part = at;
		if (!(ASN1_get_object(&at, &length, &tag, &class, length) & 0x80))
			is_added = EVP_DigestUpdate(context, part,
					   (size_t)(at - part) + (size_t)length) == 1;
	}
	OPENSSL_free(der.data);
	return is_added;
}

int signature_fingerprint(const struct signature *s, uint8_t digest[static SIGNATURE_DIGEST_MAX])
{
	CLEAN(EVP_MD_CTX_free) EVP_MD_CTX *context = EVP_MD_CTX_new();
	const X509 *first = sk_X509_value(s->signers, 0);
	const X509 *last = sk_X509_value(s->signers, sk_X509_num(s->signers) - 1);
	unsigned int size = 0;
	bool is_done = context && EVP_DigestInit_ex(context, s->digest, NULL) == 1 &&
		       add_common_name(context, last) && add_signed_part(context, first) &&
		       EVP_DigestFinal_ex(context, digest, &size) == 1;

	ERR_clear_error();
	return is_done ? (int)size : -EBADMSG;
}

bool certificate_has_rsa_key(const void *certificate, size_t size)
{
	const unsigned char *at = certificate;
	CLEAN(X509_free) X509 *x509 = NULL;
	bool has_key;

	set_up_libcrypto();
	x509 = size <= INT32_MAX ? d2i_X509(NULL, &at, (long)size) : NULL;
	has_key = x509 && X509_get0_pubkey(x509) &&
		  EVP_PKEY_get_base_id(X509_get0_pubkey(x509)) == EVP_PKEY_RSA;
	ERR_clear_error();
	return has_key;
}
