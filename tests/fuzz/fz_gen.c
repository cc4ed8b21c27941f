/* SPDX-License-Identifier: MIT */
/* Readers of gen/. */
#include <string.h>

#include "base/sha256.h"
#include "gen/emit/template.h"
#include "gen/ir/kvs.h"
#include "gen/policy.h"
#include "gen/request.h"
#include "gen/rules.h"
#include "gen/setup.h"
#include "gen/stages/artifact/artifact.h"
#include "gen/stages/bound/bound.h"
#include "gen/stages/concrete/concrete.h"
#include "gen/stages/fusion/fusion.h"
#include "gen/stages/program/program.h"
#include "gen/versions.h"
#include "kv/kv.h"
#include "tests/fuzz/fuzz.h"

/* What decodes has these very bytes; whether it holds is ir_check's to say. */
void
fz_cbor(const uint8_t *p, size_t n)
{
	static const struct ir_type *const root[] = { &Program_type,
		&Bound_type, &Fusion_type, &Concrete_type, &Artifact_type };
	const struct ir_type *type;
	struct buf again = { 0 };
	struct fuzz f;
	void *value;

	if (n == 0)
		return;
	type = root[p[0] % 5];
	fuzz_begin(&f);
	value = ir_decode(type, p + 1, n - 1, &f.arena, &f.diag);
	if (value) {
		ir_encode(type, value, &again);
		fuzz_same("cbor", (struct str){ (const char *)p + 1, n - 1 },
		    buf_str(&again));
		if (!ir_check(type, value, &f.diag)) {
			ir_print(type, value, &again);
			ir_core_digest(type, value);
		}
		buf_release(&again);
		diag_release(&f.diag);
	}
	fuzz_end(&f, !value);
}

static void
kvs_once(const uint8_t *p, size_t n)
{
	struct kvs_row *rows;
	struct fuzz f;
	size_t nrows;

	fuzz_begin(&f);
	fuzz_end(&f, kvs_read(fuzz_file(p, n), &f.arena, &rows, &nrows,
	    &f.diag));
}

/* As they are, then with the digest that they should have. */
void
fz_kvs(const uint8_t *p, size_t n)
{
	struct arena a = { 0 };
	uint8_t *copy = arena_alloc(&a, n + SHA256_LEN);

	kvs_once(p, n);
	if (n)
		memcpy(copy, p, n);
	sha256_of(copy, n, copy + n);
	kvs_once(copy, n + SHA256_LEN);
	arena_release(&a);
}

/* Taken lines can be written and read again. */
void
fz_versions(const uint8_t *p, size_t n)
{
	struct buf once = { 0 }, twice = { 0 };
	struct versions v;
	struct fuzz f;
	int bad;

	fuzz_begin(&f);
	versions_init(&v, &f.arena);
	bad = versions_read(&v, fuzz_file(p, n), &f.diag);
	if (!bad) {
		versions_encode(&v, &once);
		versions_init(&v, &f.arena);
		if (versions_read(&v, fuzz_file((const uint8_t *)once.p,
		    once.n), &f.diag))
			BUG("what versions_encode writes is refused");
		versions_encode(&v, &twice);
		fuzz_same("versions", buf_str(&once), buf_str(&twice));
	}
	buf_release(&once);
	buf_release(&twice);
	fuzz_end(&f, bad);
}

void
fz_authors(const uint8_t *p, size_t n)
{
	struct policy policy;
	struct fuzz f;

	fuzz_begin(&f);
	fuzz_end(&f, policy_read(&policy, &f.arena, fuzz_file(p, n),
	    &f.diag));
}

/* What is taken is a function in kvlang; what its ops are, only ops.def says. */
void
fz_request(const uint8_t *p, size_t n)
{
	struct space *empty = space_new();
	struct buf text = { 0 };
	struct request r;
	struct fuzz f;
	int bad;

	fuzz_begin(&f);
	bad = request_read(&r, "request", (struct str){ (const char *)p, n },
	    &f.arena, &f.diag) ||
	    request_source(&r, empty, &f.arena, &text, &f.diag);
	if (!bad)
		kv_parse(&f.arena, "request.kv", buf_str(&text), &f.diag);
	buf_release(&text);
	space_free(empty);
	fuzz_end(&f, bad || f.diag.errors);
}

void
fz_kvaot_conf(const uint8_t *p, size_t n)
{
	struct setup s;
	struct fuzz f;

	fuzz_begin(&f);
	fuzz_end(&f, setup_parse(&s, "build", "kvaot.conf",
	    (struct str){ (const char *)p, n }, &f.arena, &f.diag));
}

/* The match line, then the text with a line for `table` and, in each of two
 * phases, one for `body`. */
void
fz_template(const uint8_t *p, size_t n)
{
	struct template t = { .name = "fuzz", .path = "fuzz.c",
		.text = { (const char *)p, n } };
	struct buf c = { 0 }, map = { 0 };
	struct filling fill;
	struct fuzz f;
	int bad;

	fuzz_begin(&f);
	bad = template_parse(&t, &f.diag);
	if (!bad) {
		filling_init(&fill, &f.arena, "phase", 2);
		for (int phase = -1; phase < 2; phase++)
			lines_add(filling_region(&fill, phase < 0 ? "table" :
			    "body", phase), no_loc, "int x;");
		bad = template_expand(&t, &fill, &c, &map, &f.diag);
	}
	buf_release(&c);
	buf_release(&map);
	fuzz_end(&f, bad);
}
