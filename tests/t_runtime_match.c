/* SPDX-License-Identifier: MIT */
/* Patterns, guards, output dims and the table `dim`, by hand. */
#include <check.h>
#include <string.h>

#include "include/kvk.h"
#include "runtime/dims.h"
#include "runtime/match.h"

Suite *runtime_match_suite(void);

static struct arena arena;

#define SHAPE(...) ((struct shape){ (int)(sizeof((int64_t[]){ __VA_ARGS__ }) \
    / sizeof(int64_t)), { __VA_ARGS__ } })
#define SCALAR ((struct shape){ 0, { 0 } })

static int
parse(struct rowspec *r, const char *pattern, const char *guard,
    const char *outdims, char *why)
{
	struct manifest_row *m = arena_alloc(&arena, sizeof(*m));

	*m = (struct manifest_row){ .opcode = "op", .pattern = pattern,
		.guard = guard, .cls = "rows", .isa = "x86-64",
		.outdims = outdims };
	return match_parse(&arena, m, r, why);
}

static bool
fits1(const char *pattern, struct shape s)
{
	struct value v = { .dtype = DT_FLOAT32, .shape = s };
	const struct value *in[] = { &v };
	struct rowspec r;
	char why[MATCH_WHY];

	ck_assert_msg(!parse(&r, pattern, "", "=0", why), "%s", why);
	return !match_shapes(&r, in, 1, why);
}

static bool
fits2(const char *pattern, struct shape a, struct shape b)
{
	struct value v = { .shape = a }, w = { .shape = b };
	const struct value *in[] = { &v, &w };
	struct rowspec r;
	char why[MATCH_WHY];

	ck_assert_msg(!parse(&r, pattern, "", "=0", why), "%s", why);
	return !match_shapes(&r, in, 2, why);
}

START_TEST(pattern__one_operand)
{
	ck_assert(fits1("*xn", SHAPE(5)));
	ck_assert(fits1("*xn", SHAPE(2, 3, 5)));
	ck_assert(!fits1("*xn", SCALAR));
	ck_assert(fits1("*", SCALAR));
	ck_assert(fits1("*", SHAPE(1, 2, 3)));
	ck_assert(fits1("()", SCALAR));
	ck_assert(!fits1("()", SHAPE(1)));
	ck_assert(fits1("?x?", SHAPE(4, 9)));
	ck_assert(!fits1("?x?", SHAPE(4)));
	ck_assert(!fits1("?x?", SHAPE(4, 9, 1)));
	ck_assert(fits1("64x1024", SHAPE(64, 1024)));
	ck_assert(!fits1("64x1024", SHAPE(64, 1023)));
	ck_assert(fits1("nxn", SHAPE(3, 3)));
	ck_assert(!fits1("nxn", SHAPE(3, 4)));
	ck_assert(fits1("*x1", SHAPE(7, 1)));
	ck_assert(!fits1("*x1", SHAPE(7, 2)));
	ck_assert(fits1("0", SHAPE(0)));
}
END_TEST

START_TEST(pattern__names_hold_across_operands)
{
	ck_assert(fits2("*xn,*xn", SHAPE(2, 5), SHAPE(5)));
	ck_assert(!fits2("*xn,*xn", SHAPE(2, 5), SHAPE(4)));
	ck_assert(fits2("mxn,nxm", SHAPE(2, 5), SHAPE(5, 2)));
	ck_assert(!fits2("mxn,nxm", SHAPE(2, 5), SHAPE(2, 5)));
	ck_assert(!fits2("*xn", SHAPE(2, 5), SHAPE(5)));
}
END_TEST

