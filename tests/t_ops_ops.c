/* SPDX-License-Identifier: MIT */
/* The catalog of ops: signatures, dtypes, shapes; expected values by hand. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "ops/ops.h"

Suite *ops_ops_suite(void);

enum { WHY = 600 };

/* A shape of the numbers before the first negative one. */
#define SHAPE(...) shape_list((const int64_t[]){ __VA_ARGS__, -1 })

static struct shape
shape_list(const int64_t *v)
{
	struct shape s = { 0 };

	while (*v >= 0)
		s.dim[s.rank++] = *v++;
	return s;
}

/* The dims of the op's output, or why there is none. Attribute `at` has the
 * n elements v. */
static const char *
shape_with(const char *name, const struct shape *in, int at, const int64_t *v,
    int n)
{
	static char text[WHY];
	const int64_t *attr[OP_MAX_PARAMS] = { 0 };
	int nattr[OP_MAX_PARAMS] = { 0 };
	struct shape out;

	attr[at] = v;
	nattr[at] = n;
	if (!op_shape(op_find(name), in, attr, nattr, &out, text))
		shape_text(&out, text);
	return text;
}

START_TEST(table__is_sorted_and_whole)
{
	for (size_t i = 0; i < op_count; i++) {
		const struct op *op = &op_table[i];

		ck_assert_ptr_eq(op_find(op->name), op);
		ck_assert(i == 0 || strcmp(op_table[i - 1].name, op->name) < 0);
		for (int k = 0; k < op->nin + op->nout; k++)
			ck_assert(*op_langtype(op, k) && op_param(op, k).n);
	}
}
END_TEST

START_TEST(dtype__of_the_output)
{
	ck_assert_int_eq(op_out_dtype(op_find("add"), 0, DT_INT32,
	    DT_NONE), DT_INT32);
	ck_assert_int_eq(op_out_dtype(op_find("argmin"), 0, DT_FLOAT32,
	    DT_NONE), DT_INT64);
	ck_assert_int_eq(op_out_dtype(op_find("less"), 0, DT_FLOAT64,
	    DT_NONE), DT_BOOL);
	ck_assert_int_eq(op_out_dtype(op_find("constant"), 0, DT_BOOL,
	    DT_NONE), DT_BOOL);
	ck_assert_int_eq(op_out_dtype(op_find("topk"), 0, DT_INT8,
	    DT_NONE), DT_INT8);
	ck_assert_int_eq(op_out_dtype(op_find("topk"), 1, DT_INT8,
	    DT_NONE), DT_INT64);
	ck_assert_int_eq(op_out_dtype(op_find("where"), 0, DT_INT8,
	    DT_NONE), DT_INT8);
	ck_assert_int_eq(op_fixed(op_find("where"), 0), DT_BOOL);
	ck_assert_int_eq(op_fixed(op_find("where"), 1), DT_NONE);
	ck_assert(op_takes(op_find("where"), DT_FLOAT64));
	ck_assert(!op_takes(op_find("less"), DT_BOOL));
}
END_TEST

START_TEST(scalar__is_one_number)
{
	const struct shape tensors[] = { SHAPE(4, 1), SHAPE(3) };
	const struct shape number[] = { { 0 }, SHAPE(3) };

	ck_assert(op_is_scalar(op_find("addscalar"), 1));
	ck_assert(!op_is_scalar(op_find("addscalar"), 0));
	ck_assert(!op_is_scalar(op_find("addscalar"), 2));
	ck_assert(op_is_scalar(op_find("rsubscalar"), 0));
	ck_assert(op_is_scalar(op_find("equalscalar"), 2));
	ck_assert_str_eq(shape_with("add", tensors, 9, NULL, 0), "[4,3]");
	ck_assert_str_eq(shape_with("addscalar", tensors, 9, NULL, 0),
	    "scalar must be one number, found a tensor [3]");
	ck_assert_str_eq(shape_with("rsubscalar", number, 9, NULL, 0), "[3]");
}
END_TEST

/* Every set of axes, written in each of four ways, of every shape with extents
 * 0 to 3: what is kept, by the rule of NumPy, but [1] for nothing. */
