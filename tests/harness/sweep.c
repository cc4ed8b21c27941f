/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/isa.h"
#include "runtime/library.h"
#include "runtime/load.h"
#include "tests/harness/refs.h"
#include "tests/harness/sweep.h"

static const char help[] =
"usage: sweep --lib DIR --ref DIR [options] [OP...]\n"
"\n"
"Runs each op of one float32 (or these ops) on all 2^32 inputs and prints the\n"
"largest error against a correctly rounded result, as a table in Markdown.\n"
"Refused: an error above the bound of ops/, another class (NaN, infinite, sign)\n"
"than the true result's, a NaN that is not the canonical one, instruction set\n"
"levels that differ; levels below the best of this CPU get a sixteenth of all\n"
"inputs.\n"
"\n"
"  --lib DIR    a published library\n"
"  --ref DIR    the objects of kernels/ref\n"
"  --every N    only every Nth input, and all near powers of two\n"
"  --at X[,X]…  these inputs too\n"
"  --threads N  share the work [2]\n";

enum { NEAR = 32, MOST_AT = 1000 };

struct options {
	const char *lib, *ref, *at;
	unsigned long long every, threads;
	char **op;
	int nop;
};

/* Adds the inputs around the one with these bits, denormals and zeros of the
 * other sign too. */
static uint32_t *
add_near(uint32_t *p, uint32_t bits)
{
	for (uint32_t k = 0; k < 2 * NEAR; k++)
		*p++ = bits - NEAR + k;
	return p;
}

/* Numbers near the powers of two, the denormal ones included, and the infinities
 * and NaNs that follow the largest. */
static uint32_t *
add_powers(uint32_t *p)
{
	for (uint32_t sign = 0; sign < 2; sign++) {
		for (uint32_t e = 0; e < 256; e++)
			p = add_near(p, sign << 31 | e << 23);
		for (uint32_t k = 0; k < 23; k++)
			p = add_near(p, sign << 31 | 1u << k);
	}
	return p;
}

/* Adds the numbers of a list. */
static uint32_t *
add_listed(uint32_t *p, const char *text)
{
	for (int n = 0; text && n < MOST_AT; n++) {
		char *end;
		float f = strtof(text, &end);

		if (end == text || (*end && *end != ','))
			usage_error("--at: expected numbers, found %s", text);
		memcpy(p++, &f, sizeof f);
		text = *end ? end + 1 : NULL;
	}
	if (text)
		usage_error("--at: more than %d numbers", (int)MOST_AT);
	return p;
}

static bool
is_asked(const struct options *o, const struct op *op)
{
	for (int i = 0; i < o->nop; i++)
		if (strcmp(o->op[i], op->name) == 0)
			return true;
	return o->nop == 0;
}

/* The back ends of miaobyte for float32, one a level, highest first. */
static void
find_levels(struct sweep *s, const struct library *l)
{
	struct diag d;

	diag_init(&d);
	for (size_t k = isa_count; k-- > 0;)
		for (size_t i = 0; i < l->manifest.n; i++) {
			const struct manifest_row *m = &l->manifest.row[i];
			const struct object *o;

			if (op_find(m->opcode) != s->op || m->version != 0 ||
			    m->dtype != DT_FLOAT32 ||
			    strcmp(m->author, "miaobyte") != 0 ||
			    strcmp(m->isa, isa_table[k].name) != 0 ||
			    !isa_runs_here(&isa_table[k]) ||
			    s->nlevel == SWEEP_LEVELS)
				continue;
			o = object_get(l->dir, m->object, &d);
			s->level[s->nlevel] =
			    o ? object_entry(o, m->entry, &d) : NULL;
			if (!s->level[s->nlevel++]) {
				diag_print(&d, stderr, 0);
				fatal("%s cannot be loaded", m->opcode);
			}
		}
	diag_release(&d);
}