START_TEST(parse__malformed_columns)
{
	static const char *const pattern[] = { "nx*", "x", "-3", "n,", "2xx3",
		"03", "(", "n n", "1x1x1x1x1x1x1x1x1", "n:", "n:real",
		":bool", "n:bool:bool" };
	static const char *const guard[] = { "axis", "==1", "axis==", "a==b",
		"same(A)", "same(A,B,C)", "axis==1&", "shape==dims()",
		"dtype==int", "==int32" };
	static const char *const outdims[] = { "=1", "=", "bc()", "bc(0,1)",
		"keep", "q(0)", "2x", "", "=0,=0,=0,=0,=0", "=0:", "=0:any",
		":bool" };
	struct rowspec r;
	char why[MATCH_WHY];
	size_t i;

	for (i = 0; i < sizeof(pattern) / sizeof(*pattern); i++)
		ck_assert_msg(parse(&r, pattern[i], "", "=0", why) &&
		    strstr(why, "pattern"), "%s", pattern[i]);
	for (i = 0; i < sizeof(guard) / sizeof(*guard); i++)
		ck_assert_msg(parse(&r, "n", guard[i], "=0", why) &&
		    strstr(why, "guard"), "%s", guard[i]);
	for (i = 0; i < sizeof(outdims) / sizeof(*outdims); i++)
		ck_assert_msg(parse(&r, "n", "", outdims[i], why) &&
		    strstr(why, "outdims"), "%s", outdims[i]);
}
END_TEST

START_TEST(pattern__dtypes)
{
	struct rowspec r;
	char why[MATCH_WHY];

	ck_assert(!parse(&r, "*xn:bool,*xn,():int64", "",
	    "bc(0,1):uint8,=1", why));
	((struct manifest_row *)r.m)->dtype = DT_FLOAT32;
	ck_assert_int_eq(match_in_dtype(&r, 0), DT_BOOL);
	ck_assert_int_eq(match_in_dtype(&r, 1), DT_FLOAT32);
	ck_assert_int_eq(match_in_dtype(&r, 2), DT_INT64);
	ck_assert_int_eq(match_out_dtype(&r, 0), DT_UINT8);
	ck_assert_int_eq(match_out_dtype(&r, 1), DT_FLOAT32);
	ck_assert_int_eq(match_named(&r), DT_NONE);
	ck_assert_int_eq(r.in[0].n, 2);
	ck_assert_int_eq(r.in[2].n, 0);
	ck_assert(!parse(&r, "n", "dtype==uint8", "=0", why));
	ck_assert_int_eq(match_named(&r), DT_UINT8);
}
END_TEST

START_TEST(order__special_first)
{
	struct rowspec ints, names, any;
	char why[MATCH_WHY];

	parse(&ints, "64x128", "", "=0", why);
	parse(&names, "mxn", "", "=0", why);
	parse(&any, "?x?", "", "=0", why);
	ck_assert_int_lt(match_order(&ints, &names), 0);
	ck_assert_int_lt(match_order(&names, &any), 0);
	ck_assert_int_gt(match_order(&any, &ints), 0);
	names = any;
	names.isa_rank = 30;
	ck_assert_int_lt(match_order(&names, &any), 0);
	ck_assert_int_eq(match_order(&any, &any), 0);
}
END_TEST

static void
expect_out(const char *outdims, struct shape a, struct shape b,
    struct shape want)
{
	struct value v = { .shape = a }, w = { .shape = b };
	const struct value *in[] = { &v, &w };
	struct shape out[MATCH_OUTS];
	struct rowspec r;
	char why[MATCH_WHY];

	ck_assert_msg(!parse(&r, "*,*", "", outdims, why), "%s", why);
	ck_assert_msg(!match_outdims(&r, in, -1, out, why), "%s", why);
	ck_assert_msg(shape_eq(&out[0], &want), "%s", outdims);
}

START_TEST(outdims__forms)
{
	expect_out("=1", SHAPE(2, 3), SHAPE(4), SHAPE(4));
	expect_out("bc(0,1)", SHAPE(2, 1), SHAPE(3), SHAPE(2, 3));
	expect_out("bc(0,1)", SHAPE(0), SHAPE(1), SHAPE(0));
	expect_out("keep(0)", SHAPE(2, 3), SHAPE(4), SHAPE(2, 1));
	expect_out("keep(0,1)", SHAPE(2, 1), SHAPE(5, 1, 3), SHAPE(5, 2, 1));
	expect_out("drop(0)", SHAPE(2, 3), SHAPE(4), SHAPE(2));
	expect_out("drop(1)", SHAPE(2, 3), SHAPE(4), SHAPE(1));
	expect_out("5x2", SHAPE(2, 3), SHAPE(4), SHAPE(5, 2));
	expect_out("()", SHAPE(2, 3), SHAPE(4), SCALAR);
}
END_TEST