START_TEST(shape__reduces)
{
	const struct op *sum = op_find("sum");
	char why[WHY];

	for (int k = 0; k < 4 * 256 * 16 * 8; k++) {
		struct shape in = { .rank = 1 + k % 4 }, out, want = { 0 };
		int set = k >> 10 & 15, way = k >> 14, n = 0;
		int64_t axes[4], keep = way & 1;
		const int64_t *attr[] = { NULL, axes, &keep };

		for (int i = 0; i < in.rank; i++)
			in.dim[i] = k >> (2 + 2 * i) & 3;
		for (int i = 0; i < in.rank; i++)
			if (set >> i & 1)
				axes[n++] = way & 2 ? i - in.rank : i;
		for (int i = 0; way & 4 && 2 * i < n; i++) {
			int64_t t = axes[i];

			axes[i] = axes[n - 1 - i];
			axes[n - 1 - i] = t;
		}
		for (int i = 0; i < in.rank; i++)
			if (n && !(set >> i & 1))
				want.dim[want.rank++] = in.dim[i];
			else if (keep)
				want.dim[want.rank++] = 1;
		if (!want.rank)
			want = SHAPE(1);
		ck_assert_int_eq(op_shape(sum, &in, attr, (int[]){ 0, n, 1 },
		    &out, why), 0);
		ck_assert(shape_eq(&out, &want));
	}
}
END_TEST

/* Why a sum of a tensor [2,3] over n axes is refused. */
static const char *
no_sum(int n, int64_t a, int64_t b)
{
	static char why[WHY];
	const int64_t axes[] = { a, b }, keep = 0;
	const int64_t *attr[] = { NULL, axes, &keep };
	struct shape in = SHAPE(2, 3), out;

	ck_assert_int_eq(op_shape(op_find("sum"), &in, attr,
	    (int[]){ 0, n, 1 }, &out, why), -1);
	return why;
}

START_TEST(shape__reduces_only_axes_that_are)
{
	const int64_t none = 0, *attr[] = { NULL, &none, &none };
	struct shape in = { 0 }, out;
	char why[WHY];

	ck_assert_str_eq(no_sum(1, 2, 0), "axis 2 is out of range for rank 2");
	ck_assert_str_eq(no_sum(2, 0, -3),
	    "axis -3 is out of range for rank 2");
	ck_assert_str_eq(no_sum(2, 1, 1), "axis 1 appears twice");
	ck_assert_str_eq(no_sum(2, 1, -1), "axis -1 appears twice");
	/* A scalar stays one; it has no axis. */
	ck_assert_int_eq(op_shape(op_find("sum"), &in, attr,
	    (int[]){ 0, 0, 1 }, &out, why), 0);
	ck_assert_int_eq(out.rank, 0);
	ck_assert_int_eq(op_shape(op_find("sum"), &in, attr,
	    (int[]){ 0, 1, 1 }, &out, why), -1);
	ck_assert_str_eq(why, "axis 0 is out of range for rank 0");
}
END_TEST

START_TEST(shape__permutes)
{
	const struct shape in = SHAPE(2, 3, 4);
	const int64_t order[] = { 2, 0, 1 }, last[] = { -1, 0, -2 };

	ck_assert_str_eq(shape_with("transpose", &in, 1, order, 3), "[4,2,3]");
	ck_assert_str_eq(shape_with("transpose", &in, 1, last, 3), "[4,2,3]");
	ck_assert_str_eq(shape_with("transpose", &in, 1, order, 0), "[4,3,2]");
}
END_TEST

START_TEST(shape__permutes_only_by_an_order)
{
	const struct shape in = SHAPE(2, 3, 4);
	const int64_t twice[] = { 0, 1, -3 }, far[] = { 0, 3, 1 };

	ck_assert_str_eq(shape_with("transpose", &in, 1, twice, 3),
	    "axis 0 appears twice in the order");
	ck_assert_str_eq(shape_with("transpose", &in, 1, twice, 2),
	    "an order of 2 axes for a tensor of rank 3");
	ck_assert_str_eq(shape_with("transpose", &in, 1, far, 3),
	    "axis 3 is out of range for rank 3");
}
END_TEST

