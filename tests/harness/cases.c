/* SPDX-License-Identifier: MIT */
/*
 * The calls that checkk makes, from what ops.def says of the op: every size with
 * all kinds of data, every offset of every operand, each edge with each other
 * one, random shapes and attributes.
 */
#include "tests/harness/harness.h"

#include <string.h>

#include "base/fatal.h"
#include "kv/kv.h"
#include "tests/harness/wanted.h"

enum { RANDOM_CASES = 400, GRIDS = 60 };

/* 0 to 70, 127 to 129 and 1000. */
enum { NSIZES = 75 };

static int
size_of(int i)
{
	static const int more[] = { 127, 128, 129, 1000 };

	return i <= 70 ? i : more[i - 71];
}

/* Sums of huge numbers overflow by their order, which no tolerance covers. */
static int
kinds(const struct row *r)
{
	return compare_needs_sums(r) ? EDGES : KINDS;
}

/* Whether the next case is one to run; if so its random numbers begin. */
static bool
case_begins(struct row *r, struct call *c)
{
	static const double base[] = { 0, 0, 1000, -3e5, 0x1p20, 3e7 };
	long number = r->number++;
	uint64_t mixed = data_mix(r->seed + (uint64_t)number);

	if (r->counting || (r->only >= 0 ? number != r->only :
	    (long)(mixed % (uint64_t)r->total) >= r->limit))
		return false;
	r->random = mixed;
	arena_release(&r->arena);
	memset(c, 0, sizeof *c);
	c->kind = data_below(r, kinds(r));
	c->base = base[data_below(r, sizeof base / sizeof *base)];
	for (int i = 0; i <= MAX_IN; i++)
		c->offset[i] = -1;
	return true;
}

/* The value of an attribute, of one of the dtypes that it may have. */
static void
set_attr(struct row *r, struct call *c, int i, const struct attr *a)
{
	static const enum dtype types[] = { DT_INT64, DT_INT32, DT_INT64,
		DT_BOOL };
	struct shape s = { .rank = a->vector, .dim = { a->n } };

	for (int k = data_below(r, 2); k < 4; k++) {
		void *body = arena_alloc(&r->arena, sizeof a->v);
		bool flag = types[k] == DT_BOOL;
		uint8_t bit = a->v[0] != 0;

		if (dtype_convert(types[k], body, flag ? DT_BOOL : DT_INT64,
		    flag ? (void *)&bit : (void *)(uintptr_t)a->v,
		    (size_t)a->n))
			BUG("an attribute is not converted");
		c->read[i] = value_tensor(&r->arena, types[k], &s, body);
		if (kv_langtype_match(str_of(op_langtype(r->op, i)),
		    &c->read[i]))
			return;
	}
	row_fail(r, "checkk has no value for an attribute of type %s",
	    op_langtype(r->op, i));
}

/* The name of a dtype as a string. */
static struct value
name_of(enum dtype t, struct arena *a)
{
	size_t n = strlen(dtype_name(t));

	return value_text(arena_printf(a, "[%zu]char/utf8", n), dtype_name(t),
	    n);
}

/* Makes the values and binds the call as the runtime does. False when it refuses
 * inputs without elements. */
static bool
make_call(struct row *r, struct call *c, struct wanted *w)
{
	const struct value *in[OP_MAX_PARAMS];
	struct lib_op one = { r->m->opcode, &r->spec, 1 };
	struct bind_call b = { .op = &one, .in = in, .nin = r->op->nin,
		.nout = r->op->nout };
	char why[BIND_WHY];
	bool empty = false;

	for (int i = 0; i < r->op->nin; i++) {
		struct attr *a = &w->attr[i];

		in[i] = &c->read[i];
		if (!op_is_attr(r->op, i)) {
			c->read[i] = value_tensor(&r->arena, row_dtype(r, i),
			    &w->shape[i], NULL);
			empty |= shape_count(&w->shape[i], 1) == 0;
			continue;
		}
		if (i == op_naming(r->op)) {
			c->read[i] = name_of(r->odtype, &r->arena);
			continue;
		}
		if (!a->set && !strstr(op_langtype(r->op, i), "[]")) {
			a->n = 1;
			a->v[0] = strcmp(op_langtype(r->op, i), "bool") ?
			    data_below(r, 2000) - 10 : data_below(r, 2);
		}
		set_attr(r, c, i, a);
	}
	if (bind_rwir(&b, r->spec.isa_rank, &c->b, why) == 0)
		return true;
	if (!empty)
		row_fail(r, "case %ld is refused: %s", r->number - 1, why);
	return false;
}

static void
run_case(struct row *r, struct call *c, struct wanted *w)
{
	if (make_call(r, c, w))
		place_case(r, c);
}