START_TEST(outdims__several_and_refused)
{
	struct value v = { .shape = SHAPE(2, 3) }, w = { .shape = SHAPE(4) };
	struct value s = { .shape = SCALAR };
	const struct value *in[] = { &v, &w }, *scalar[] = { &s };
	struct shape out[MATCH_OUTS];
	struct rowspec r;
	char why[MATCH_WHY];

	ck_assert(!parse(&r, "*,*", "", "=0,keep(1),drop(0)", why));
	ck_assert_int_eq(r.nout, 3);
	ck_assert(!match_outdims(&r, in, -1, out, why));
	ck_assert(shape_eq(&out[1], &SHAPE(1)));
	ck_assert(shape_eq(&out[2], &SHAPE(2)));
	ck_assert(!parse(&r, "*,*", "", "bc(0,1)", why));
	ck_assert(match_outdims(&r, in, -1, out, why));
	ck_assert(!parse(&r, "*", "", "keep(0)", why));
	ck_assert(match_outdims(&r, scalar, -1, out, why));
}
END_TEST

/* Variables of a calling function. */
static int64_t minus1 = -1, one = 1, dims23[] = { 2, 3 };
static int32_t one32[] = { 1 };
static uint8_t yes = 1;
static float pi = 3;
static const struct { const char *name; struct value v; } vars[] = {
	{ "axis", { .dtype = DT_INT64, .body = &minus1 } },
	{ "last", { .dtype = DT_INT64, .body = &one } },
	{ "vec", { .dtype = DT_INT32, .shape = { 1, { 1 } },
	    .body = one32 } },
	{ "two", { .dtype = DT_INT64, .shape = { 1, { 2 } },
	    .body = dims23 } },
	{ "keep", { .dtype = DT_BOOL, .body = &yes } },
	{ "pi", { .dtype = DT_FLOAT32, .body = &pi } },
	{ "name", { .langtype = "[4]char/utf8", .body = "int8", .n = 4 } },
	{ "unknown", { .dtype = DT_INT64 } },
	{ "A", { .dtype = DT_FLOAT32, .shape = { 2, { 2, 3 } } } },
	{ "B", { .dtype = DT_FLOAT32, .shape = { 2, { 2, 3 } } } },
	{ "C", { .dtype = DT_FLOAT32, .shape = { 2, { 3, 2 } } } },
};

static const struct value *
var(void *ctx, const char *name)
{
	size_t i;

	(void)ctx;
	for (i = 0; i < sizeof(vars) / sizeof(*vars); i++) {
		if (strcmp(vars[i].name, name) == 0)
			return &vars[i].v;
	}
	return NULL;
}

static bool
holds(const char *guard, int rank)
{
	struct rowspec r;
	char why[MATCH_WHY];

	ck_assert_msg(!parse(&r, "*", guard, "=0", why), "%s", guard);
	return !match_guards(&r, var, NULL, rank, why);
}

START_TEST(guard__terms)
{
	ck_assert(holds("", 2));
	ck_assert(holds("axis==-1", 2));
	ck_assert(holds("axis==-1", 5));
	ck_assert(holds("last==-1", 2));
	ck_assert(!holds("last==-1", 3));
	ck_assert(holds("axis==1", 2));
	ck_assert(holds("vec==-1", 2));
	ck_assert(!holds("vec==-1", 1));
	ck_assert(!holds("two==-1", 2));
	ck_assert(holds("keep==1", 2));
	ck_assert(holds("keep==true", 2));
	ck_assert(!holds("keep==false", 2));
	ck_assert(!holds("pi==3", 2));
	ck_assert(holds("name==int8", 2));
	ck_assert(!holds("name==int16", 2));
	ck_assert(!holds("axis==int64", 2));
	ck_assert(!holds("name==8", 2));
	ck_assert(!holds("unknown==0", 2));
	ck_assert(!holds("absent==0", 2));
	ck_assert(!holds("axis!=-1", 2));
	ck_assert(!holds("last!=-1", 2));
	ck_assert(holds("last!=-1", 3));
	ck_assert(holds("vec!=-1", 3));
	ck_assert(!holds("two!=-1", 5));
	ck_assert(!holds("keep!=-1", 5));
	ck_assert(!holds("absent!=-1", 5));
	ck_assert(holds("0!=-1", 2));
	ck_assert(!holds("0!=-1", 1));
	ck_assert(holds("-3!=-1", 3));
	ck_assert(!holds("-4!=-1", 3));
	ck_assert(!holds("3!=-1", 3));
	ck_assert(holds("two==dims(A)", 2));
	ck_assert(!holds("two==dims(C)", 2));
	ck_assert(!holds("axis==dims(A)", 2));
	ck_assert(!holds("two==dims(absent)", 2));
	ck_assert(holds("same(A,B)", 2));
	ck_assert(!holds("same(A,C)", 2));
	ck_assert(holds("axis==-1&same(A,B)&two==dims(B)", 2));
	ck_assert(!holds("axis==-1&same(A,C)", 2));
}
END_TEST