START_TEST(shape__is_filled)
{
	const struct shape in[4] = { SHAPE(2) };
	const struct shape tensor[] = { SHAPE(2), SHAPE(2) };
	const int64_t v[] = { 5, 0 }, open[] = { 2, -1 };

	ck_assert_str_eq(shape_with("constant", in, 0, v, 2), "[5,0]");
	ck_assert_str_eq(shape_with("arange", in, 0, v, 1), "[5]");
	ck_assert_str_eq(shape_with("constant", in, 0, open, 2),
	    "extent 1 is negative");
	ck_assert_str_eq(shape_with("constant", tensor, 0, v, 2),
	    "value must be one number, found a tensor [2]");
}
END_TEST

START_TEST(shape__squeezes)
{
	const struct shape in = SHAPE(1, 2, 1, 3), ones = SHAPE(1, 1);
	const int64_t axes[] = { -2, 0 }, one[] = { 1 }, twice[] = { 0, -4 };

	ck_assert_str_eq(shape_with("squeeze", &in, 1, axes, 2), "[2,3]");
	ck_assert_str_eq(shape_with("squeeze", &in, 1, axes, 1), "[1,2,3]");
	ck_assert_str_eq(shape_with("squeeze", &in, 1, axes, 0), "[2,3]");
	ck_assert_str_eq(shape_with("squeeze", &ones, 1, axes, 0), "");
	ck_assert_str_eq(shape_with("squeeze", &in, 1, one, 1),
	    "axis 1 has length 2, not 1");
	ck_assert_str_eq(shape_with("squeeze", &in, 1, twice, 2),
	    "axis -4 appears twice");
}
END_TEST

START_TEST(shape__unsqueezes)
{
	const struct shape in = SHAPE(2, 3), number = { 0 };
	const struct shape most = SHAPE(1, 1, 1, 1, 1, 1, 1, 1);
	const int64_t axes[] = { 3, 0 }, last[] = { -1 }, far[] = { 3 };
	const int64_t twice[] = { 1, -3 };

	ck_assert_str_eq(shape_with("unsqueeze", &in, 1, axes, 2),
	    "[1,2,3,1]");
	ck_assert_str_eq(shape_with("unsqueeze", &in, 1, last, 1), "[2,3,1]");
	ck_assert_str_eq(shape_with("unsqueeze", &in, 1, axes, 0), "[2,3]");
	ck_assert_str_eq(shape_with("unsqueeze", &number, 1, last, 1), "[1]");
	ck_assert_str_eq(shape_with("unsqueeze", &in, 1, far, 1),
	    "axis 3 is out of range for rank 3");
	ck_assert_str_eq(shape_with("unsqueeze", &in, 1, twice, 2),
	    "axis -3 appears twice");
	ck_assert_str_eq(shape_with("unsqueeze", &most, 1, last, 1),
	    "a tensor has at most 8 axes, not 9");
}
END_TEST

START_TEST(shape__flattens)
{
	const struct shape in = SHAPE(2, 3, 4), number = { 0 };
	const struct shape huge = SHAPE(1LL << 40, 1LL << 40, 0);
	const int64_t axis[] = { 0, 1, 3, -1, 4, 2 };

	ck_assert_str_eq(shape_with("flatten", &in, 1, &axis[0], 1), "[1,24]");
	ck_assert_str_eq(shape_with("flatten", &in, 1, &axis[1], 1), "[2,12]");
	ck_assert_str_eq(shape_with("flatten", &in, 1, &axis[2], 1), "[24,1]");
	ck_assert_str_eq(shape_with("flatten", &in, 1, &axis[3], 1), "[6,4]");
	ck_assert_str_eq(shape_with("flatten", &number, 1, &axis[0], 1),
	    "[1,1]");
	ck_assert_str_eq(shape_with("flatten", &in, 1, &axis[4], 1),
	    "axis 4 is out of range for rank 3");
	ck_assert_str_eq(shape_with("flatten", &huge, 1, &axis[5], 1),
	    "an extent is more than 2^63 - 1");
}
END_TEST