/* Prints the op's line; whether all is well. */
static bool
say(const struct sweep *s, const struct sweep_result *r)
{
	bool absolute = strcmp(s->op->tolerance, "ABS") == 0;
	float at;

	memcpy(&at, &r->at, sizeof at);
	printf(absolute ? "| %s | %s | %.2e | " : "| %s | %s | %.4f ulp | ",
	    s->op->name, s->op->tolerance, r->error);
	if (r->other)
		printf("%a | %.3f %% |\n", (double)at,
		    100.0 * (double)r->other / (double)r->count);
	else
		printf("- | 0 |\n");
	if (r->wrong) {
		memcpy(&at, &r->wrong_at, sizeof at);
		fprintf(stderr, "sweep: %s: %s at %a (bits %08x)\n",
		    s->op->name, r->wrong, (double)at, (unsigned)r->wrong_at);
	}
	fflush(stdout);
	return !r->wrong;
}

static bool
is_swept(const struct options *o, const struct op *op)
{
	return op->cls == OP_MAP && op->nin == 1 && is_asked(o, op);
}

static int
sweep_all(const struct options *o, const struct library *l,
    const struct refs *refs, const struct sweep_inputs *in)
{
	int done = 0, failed = 0;

	printf("| op | bound | largest error | at | not correctly rounded |\n"
	    "|---|---|---|---|---|\n");
	for (size_t i = 0; i < op_count; i++) {
		struct sweep s = { .op = &op_table[i] };
		struct sweep_result r;

		if (!is_swept(o, s.op))
			continue;
		find_levels(&s, l);
		s.ref = refs_find(refs, s.op, DT_FLOAT64, DT_NONE);
		if (s.nlevel == 0 ||
		    op_out_dtype(s.op, 0, DT_FLOAT32, DT_NONE) != DT_FLOAT32)
			continue;
		if (!s.ref)
			fatal("%s has no reference kernel", s.op->name);
		r = sweep_run(&s, in);
		failed += !say(&s, &r);
		done++;
	}
	if (done < (o->nop ? o->nop : 1)) {
		fprintf(stderr, "sweep: an op that was asked for is not there\n");
		return EXIT_REFUSED;
	}
	return failed ? EXIT_REFUSED : EXIT_OK;
}

static int
sweep(const struct options *o)
{
	static uint32_t listed[2 * (256 + 23) * 2 * NEAR + MOST_AT];
	struct sweep_inputs in = { .listed = listed,
		.every = (uint32_t)o->every, .threads = (int)o->threads };
	uint32_t *end = add_listed(listed, o->at);
	struct refs refs = { 0 };
	struct library l;
	struct diag d;
	int rc = EXIT_REFUSED;

	if (in.every > 1)
		end = add_powers(end);
	in.nlisted = (size_t)(end - listed);
	refs_load(&refs, o->ref);
	diag_init(&d);
	if (library_open(&l, o->lib, &d)) {
		diag_print(&d, stderr, 0);
	} else {
		rc = sweep_all(o, &l, &refs, &in);
		library_close(&l);
	}
	diag_release(&d);
	refs_release(&refs);
	return rc;
}

static void
take_option(struct options *o, const char *name, const char *value)
{
	if (!value)
		usage_error("%s: expected a value, found no more", name);
	if (strcmp(name, "--lib") == 0)
		o->lib = value;
	else if (strcmp(name, "--ref") == 0)
		o->ref = value;
	else if (strcmp(name, "--at") == 0)
		o->at = value;
	else if (strcmp(name, "--every") == 0) {
		if (!str_u64(str_of(value), &o->every) || o->every == 0 ||
		    o->every > UINT32_MAX)
			usage_error("--every: expected a number from 1 to "
			    "2^32 - 1, found %s", value);
	} else if (strcmp(name, "--threads") == 0) {
		if (!str_u64(str_of(value), &o->threads) || o->threads == 0 ||
		    o->threads > 16)
			usage_error("--threads: expected 1 to 16, found %s",
			    value);
	} else {
		usage_error("unknown option %s", name);
	}
}

int
main(int argc, char **argv)
{
	struct options o = { .every = 1, .threads = 2 };
	int i;

	fatal_program("sweep");
	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		fputs(help, stdout);
		return EXIT_OK;
	}
	for (i = 1; i < argc && argv[i][0] == '-'; i += 2)
		take_option(&o, argv[i], argv[i + 1]);
	o.op = argv + i;
	o.nop = argc - i;
	if (!o.lib || !o.ref)
		usage_error("expected --lib DIR and --ref DIR");
	return sweep(&o);
}