static void
run_sizes(struct row *r)
{
	/* Of reductions and products each way has random data. */
	bool all = r->op->cls == OP_MAP || r->op->cls == OP_VIEW;
	int n = all ? KINDS : 1;
	struct call c;

	for (int i = 0; i < NSIZES; i++)
		for (int way = 0; way < want_ways(r->op); way++)
			for (int kind = 0; kind < n; kind++) {
				struct wanted w = { 0 };

				if (!case_begins(r, &c))
					continue;
				if (all)
					c.kind = kind;
				want_size(r, &w, size_of(i), way);
				run_case(r, &c, &w);
			}
}

static void
run_offsets(struct row *r)
{
	static const int sizes[] = { 1, 7, 8, 9, 31, 33, 64, 67, 200 };
	struct call c;

	for (int k = 0; k <= r->e->nin; k++)
		for (int o = 0; o < OFFSETS; o++)
			for (int i = 0; i < 9; i++) {
				struct wanted w = { 0 };

				if (!case_begins(r, &c))
					continue;
				c.offset[k] = o;
				want_size(r, &w, sizes[i], 0);
				run_case(r, &c, &w);
			}
}

/* Each edge of the domain with each other one; numbers have any of them. */
static void
run_grids(struct row *r)
{
	struct call c;
	int tensors = want_ways(r->op) - 1;

	if (r->op->shape_rule != OP_SHAPE_BROADCAST)
		return;
	for (int i = 0; i < (r->e->nin > tensors ? GRIDS : 1); i++) {
		struct wanted w = { 0 };

		if (!case_begins(r, &c))
			continue;
		c.kind = GRID;
		want_same(r, &w, (struct shape){ 1, { data_grid(r, tensors) } },
		    -1);
		run_case(r, &c, &w);
	}
}

/* Ends of the blocks that reductions work in. */
static void
run_long(struct row *r)
{
	static const struct shape shapes[] = {
		{ 3, { 1, 2047, 1 } }, { 3, { 2, 2048, 1 } },
		{ 3, { 3, 2049, 3 } }, { 3, { 1, 4096, 2 } },
		{ 3, { 1, 4097, 1 } }, { 3, { 1, 6145, 2 } },
		{ 3, { 2, 8192, 1 } }, { 3, { 1, 20000, 1 } },
		{ 3, { 2, 3, 511 } }, { 3, { 1, 5, 512 } },
		{ 3, { 1, 2, 513 } }, { 3, { 2, 2, 1030 } },
		{ 3, { 1030, 2, 1 } }, { 3, { 70, 3, 1 } },
	};
	struct call c;

	if (r->op->shape_rule != OP_SHAPE_REDUCE)
		return;
	for (size_t i = 0; i < 3 * sizeof shapes / sizeof *shapes; i++) {
		struct wanted w = { .shape = { shapes[i / 3] } };

		if (!case_begins(r, &c))
			continue;
		want_axis(r, &w, 1);
		run_case(r, &c, &w);
	}
}

/* Ends of the blocks that products work in: m, k, n. */
static void
run_products(struct row *r)
{
	static const int64_t shapes[][3] = {
		{ 1, 1030, 1 }, { 1, 9, 1025 }, { 4, 17, 515 }, { 5, 17, 515 },
		{ 17, 1, 17 }, { 17, 511, 33 }, { 18, 512, 32 }, { 19, 513, 31 },
		{ 28, 257, 16 }, { 29, 1025, 40 }, { 42, 100, 64 },
		{ 43, 129, 129 }, { 57, 64, 255 }, { 127, 33, 257 },
		{ 130, 20, 513 }, { 200, 70, 1 }, { 129, 2, 1030 },
	};
	struct call c;

	if (!want_is_product(r->op))
		return;
	for (size_t i = 0; i < 3 * sizeof shapes / sizeof *shapes; i++) {
		const int64_t *s = shapes[i / 3];
		struct wanted w = { .shape = { { 2, { s[0], s[1] } },
			{ 2, { s[1], s[2] } } } };

		if (!case_begins(r, &c))
			continue;
		want_turned(r, &w);
		run_case(r, &c, &w);
	}
}

static void
run_all(struct row *r)
{
	struct call c;

	r->number = 0;
	run_sizes(r);
	run_offsets(r);
	run_grids(r);
	run_long(r);
	run_products(r);
	for (int i = 0; i < RANDOM_CASES; i++) {
		struct wanted w = { 0 };

		if (!case_begins(r, &c))
			continue;
		want_random(r, &w);
		run_case(r, &c, &w);
	}
}

void
cases_run(struct row *r)
{
	r->counting = true;
	run_all(r);
	r->total = r->number;
	r->counting = false;
	run_all(r);
}

void
cases_one(struct row *r, struct call *c, int64_t n)
{
	struct wanted w = { 0 };

	r->number = 0;
	r->total = r->limit = 1;
	r->only = -1;
	if (!case_begins(r, c))
		BUG("a case is not chosen");
	c->kind = UNIFORM;
	want_about(r, &w, n);
	if (!make_call(r, c, &w))
		BUG("a call is refused");
}