/* The dims of a slice of [5,6], or why there is none. */
static const char *
slice(int64_t axis, int64_t start, int64_t stop, int64_t step)
{
	static char text[WHY];
	const int64_t with[] = { axis, start, stop, step };
	const int64_t *attr[OP_MAX_PARAMS] = { NULL, with, with + 1, with + 2,
		with + 3 };
	int nattr[OP_MAX_PARAMS] = { 0, 1, 1, 1, 1 };
	struct shape in = SHAPE(5, 6), out;

	if (!op_shape(op_find("slice"), &in, attr, nattr, &out, text))
		shape_text(&out, text);
	return text;
}

START_TEST(shape__slices)
{
	ck_assert_str_eq(slice(0, 1, 4, 1), "[3,6]");
	ck_assert_str_eq(slice(-1, 0, 6, 4), "[5,2]");
	ck_assert_str_eq(slice(1, -2, INT64_MAX, 1), "[5,2]");
	ck_assert_str_eq(slice(1, INT64_MIN, -1, 1), "[5,5]");
	ck_assert_str_eq(slice(1, 1, 5, INT64_MAX), "[5,1]");
	ck_assert_str_eq(slice(0, 3, 2, 1), "[0,6]");
	ck_assert_str_eq(slice(0, 9, 12, 1), "[0,6]");
	ck_assert_str_eq(slice(0, 0, 5, 0),
	    "expected a step of 1 or more, found 0");
	ck_assert_str_eq(slice(0, 4, 0, -1),
	    "expected a step of 1 or more, found -1");
	ck_assert_str_eq(slice(2, 0, 1, 1),
	    "axis 2 is out of range for rank 2");
}
END_TEST

START_TEST(shape__repeats)
{
	const struct shape in = SHAPE(2, 3);
	const int64_t v[] = { 4, 2, 0 }, less[] = { 2, -1 };
	const int64_t many[] = { 1, INT64_MAX };

	ck_assert_str_eq(shape_with("repeat", &in, 1, v, 2), "[8,6]");
	ck_assert_str_eq(shape_with("repeat", &in, 1, v, 3), "[4,4,0]");
	ck_assert_str_eq(shape_with("repeat", &in, 1, v, 1),
	    "expected a number of repeats for each axis, 2 to 8, found 1");
	ck_assert_str_eq(shape_with("repeat", &in, 1, less, 2),
	    "expected 0 or more repeats, found -1");
	ck_assert_str_eq(shape_with("repeat", &in, 1, many, 2),
	    "axis 1 would be longer than 2^63 - 1");
}
END_TEST

/* The dims of [2,3] with each element of the axis n times. */
static const char *
stretched(int64_t n, int64_t axis)
{
	static char text[WHY];
	const int64_t *attr[OP_MAX_PARAMS] = { NULL, &n, &axis };
	int nattr[OP_MAX_PARAMS] = { 0, 1, 1 };
	struct shape in = SHAPE(2, 3), out;

	if (!op_shape(op_find("repeat_interleave"), &in, attr, nattr, &out,
	    text))
		shape_text(&out, text);
	return text;
}

START_TEST(shape__repeats_each)
{
	ck_assert_str_eq(stretched(3, 0), "[6,3]");
	ck_assert_str_eq(stretched(2, -1), "[2,6]");
	ck_assert_str_eq(stretched(0, 1), "[2,0]");
	ck_assert_str_eq(stretched(-1, 1),
	    "expected 0 or more repeats, found -1");
	ck_assert_str_eq(stretched(1, 2), "axis 2 is out of range for rank 2");
}
END_TEST

START_TEST(shape__pads)
{
	const struct shape in[] = { SHAPE(2, 3), { 0 }, { 0 } };
	const struct shape wrong[] = { SHAPE(2, 3), { 0 }, SHAPE(1) };
	const int64_t v[] = { 1, 0, 2, 5 }, less[] = { 0, 0, 0, -1 };
	const int64_t many[] = { 0, 0, 0, INT64_MAX };

	ck_assert_str_eq(shape_with("pad", in, 1, v, 4), "[5,8]");
	ck_assert_str_eq(shape_with("pad", in, 1, v, 2),
	    "expected 4 pads, before and after each axis, found 2");
	ck_assert_str_eq(shape_with("pad", in, 1, less, 4),
	    "pad 3 is negative");
	ck_assert_str_eq(shape_with("pad", in, 1, many, 4),
	    "axis 1 would be longer than 2^63 - 1");
	ck_assert_str_eq(shape_with("pad", wrong, 1, v, 4),
	    "value must be one number, found a tensor [1]");
}
END_TEST

