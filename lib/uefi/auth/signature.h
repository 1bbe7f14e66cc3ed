/* SPDX-License-Identifier: MIT */
/*
 * signature.h — the PKCS#7 SignedData of an authenticated write, and the certificates that it is
 * held against.
 *
 * All of PKCS#7 and X.509 is libcrypto's; this only says which of it a firmware accepts: detached
 * signatures, with or without ContentInfo around them, digests of SHA-256, SHA-384 and SHA-512,
 * chains that end in the trusted certificate (a partial chain is enough), times of validity and
 * purposes not looked at. Pure functions of their bytes; libcrypto's configuration is not read.
 *
 * Threads: an object belongs to one thread at a time.
 * Reference: UEFI 2.10 §8.2.2; RFC 2315.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* What two-byte lengths of DER can say, which is what edk2 puts around it. Bytes. */
#define SIGNATURE_MAX 65535u
/* Bytes of the longest digest, SHA-512. */
#define SIGNATURE_DIGEST_MAX 64u

struct signature;

/*
 * Reads a SignedData. 0; -ENOMEM; -EBADMSG with one line in why when it is none, has no signer with
 * a certificate, or names a digest that is not accepted.
 */
int signature_new(
	struct signature **ret, const void *data, size_t size, struct buffer *why) MUST_CHECK;
void signature_free(struct signature *s);
DEFINE_CLEAN(struct signature *, signature_free)

/* True when the first signer's certificate is exactly these bytes of DER. */
bool signature_is_signer(const struct signature *s, const void *certificate, size_t size);

/* True when every signer signed this content and has a chain to the trusted certificate (DER). */
bool signature_is_valid(struct signature *s, const void *trusted, size_t trusted_size,
	const void *content, size_t size);

/* As above, what is trusted being the first signer's own certificate. */
bool signature_is_valid_by_signer(struct signature *s, const void *content, size_t size);

/*
 * What certdb keeps of a signer: the digest, by the signature's own algorithm, of the last signer's
 * common name and the to-be-signed part of the first one's certificate. Bytes written into digest,
 * or -EBADMSG for a certificate without a common name.
 */
int signature_fingerprint(
	const struct signature *s, uint8_t digest[static SIGNATURE_DIGEST_MAX]) MUST_CHECK;

/* True for an X.509 certificate in DER with an RSA key, the only kind that edk2 enrols. */
bool certificate_has_rsa_key(const void *certificate, size_t size);
