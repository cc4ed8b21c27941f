/* SPDX-License-Identifier: MIT */
#include "gen/ir/ir.h"

#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "gen/ir/cbor.h"

Digest
ir_digest_bytes(const char *domain, const void *bytes, size_t n)
{
	struct sha256 sha;
	char length[24];
	Digest d;

	snprintf(length, sizeof(length), " %zu", n);
	sha256_init(&sha);
	sha256_add(&sha, "kvaot ", 6);
	sha256_add(&sha, domain, strlen(domain));
	sha256_add(&sha, length, strlen(length) + 1);
	sha256_add(&sha, bytes, n);
	sha256_done(&sha, d.b);
	return d;
}

Digest
ir_digest(const struct ir_type *t, const void *p)
{
	struct buf bytes = { 0 };
	Digest d;

	ir_encode(t, p, &bytes);
	d = ir_digest_bytes(t->wire, bytes.p, bytes.n);
	buf_release(&bytes);
	return d;
}

Digest
ir_core_digest(const struct ir_type *t, const void *p)
{
	struct buf bytes = { 0 }, domain = { 0 };
	Digest d;

	buf_printf(&domain, "%s.core", t->wire);
	ir_encode_core(t, p, &bytes);
	d = ir_digest_bytes(domain.p, bytes.p, bytes.n);
	buf_release(&domain);
	buf_release(&bytes);
	return d;
}

Id
ir_id(char kind, const char *const *parts, size_t n)
{
	struct buf bytes = { 0 };
	uint8_t sha[SHA256_LEN];
	Id id;
	size_t i;

	buf_puts(&bytes, "kvaot-id");
	buf_putc(&bytes, kind);
	buf_putc(&bytes, '\0');
	cbor_head(&bytes, CBOR_ARRAY, n);
	for (i = 0; i < n; i++) {
		if (!ir_text_ok(parts[i], strlen(parts[i])))
			BUG("part %zu of an id '%c' is not text", i, kind);
		cbor_text(&bytes, parts[i], strlen(parts[i]));
	}
	sha256_of(bytes.p, bytes.n, sha);
	buf_release(&bytes);
	id.b[0] = (uint8_t)kind;
	memcpy(id.b + 1, sha, sizeof(id.b) - 1);
	return id;
}

bool
ir_id_eq(const Id *a, const Id *b)
{
	return !memcmp(a, b, sizeof(*a));
}

bool
ir_digest_eq(const Digest *a, const Digest *b)
{
	return !memcmp(a, b, sizeof(*a));
}