START_TEST(shape__of_running_sums)
{
	const struct shape in = SHAPE(2, 3), number = { 0 };
	const int64_t last = -1, far = -3;

	ck_assert_str_eq(shape_with("cumsum", &in, 1, &last, 1), "[2,3]");
	ck_assert_str_eq(shape_with("cumsum", &in, 1, &far, 1),
	    "axis -3 is out of range for rank 2");
	ck_assert_str_eq(shape_with("cumsum", &number, 1, &last, 1),
	    "axis -1 is out of range for rank 0");
}
END_TEST

START_TEST(shape__by_an_index)
{
	const struct shape in[] = { SHAPE(2, 3), SHAPE(4, 5) };
	const struct shape number[] = { SHAPE(2, 3), { 0 } };
	const struct shape less[] = { SHAPE(2, 3), SHAPE(1, 9) };
	const struct shape most[] = { SHAPE(1, 1, 1, 1, 1, 1, 1), SHAPE(1, 1, 1) };
	const int64_t first = 0, last = -1, far = 2;

	ck_assert_str_eq(shape_with("indexselect", in, 2, &first, 1), "[4,5,3]");
	ck_assert_str_eq(shape_with("indexselect", in, 2, &last, 1), "[2,4,5]");
	ck_assert_str_eq(shape_with("indexselect", number, 2, &first, 1), "[3]");
	ck_assert_str_eq(shape_with("indexselect", in, 2, &far, 1),
	    "axis 2 is out of range for rank 2");
	ck_assert_str_eq(shape_with("indexselect", most, 2, &first, 1),
	    "a tensor has at most 8 axes, not 9");
	ck_assert_str_eq(shape_with("gather", less, 2, &last, 1), "[1,9]");
	ck_assert_str_eq(shape_with("gather", less, 2, &first, 1),
	    "an index [1,9] for a tensor [2,3] along axis 0");
	ck_assert_str_eq(shape_with("gather", number, 2, &first, 1),
	    "an index of one number for a tensor [2,3] along axis 0");
}
END_TEST

START_TEST(shape__of_the_largest)
{
	const struct shape in = SHAPE(2, 3);
	const int64_t k[] = { 2, 3, -1 }, axis[] = { -1, 0 }, flag = 1;
	const int64_t *attr[] = { NULL, k, axis, &flag };
	const int nattr[] = { 0, 1, 1, 1 };
	const struct op *op = op_find("topk");
	struct shape out[2];
	char why[WHY];

	ck_assert_int_eq(op_shape(op, &in, attr, nattr, out, why), 0);
	for (int i = 0; i < 2; i++) {
		shape_text(&out[i], why);
		ck_assert_str_eq(why, "[2,2]");
	}
	attr[1] = k + 1;
	attr[2] = axis + 1;
	ck_assert_int_eq(op_shape(op, &in, attr, nattr, out, why), -1);
	ck_assert_str_eq(why, "expected k from 0 to 2, found 3");
	attr[1] = k + 2;
	ck_assert_int_eq(op_shape(op, &in, attr, nattr, out, why), -1);
	ck_assert_str_eq(why, "expected k from 0 to 2, found -1");
	ck_assert_int_eq(op_shape(op, &in, attr, (const int[]){ 0, 2, 1, 1 },
	    out, why), -1);
	ck_assert_str_eq(why, "k must be one integer, found 2");
}
END_TEST

START_TEST(shape__of_triangles)
{
	const struct shape in = SHAPE(4, 2, 3), vector = SHAPE(3);
	const int64_t k = 1;

	ck_assert_str_eq(shape_with("tril", &in, 1, &k, 1), "[4,2,3]");
	ck_assert_str_eq(shape_with("triu", &vector, 1, &k, 1),
	    "expected at least two axes, found 1");
}
END_TEST

/* The shape of a product of two shapes. */
static const char *
product(struct shape a, struct shape b)
{
	const struct shape in[] = { a, b };

	return shape_with("matmul", in, 9, NULL, 0);
}

