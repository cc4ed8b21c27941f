/* SPDX-License-Identifier: MIT */
#include "tests/bytes/bytes.h"

#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

#include "base/fatal.h"

enum { SHOWN = 32 };

void
side_open(struct side *s, const char *lib, const char *isa, int threads,
    bool base, bool strict)
{
	struct runtime_options opt = { .lib = lib, .isa = isa,
		.threads = threads, .base = base, .strict = strict,
		.trace = true };
	struct diag d;

	memset(s, 0, sizeof(*s));
	s->mxcsr = MXCSR_USUAL;
	snprintf(s->name, sizeof(s->name), "%s, %s, %d threads%s",
	    base ? "base" : "fused", isa ? isa : "best isa", threads,
	    strict ? ", strict" : "");
	opt.out = s->out = open_memstream(&s->out_text, &s->out_n);
	opt.err = s->err = open_memstream(&s->err_text, &s->err_n);
	if (!opt.out || !opt.err)
		fatal("out of memory");
	diag_init(&d);
	s->rt = runtime_open(&opt, &d);
	if (!s->rt) {
		diag_print(&d, stderr, 0);
		fatal("cannot open the library %s", lib);
	}
	diag_release(&d);
}

void
side_close(struct side *s)
{
	if (!s->rt)
		return;
	runtime_close(s->rt);
	fclose(s->out);
	fclose(s->err);
	free(s->out_text);
	free(s->err_text);
}

static int
count_writes(struct side *s, const char *name, struct diag *d)
{
	struct runtime_signature sig;

	if (runtime_signature(s->rt, name, &sig, d) || sig.nwrite > OUT_MAX) {
		diag_print(d, stderr, 0);
		fatal("the library has no usable function %s", name);
	}
	return sig.nwrite;
}

void
outcome_call(struct outcome *o, struct side *s, const char *name,
    const struct value *in, int nin)
{
	struct diag d;
	int i;

	memset(o, 0, sizeof(*o));
	diag_init(&d);
	o->side = s;
	o->given = in;
	o->nin = nin;
	o->nout = count_writes(s, name, &d);
	for (i = 0; i < nin; i++) {
		o->in[i] = runtime_value(s->rt, &in[i]);
		if (!o->in[i])
			fatal("out of memory");
	}
	rewind(s->out);
	rewind(s->err);
	_mm_setcsr(s->mxcsr);
	o->rc = runtime_call(s->rt, name, o->in, nin, o->out, o->nout, &d);
	o->mxcsr = _mm_getcsr();
	_mm_setcsr(MXCSR_USUAL);
	if (fflush(s->out) || fflush(s->err))
		fatal("out of memory");
	diag_first(&d, o->error, sizeof(o->error));
	diag_release(&d);
}

void
outcome_release(struct outcome *o)
{
	int i;

	for (i = 0; i < o->nin; i++)
		runtime_release(o->side->rt, o->in[i]);
	for (i = 0; i < o->nout; i++)
		runtime_release(o->side->rt, o->out[i]);
}

void
value_type_text(const struct value *v, char *out)
{
	char dims[200];

	shape_text(&v->shape, dims);
	snprintf(out, 240, "%s %s", dtype_name(v->dtype), dims);
}

static void
print_element(const struct value *v, size_t i)
{
	size_t size = dtype_size(v->dtype);
	char hex[2 * 8 + 1];
	unsigned char big[8];
	size_t k;

	for (k = 0; k < size; k++)
		big[k] = ((const unsigned char *)v->body)
		    [(i + 1) * size - 1 - k];
	hex_encode(hex, big, size);
	printf("0x%s", hex);
}

/* The first differing index, or -1. */
static int64_t
first_difference(const struct value *a, const struct value *b)
{
	size_t size = dtype_size(a->dtype), i, n = a->n / size;

	for (i = 0; i < n; i++) {
		if (memcmp((const char *)a->body + i * size,
		    (const char *)b->body + i * size, size) != 0)
			return (int64_t)i;
	}
	return -1;
}

/* What differs between two values, in words on stdout; 0 for nothing. */
static int
compare_values(const struct value *is, const struct value *want)
{
	char a[240], b[240];
	int64_t at;

	if (!is || !want) {
		if (is != want)
			printf("%s is None", is ? "the reference" : "it");
		return is == want ? 0 : -1;
	}
	if (is->dtype != want->dtype || !shape_eq(&is->shape, &want->shape)) {
		value_type_text(is, a);
		value_type_text(want, b);
		printf("type %s instead of %s", a, b);
		return -1;
	}
	at = first_difference(is, want);
	if (at < 0)
		return 0;
	value_type_text(is, a);
	printf("%s index %lld: ", a, (long long)at);
	print_element(is, (size_t)at);
	printf(" instead of ");
	print_element(want, (size_t)at);
	return -1;
}

static int
compare_texts(const struct side *is, const struct side *want)
{
	size_t i, n = is->out_n < want->out_n ? is->out_n : want->out_n;

	for (i = 0; i < n && is->out_text[i] == want->out_text[i]; i++)
		;
	if (i == is->out_n && i == want->out_n)
		return 0;
	printf("printed text differs at byte %zu: `%.40s` instead of "
	    "`%.40s`", i, is->out_text + i, want->out_text + i);
	return -1;
}

/* What differs, in words on stdout. */
static int
compare(const struct outcome *is, const struct outcome *want)
{
	int i;

	if (is->mxcsr != is->side->mxcsr) {
		printf("MXCSR was 0x%x and is 0x%x", is->side->mxcsr,
		    is->mxcsr);
		return -1;
	}
	for (i = 0; i < is->nin; i++) {
		if (compare_values(runtime_body(is->in[i]), &is->given[i])) {
			printf(" (input %d was changed)", i);
			return -1;
		}
	}
	if (is->rc != want->rc) {
		printf("%s; the reference: %s", is->rc ? is->error : "runs",
		    want->rc ? want->error : "runs");
		return -1;
	}
	if (is->rc)
		return 0;
	for (i = 0; i < is->nout; i++) {
		if (compare_values(runtime_body(is->out[i]),
		    runtime_body(want->out[i]))) {
			printf(" (output %d)", i);
			return -1;
		}
	}
	return compare_texts(is->side, want->side);
}

/* The elements of small inputs, so that a case can be made by hand. */
static void
print_inputs(const struct outcome *o)
{
	char type[240];
	size_t k, n;
	int i;

	for (i = 0; i < o->nin; i++) {
		value_type_text(&o->given[i], type);
		printf("    input %d: %s", i, type);
		n = o->given[i].n / dtype_size(o->given[i].dtype);
		for (k = 0; k < n && n <= SHOWN; k++) {
			putchar(' ');
			print_element(&o->given[i], k);
		}
		putchar('\n');
	}
}

int
outcome_compare(const struct outcome *is, const struct outcome *want,
    const char *what)
{
	if (!compare(is, want))
		return 0;
	printf("\n    in %s\n    [%s] against [%s]\n", what, is->side->name,
	    want->side->name);
	print_inputs(is);
	return -1;
}

void
tally_add(struct tally *t, bool good)
{
	t->passed += good;
	t->failed += !good;
}