static void
expect_dim(const struct dims *d, const int64_t *want, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		ck_assert_msg(d->dim[i] == want[i], "dim[%zu] is %lld", i,
		    (long long)d->dim[i]);
}

#define DIM(d, ...) expect_dim(d, (int64_t[]){ __VA_ARGS__ }, \
    sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))

static int
map3(struct dims *d, struct shape space, struct shape a, struct shape b)
{
	const struct shape *op[] = { &a, &b, &space };

	return dims_map(d, &space, op, 3);
}

START_TEST(dims__map)
{
	struct dims d;

	/* All axes merge. */
	ck_assert(!map3(&d, SHAPE(2, 3, 5), SHAPE(2, 3, 5), SHAPE(2, 3, 5)));
	DIM(&d, 1, 1, 1, 30, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1);
	ck_assert_int_eq(d.nouter, 0);
	/* A row, then a column, then a scalar is repeated. */
	ck_assert(!map3(&d, SHAPE(4, 3), SHAPE(4, 3), SHAPE(3)));
	DIM(&d, 1, 1, 4, 3, 0, 0, 3, 1, 0, 0, 0, 1, 0, 0, 3, 1);
	ck_assert(!map3(&d, SHAPE(4, 3), SHAPE(4, 1), SHAPE(4, 3)));
	DIM(&d, 1, 1, 4, 3, 0, 0, 1, 0, 0, 0, 3, 1, 0, 0, 3, 1);
	ck_assert(!map3(&d, SHAPE(4, 3), SCALAR, SHAPE(4, 3)));
	DIM(&d, 1, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1);
	/* Axes of extent 1 vanish, the others merge across them. */
	ck_assert(!map3(&d, SHAPE(2, 1, 3), SHAPE(2, 1, 3), SHAPE(1, 1, 3)));
	DIM(&d, 1, 1, 2, 3, 0, 0, 3, 1, 0, 0, 0, 1, 0, 0, 3, 1);
	/* One element. */
	ck_assert(!map3(&d, SHAPE(1, 1), SHAPE(1), SCALAR));
	DIM(&d, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	ck_assert(map3(&d, SHAPE(4, 3), SHAPE(4, 2), SHAPE(3)));
	ck_assert(map3(&d, SHAPE(3), SHAPE(4, 3), SHAPE(3)));
}
END_TEST

START_TEST(dims__map_of_more_than_4_axes)
{
	struct dims d;

	/* 2x3x2x3x2x3 with every second axis repeated: nothing merges. */
	ck_assert(!map3(&d, SHAPE(2, 3, 2, 3, 2, 3),
	    SHAPE(2, 1, 2, 1, 2, 1), SHAPE(2, 3, 2, 3, 2, 3)));
	ck_assert_int_eq(d.nouter, 2);
	ck_assert_int_eq(d.outer[0], 2);
	ck_assert_int_eq(d.outer[1], 3);
	ck_assert_int_eq(d.step[0][0], 4);
	ck_assert_int_eq(d.step[0][1], 108);
	ck_assert_int_eq(d.step[1][0], 0);
	ck_assert_int_eq(d.step[1][1], 36);
	DIM(&d, 2, 3, 2, 3, 2, 0, 1, 0, 18, 6, 3, 1, 18, 6, 3, 1);
}
END_TEST

START_TEST(dims__flat)
{
	struct dims d;

	dims_flat(&d, 12, 2);
	DIM(&d, 1, 1, 1, 12, 0, 0, 0, 1, 0, 0, 0, 1);
}
END_TEST

static int
rows2(struct dims *d, struct shape space, struct shape a, bool along)
{
	const struct shape *op[] = { &space, &a };
	bool run[] = { true, along };

	return dims_rows(d, &space, op, run, 2);
}

START_TEST(dims__rows)
{
	struct dims d;

	ck_assert(!rows2(&d, SHAPE(2, 3, 5), SHAPE(2, 3, 5), true));
	DIM(&d, 6, 5, 5, 5);
	ck_assert_int_eq(d.n, 5);
	ck_assert(!rows2(&d, SHAPE(2, 3, 5), SHAPE(5), true));
	DIM(&d, 6, 5, 5, 0);
	ck_assert(!rows2(&d, SHAPE(2, 3, 5), SHAPE(1, 5), true));
	DIM(&d, 6, 5, 5, 0);
	ck_assert(!rows2(&d, SHAPE(2, 3, 5), SHAPE(2, 3, 1), false));
	DIM(&d, 6, 5, 5, 1);
	ck_assert(!rows2(&d, SHAPE(2, 3, 5), SCALAR, false));
	DIM(&d, 6, 5, 5, 0);
	ck_assert(!rows2(&d, SHAPE(2, 3, 5), SHAPE(1, 1), false));
	DIM(&d, 6, 5, 5, 0);
	/* Only one of the leading axes is repeated: no single step. */
	ck_assert(rows2(&d, SHAPE(2, 3, 5), SHAPE(3, 5), true));
	ck_assert(rows2(&d, SHAPE(2, 3, 5), SHAPE(2, 1, 5), true));
	ck_assert(rows2(&d, SHAPE(2, 3, 5), SHAPE(2, 3, 5), false));
	ck_assert(rows2(&d, SHAPE(2, 3, 5), SHAPE(2, 3, 1), true));
	/* An empty row is still a row. */
	ck_assert(!rows2(&d, SHAPE(4, 0), SHAPE(4, 1), false));
	DIM(&d, 4, 0, 0, 1);
}
END_TEST

/* A kernel of class cols: its axis, and the shapes of its results. */
START_TEST(outdims__along_an_axis)
{
	struct manifest_row m = { .opcode = "op", .pattern = "*",
		.guard = "vec!=-1&A==dims(A)", .cls = "cols", .isa = "x86-64",
		.outdims = "keep(0),drop(0)" };
	struct value v = { .shape = SHAPE(2, 3, 5) };
	const struct value *in[] = { &v };
	struct shape out[MATCH_OUTS];
	struct rowspec r;
	char why[MATCH_WHY];

	ck_assert(!match_parse(&arena, &m, &r, why));
	ck_assert_int_eq(match_axis(&r, var, NULL, 3, why), 1);
	ck_assert_int_eq(match_axis(&r, var, NULL, 2, why), -1);
	ck_assert(!match_outdims(&r, in, 1, out, why));
	ck_assert(shape_eq(&out[0], &SHAPE(2, 1, 5)));
	ck_assert(shape_eq(&out[1], &SHAPE(2, 5)));
	ck_assert(!match_outdims(&r, in, 0, out, why));
	ck_assert(shape_eq(&out[0], &SHAPE(1, 3, 5)));
	ck_assert(shape_eq(&out[1], &SHAPE(3, 5)));
	/* Without the guard nobody knows the axis. */
	m.guard = "vec==-1";
	ck_assert(match_parse(&arena, &m, &r, why));
	ck_assert_str_eq(why, "malformed guard `vec==-1`");
	m.guard = "!=-1";
	ck_assert(match_parse(&arena, &m, &r, why));
}
END_TEST

START_TEST(dims__cols)
{
	struct shape space = SHAPE(2, 3, 5, 7), column = SHAPE(2, 1, 5, 7),
	    scalar = SCALAR, other = SHAPE(5, 7);
	const struct shape *op[] = { &space, &column, &scalar, &space };
	const bool along[] = { true, false, false, true };
	struct dims d;

	ck_assert(!dims_cols(&d, &space, 1, op, along, 4));
	DIM(&d, 2, 3, 35, 105, 35, 0, 105);
	ck_assert_int_eq(d.n, 105);
	ck_assert(!dims_cols(&d, &space, 0, op, along, 1));
	DIM(&d, 1, 2, 105, 210);
	ck_assert(!dims_cols(&d, &space, 2, op, along, 1));
	DIM(&d, 6, 5, 7, 35);
	/* The kernel was planned for whole operands, or for one a column. */
	op[0] = &column;
	ck_assert(dims_cols(&d, &space, 1, op, along, 4));
	op[0] = &other;
	ck_assert(dims_cols(&d, &space, 1, op, along, 4));
	op[0] = op[1] = &space;
	ck_assert(dims_cols(&d, &space, 1, op, along, 4));
	/* Scratch is for the columns of a tile. */
	space = SHAPE(4, 100, 1000);
	ck_assert(!dims_cols(&d, &space, 1, op, along, 1));
	ck_assert_int_eq(d.n, 100 * KVK_COLS_WIDTH);
}
END_TEST

START_TEST(dims__reduce_of_several_axes)
{
	struct shape a = SHAPE(2, 3, 5, 7), b = SHAPE(2, 1, 3, 5),
	    c = SHAPE(2, 3, 2, 3, 2, 3, 2, 3), none = SCALAR;
	struct dims d;

	/* Adjacent axes are one run. */
	dims_reduce(&d, &a, (bool[]){ false, true, true, false });
	DIM(&d, 2, 15, 7, 1, 15, 7, 1, 2, 105);
	dims_reduce(&d, &a, (bool[]){ true, true, true, true });
	DIM(&d, 1, 210, 1, 1, 210, 1, 1, 1, 210);
	dims_reduce(&d, &a, (bool[]){ true, false, true, false });
	DIM(&d, 3, 10, 7, 2, 2, 105, 5, 7, 1, 3, 35);
	ck_assert_int_eq(d.n, 10);
	/* An axis of one element is none. */
	dims_reduce(&d, &b, (bool[]){ true, false, true, false });
	DIM(&d, 1, 6, 5, 1, 6, 5, 1, 1, 30);
	dims_reduce(&d, &b, (bool[]){ false, true, false, false });
	DIM(&d, 1, 1, 30, 1, 1, 30, 1, 1, 30);
	dims_reduce(&d, &none, NULL);
	DIM(&d, 1, 1, 1, 1, 1, 1, 1, 1, 1);
	dims_reduce(&d, &c, (bool[]){ false, true, false, true, false, true,
	    false, true });
	DIM(&d, 16, 81, 1, 4, 3, 216, 3, 36, 3, 6, 3, 1,
	    4, 2, 648, 2, 108, 2, 18, 2, 3);
}
END_TEST

START_TEST(dims__reduce_and_other)
{
	struct shape a = SHAPE(2, 3, 5), b = SHAPE(7);
	const struct shape *op[] = { &a, &b };
	struct dims d;

	/* outer, n, inner; the reduced runs; those of outer */
	dims_reduce(&d, &a, (bool[]){ true, false, false });
	DIM(&d, 1, 2, 15, 1, 2, 15, 1, 1, 30);
	dims_reduce(&d, &a, (bool[]){ false, true, false });
	DIM(&d, 2, 3, 5, 1, 3, 5, 1, 2, 15);
	ck_assert_int_eq(d.n, 3);
	dims_reduce(&d, &a, (bool[]){ false, false, true });
	DIM(&d, 6, 5, 1, 1, 5, 1, 1, 6, 5);
	dims_other(&d, op, 2, NULL, NULL, 0);
	DIM(&d, 3, 2, 3, 5, 1, 7);
}
END_TEST

Suite *
runtime_match_suite(void)
{
	Suite *s = suite_create("runtime_match");
	TCase *c = tcase_create("match");

	tcase_add_test(c, pattern__one_operand);
	tcase_add_test(c, pattern__names_hold_across_operands);
	tcase_add_test(c, pattern__dtypes);
	tcase_add_test(c, parse__malformed_columns);
	tcase_add_test(c, order__special_first);
	tcase_add_test(c, outdims__forms);
	tcase_add_test(c, outdims__several_and_refused);
	tcase_add_test(c, guard__terms);
	tcase_add_test(c, dims__map);
	tcase_add_test(c, dims__map_of_more_than_4_axes);
	tcase_add_test(c, dims__flat);
	tcase_add_test(c, dims__rows);
	tcase_add_test(c, outdims__along_an_axis);
	tcase_add_test(c, dims__cols);
	tcase_add_test(c, dims__reduce_of_several_axes);
	tcase_add_test(c, dims__reduce_and_other);
	suite_add_tcase(s, c);
	return s;
}