START_TEST(shape__matmul_turned)
{
	const struct shape nt[] = { SHAPE(2, 1, 3, 4), SHAPE(5, 6, 4) };
	const struct shape tn[] = { SHAPE(3, 2), SHAPE(7, 3, 4) };
	const struct shape none[] = { SHAPE(2, 3), SHAPE(3, 2) };
	const struct shape vector[] = { SHAPE(2, 3), SHAPE(3) };

	ck_assert_str_eq(shape_with("matmul_nt", nt, 9, NULL, 0), "[2,5,3,6]");
	ck_assert_str_eq(shape_with("matmul_tn", tn, 9, NULL, 0), "[7,2,4]");
	ck_assert_str_eq(shape_with("matmul_nt", none, 9, NULL, 0),
	    "[2,3] and [3,2] do not multiply with the second transposed");
	ck_assert_str_eq(shape_with("matmul_tn", none, 9, NULL, 0),
	    "[2,3] and [3,2] do not multiply with the first transposed");
	ck_assert_str_eq(shape_with("matmul_nt", vector, 9, NULL, 0),
	    "expected two matrices, found [2,3] and [3]");
}
END_TEST

START_TEST(shape__matmul)
{
	ck_assert_str_eq(product(SHAPE(2, 3), SHAPE(3, 4)), "[2,4]");
	ck_assert_str_eq(product(SHAPE(2, 1, 3, 4), SHAPE(5, 4, 6)),
	    "[2,5,3,6]");
	ck_assert_str_eq(product(SHAPE(3), SHAPE(5, 3, 4)), "[5,4]");
	ck_assert_str_eq(product(SHAPE(5, 2, 3), SHAPE(3)), "[5,2]");
	ck_assert_str_eq(product(SHAPE(3), SHAPE(3)), "[1]");
	ck_assert_str_eq(product(SHAPE(2, 0), SHAPE(0, 3)), "[2,3]");
}
END_TEST

START_TEST(shape__matmul_refuses)
{
	ck_assert_str_eq(product(SHAPE(2, 3), SHAPE(2, 3)),
	    "[2,3] and [2,3] do not multiply");
	ck_assert_str_eq(product(SHAPE(2, 2, 3), SHAPE(3, 3, 4)),
	    "[2,2,3] and [3,3,4] do not multiply");
	ck_assert_str_eq(product((struct shape){ 0 }, SHAPE(2)),
	    "expected two matrices or vectors, found a scalar");
}
END_TEST

/* A vector function is exact when no op that takes it has a tolerance. */
START_TEST(vec__is_exact)
{
	ck_assert(op_vec_is_exact("add"));
	ck_assert(op_vec_is_exact("max"));
	ck_assert(!op_vec_is_exact("exp"));
	ck_assert(!op_vec_is_exact("gelu"));
	ck_assert(!op_vec_is_exact("expshift"));
}
END_TEST

Suite *
ops_ops_suite(void)
{
	Suite *s = suite_create("ops_ops");
	TCase *tc = tcase_create("ops");

	suite_add_tcase(s, tc);
	tcase_add_test(tc, table__is_sorted_and_whole);
	tcase_add_test(tc, dtype__of_the_output);
	tcase_add_test(tc, scalar__is_one_number);
	tcase_add_test(tc, vec__is_exact);
	tcase_add_test(tc, shape__reduces);
	tcase_add_test(tc, shape__reduces_only_axes_that_are);
	tcase_add_test(tc, shape__permutes);
	tcase_add_test(tc, shape__permutes_only_by_an_order);
	tcase_add_test(tc, shape__is_filled);
	tcase_add_test(tc, shape__squeezes);
	tcase_add_test(tc, shape__unsqueezes);
	tcase_add_test(tc, shape__flattens);
	tcase_add_test(tc, shape__slices);
	tcase_add_test(tc, shape__repeats);
	tcase_add_test(tc, shape__repeats_each);
	tcase_add_test(tc, shape__pads);
	tcase_add_test(tc, shape__by_an_index);
	tcase_add_test(tc, shape__of_the_largest);
	tcase_add_test(tc, shape__of_triangles);
	tcase_add_test(tc, shape__of_running_sums);
	tcase_add_test(tc, shape__matmul);
	tcase_add_test(tc, shape__matmul_turned);
	tcase_add_test(tc, shape__matmul_refuses);
	return s;
}
