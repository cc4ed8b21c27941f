/* SPDX-License-Identifier: MIT */
/* The vector functions of kernels/vec against libm, long double arithmetic and
 * a literal version of the reduction order. Compiled as kernels are, once for
 * each instruction set, with VEC_SUITE the name of the suite function. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define KVK_NO_STDINT
#include "vec/add.h"
#include "vec/div.h"
#include "vec/exp.h"
#include "vec/expshift.h"
#include "vec/max.h"
#include "vec/move.h"
#include "vec/mul.h"
#include "vec/reducemax.h"
#include "vec/relu.h"
#include "vec/sub.h"
#include "vec/sum.h"
#include "base/isa.h"
#include "tests/t_kernels_vec.h"

Suite *VEC_SUITE(void);

enum { PAGE = 4096, ROOM = 7 * 2048 + 100 };

static void
check_fma_f32(v8f a, v8f b, v8f c)
{
	v8f r = kv_fma_f32(a, b, c);

	for (int i = 0; i < KV_LANES; i++)
		ck_assert_msg(same_f32(r[i], fmaf(a[i], b[i], c[i])),
		    "fma(%a, %a, %a) = %a, not %a", (double)a[i],
		    (double)b[i], (double)c[i], (double)r[i],
		    (double)fmaf(a[i], b[i], c[i]));
}

static void
check_fma_f64(v8d a, v8d b, v8d c)
{
	v8d r = kv_fma_f64(a, b, c);

	for (int i = 0; i < KV_LANES; i++)
		ck_assert_msg(same_f64(r[i], fma(a[i], b[i], c[i])),
		    "fma(%a, %a, %a) = %a, not %a", a[i], b[i], c[i], r[i],
		    fma(a[i], b[i], c[i]));
}

START_TEST(fma__specials_as_libm)
{
	for (int i = 0; i < NSPECIAL; i++)
		for (int j = 0; j < NSPECIAL; j++)
			for (int k = 0; k < NSPECIAL; k++) {
				check_fma_f32(kv_splat_f32(special_f32[i]),
				    kv_splat_f32(special_f32[j]),
				    kv_splat_f32(special_f32[k]));
				check_fma_f64(kv_splat_f64(special_f64[i]),
				    kv_splat_f64(special_f64[j]),
				    kv_splat_f64(special_f64[k]));
			}
}
END_TEST

/* c is any number, or one that cancels the product up to a few bits, or one
 * that lies beyond its last bit; exponents go down to the denormals. */
static double
partner(double product, int digits)
{
	switch (random_bits() % 4) {
	case 0:
		return -product;
	case 1:
		return -product * (1 + ldexp(random_in(-4, 4), -digits));
	case 2:
		return product * ldexp(random_in(-2, 2),
		    (int)(random_bits() % 8) - 4 - digits);
	default:
		return product * ldexp(random_in(-2, 2),
		    (int)(random_bits() % 200) - 100);
	}
}

START_TEST(fma__random_as_libm)
{
	for (int n = 0; n < 60000; n++) {
		v8f a, b, c;
		v8d x, y, z;

		for (int i = 0; i < KV_LANES; i++) {
			a[i] = float_of((uint32_t)random_bits());
			b[i] = float_of((uint32_t)random_bits());
			c[i] = n & 1 ? float_of((uint32_t)random_bits()) :
			    (float)partner((double)a[i] * (double)b[i], 24);
			x[i] = double_of(random_bits());
			y[i] = double_of(random_bits());
			if (n & 2)
				y[i] = 1 / x[i] * random_in(1, 4);
			if (n & 4)
				y[i] *= 0x1p-1020;
			z[i] = n & 1 ? double_of(random_bits()) :
			    partner(x[i] * y[i], 53);
		}
		check_fma_f32(a, b, c);
		check_fma_f64(x, y, z);
	}
}
END_TEST

/* The product of two floats near the smallest ones, in all alignments of the
 * third: sums that land halfway between two denormals. */
START_TEST(fma__ties_in_denormals_as_libm)
{
	for (int e = -152; e < -120; e++)
		for (int n = 0; n < 200; n++) {
			float a = ldexpf((float)(random_bits() % 4096), e / 2);
			float b = ldexpf((float)(random_bits() % 16), e - e / 2);
			double x = ldexp((double)(random_bits() % 65536),
			    e - 460);
			double y = ldexp((double)(random_bits() % 16), -460);

			check_fma_f32(kv_splat_f32(a), kv_splat_f32(b),
			    kv_splat_f32(float_of(random_bits() % 9)));
			check_fma_f64(kv_splat_f64(x), kv_splat_f64(y),
			    kv_splat_f64(double_of(random_bits() % 9)));
		}
}
END_TEST

static void
check_round(float x, double y)
{
	v8f v = kv_splat_f32(x);
	v8d w = kv_splat_f64(y);

	ck_assert_msg(same_f32(kv_rint_f32(v)[3], rintf(x)), "rint %a",
	    (double)x);
	ck_assert_msg(same_f32(kv_floor_f32(v)[3], floorf(x)), "floor %a",
	    (double)x);
	ck_assert_msg(same_f64(kv_rint_f64(w)[3], rint(y)), "rint %a", y);
	ck_assert_msg(same_f64(kv_floor_f64(w)[3], floor(y)), "floor %a", y);
}

START_TEST(rint_floor__as_libm)
{
	for (int i = 0; i < NSPECIAL; i++)
		check_round(special_f32[i], special_f64[i]);
	for (int n = 0; n < 100000; n++) {
		check_round(float_of((uint32_t)random_bits()),
		    double_of(random_bits()));
		check_round((float)(random_bits() % 64) * 0.25F - 8,
		    (double)(random_bits() % 64) * 0.25 - 8);
		check_round((float)random_in(-1e7, 1e7),
		    random_in(-5e15, 5e15));
	}
}
END_TEST

static double
exp_error_f32(float x)
{
	float y = kv_exp_f32(kv_splat_f32(x))[5];
	long double ref = expl(x);

	if (ref >= 0x1.ffffffp127L)
		return isinf(y) && y > 0 ? 0 : INFINITY;
	return ulps(y, ref, 24, -126);
}

static double
exp_error_f64(double x)
{
	double y = kv_exp_f64(kv_splat_f64(x))[5];
	long double ref = expl(x);

	if (ref >= 0x1.fffffffffffff8p1023L)
		return isinf(y) && y > 0 ? 0 : INFINITY;
	return ulps(y, ref, 53, -1022);
}

START_TEST(exp__within_its_bound)
{
	static const double edges[] = { 0, -0.0, 1, -1, 88.722835, 88.72284,
		-87.33655, -103.27893, -103.97208, -104, -200, 89, 1000,
		0x1p-149, 1e-30, 709.782712893384, 709.7827128933841,
		-708.3964185322641, -745.1332191019411, -745.1332191019412,
		-746, 710, 1e300, -1e300, INFINITY, -INFINITY };
	double worst_f32 = 0, worst_f64 = 0;

	for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
		worst_f32 = fmax(worst_f32, exp_error_f32((float)edges[i]));
		worst_f64 = fmax(worst_f64, exp_error_f64(edges[i]));
	}
	for (int n = 0; n < 100000; n++) {
		worst_f32 = fmax(worst_f32,
		    exp_error_f32((float)random_in(-105, 89)));
		worst_f32 = fmax(worst_f32,
		    exp_error_f32((float)random_in(-1, 1)));
		worst_f64 = fmax(worst_f64, exp_error_f64(random_in(-746, 710)));
		worst_f64 = fmax(worst_f64, exp_error_f64(random_in(-1, 1)));
	}
	ck_assert_msg(worst_f32 <= 1, "f32: %.3f ulp", worst_f32);
	ck_assert_msg(worst_f64 <= 2, "f64: %.3f ulp", worst_f64);
	ck_assert(isnan(kv_exp_f32(kv_splat_f32(float_of(0xff812345)))[0]));
	ck_assert(isnan(kv_exp_f64(kv_splat_f64(NAN))[0]));
}
END_TEST

/* e^x 2^-k in long double; the first parts of ln 2 times k are exact. */
static long double
shifted(long double x, long double k)
{
	long double r = x - k * 0xb17217f7d1p-40L - k * 0xcf79abc9e3p-80L -
	    k * 0xb39803f2f6af40fp-140L;

	return expl(r);
}

static float
expshift_f32(float x, float m)
{
	return kv_expshift_f32(kv_splat_f32(x), kv_splat_f32(m))[6];
}

static double
expshift_f64(double x, double m)
{
	return kv_expshift_f64(kv_splat_f64(x), kv_splat_f64(m))[6];
}

START_TEST(expshift__rules)
{
	static const struct {
		double x, m, y;
	} rules[] = { { NAN, 0, NAN }, { 0, NAN, NAN }, { NAN, NAN, NAN },
		{ NAN, INFINITY, NAN }, { 1, INFINITY, NAN },
		{ 1, -INFINITY, NAN }, { INFINITY, INFINITY, NAN },
		{ -INFINITY, -INFINITY, NAN }, { -INFINITY, INFINITY, NAN },
		{ INFINITY, 5, INFINITY }, { INFINITY, -3e7, INFINITY },
		{ -INFINITY, 5, 0 }, { -INFINITY, 3e7, 0 },
		{ 0, 0, 1 }, { -0.0, 0, 1 }, { 0, -0.0, 1 },
		{ 3e7, 3e7, 1 }, { -3e7, -3e7, 1 }, { 3e38, 3e38, 1 },
		{ 3e38, -3e38, INFINITY }, { -3e38, 3e38, 0 },
		{ 3e38, 0, INFINITY }, { -3e38, 0, 0 }, { 0, 3e38, 0 },
		{ 0, -3e38, INFINITY }, { 1e6, 0, INFINITY }, { -1e6, 0, 0 },
		{ 2e3, 0, INFINITY }, { -2e3, 0, 0 }, { 0, 1e6, 0 },
		{ 0, -1e6, INFINITY }, { 0, 2e3, 0 }, { 0, -2e3, INFINITY } };

	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		double x = rules[i].x, m = rules[i].m, y = rules[i].y;

		ck_assert_msg(same_f32(expshift_f32((float)x, (float)m),
		    (float)y), "f32 %g %g", x, m);
		ck_assert_msg(same_f64(expshift_f64(x, m), y), "f64 %g %g", x,
		    m);
	}
}
END_TEST

/* Both sides of the smallest normal number: a result is never between it and
 * 0, and which of the two it is follows the true value. */
static double
shift_error(long double y, long double ref, int digits, int least, int most)
{
	long double small = ldexpl(1, least), slack = ldexpl(1, 3 - digits);

	if (y == 0)
		return ref < small * (1 + slack) ? 0 : INFINITY;
	if (y < small)
		return INFINITY;
	if (isinf(y))
		return ref >= ldexpl(1 - slack, most) ? 0 : INFINITY;
	return ulps(y, ref, digits, least);
}

/* The largest error over results from the smallest to the largest, and past
 * both ends, for that m. */
static double
worst_shift_f32(float m)
{
	long double k = rintf(m * 0x1.715476p+0F);
	double worst = 0;

	for (int n = 0; n < 3000; n++) {
		float x = (float)((double)m + random_in(-90, 90));

		if (n % 10 == 0)
			x = (float)((double)(k - 126) * M_LN2);
		if (n % 10 == 1)
			x = (float)((double)(k + 128) * M_LN2);
		for (int i = n % 7; i > 0; i--)
			x = nextafterf(x, i & 1 ? INFINITY : -INFINITY);
		worst = fmax(worst, shift_error(expshift_f32(x, m),
		    shifted(x, k), 24, -126, 128));
	}
	return worst;
}

static double
worst_shift_f64(double m)
{
	long double k = rint(m * 0x1.71547652b82fep+0);
	double worst = 0;

	for (int n = 0; n < 3000; n++) {
		double x = m + random_in(-720, 720);

		if (n % 10 == 0)
			x = ((double)k - 1022) * M_LN2;
		if (n % 10 == 1)
			x = ((double)k + 1024) * M_LN2;
		for (int i = n % 7; i > 0; i--)
			x = nextafter(x, i & 1 ? INFINITY : -INFINITY);
		worst = fmax(worst, shift_error(expshift_f64(x, m),
		    shifted(x, k), 53, -1022, 1024));
	}
	return worst;
}

START_TEST(expshift__within_its_bound)
{
	static const double at[] = { 0, 0.3, -0.35, 1, -17, 87.3, 500, -3000.7,
		12345.6, -99999, 700000, 0x1p20, -0x1p20 };
	double f32 = 0, f64 = 0;

	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		f32 = fmax(f32, worst_shift_f32((float)at[i]));
		f64 = fmax(f64, worst_shift_f64(at[i]));
	}
	ck_assert_msg(f32 <= 5, "f32: %.3f ulp", f32);
	ck_assert_msg(f64 <= 5, "f64: %.3f ulp", f64);
}
END_TEST

/* Past 2^20 the result is e^(x - m), the difference rounded. */
START_TEST(expshift__far_m_is_the_difference)
{
	for (int n = 0; n < 20000; n++) {
		float m = (float)random_in(0x1p20 + 1, 0x1p24);
		double d = random_in(0x1p20 + 1, 0x1p30);
		float x = m + (float)random_in(-92, 92);
		double y = d + random_in(-750, 750);

		if (n & 1) {
			m = -m, x = -x;
			d = -d, y = -y;
		}
		ck_assert(shift_error(expshift_f32(x, m), expl(x - m), 24, -126,
		    128) <= 5);
		ck_assert(shift_error(expshift_f64(y, d), expl(y - d), 53,
		    -1022, 1024) <= 5);
	}
}
END_TEST

/* What a lane gives does not depend on the other lanes. */
START_TEST(expshift__lanes_are_independent)
{
	static const double odd[] = { NAN, INFINITY, -INFINITY, 3e7, -3e7, 3e38,
		-3e38, 0, -200, 200, 1e6, -800, 800 };
	enum { NODD = sizeof odd / sizeof *odd };

	for (int n = 0; n < 20000; n++) {
		v8f x, m, y;
		v8d u, w, z;

		for (int i = 0; i < KV_LANES; i++) {
			u[i] = random_bits() % 4 ? random_in(-100, 100) :
			    odd[random_bits() % NODD];
			w[i] = random_bits() % 4 ? random_in(-100, 100) :
			    odd[random_bits() % NODD];
			x[i] = (float)u[i];
			m[i] = (float)w[i];
		}
		y = kv_expshift_f32(x, m);
		z = kv_expshift_f64(u, w);
		for (int i = 0; i < KV_LANES; i++) {
			ck_assert_msg(same_f32(y[i], expshift_f32(x[i], m[i])),
			    "f32 %g %g: %a", (double)x[i], (double)m[i],
			    (double)y[i]);
			ck_assert_msg(same_f64(z[i], expshift_f64(u[i], w[i])),
			    "f64 %g %g: %a", u[i], w[i], z[i]);
		}
	}
}
END_TEST

START_TEST(max_relu__nan_and_zeros)
{
	v8f a = { NAN, 1, -0.0F, 0, 2, 1, -INFINITY, 3 };
	v8f b = { 1, NAN, 0, -0.0F, 1, 2, -1, 3 };
	v8f want = { NAN, NAN, 0, -0.0F, 2, 2, -1, 3 };
	v8f got = kv_max_f32(a, b), r = kv_relu_f32(a);
	v8f positive = { NAN, 1, 0, 0, 2, 1, 0, 3 };
	v8d c, d, got_f64, r_f64;

	for (int i = 0; i < KV_LANES; i++) {
		c[i] = a[i];
		d[i] = b[i];
	}
	got_f64 = kv_max_f64(c, d);
	r_f64 = kv_relu_f64(c);
	for (int i = 0; i < KV_LANES; i++) {
		ck_assert(same_f32(got[i], want[i]));
		ck_assert(same_f32(r[i], positive[i]));
		ck_assert(same_f64(got_f64[i], want[i]));
		ck_assert(same_f64(r_f64[i], positive[i]));
	}
}
END_TEST

START_TEST(arithmetic__rounds_once)
{
	for (int n = 0; n < 20000; n++) {
		float a = float_of((uint32_t)random_bits());
		float b = float_of((uint32_t)random_bits());
		v8f x = kv_splat_f32(a), y = kv_splat_f32(b);

		ck_assert(same_f32(kv_add_f32(x, y)[1], a + b));
		ck_assert(same_f32(kv_sub_f32(x, y)[2], a - b));
		ck_assert(same_f32(kv_mul_f32(x, y)[3], a * b));
		ck_assert(same_f32(kv_div_f32(x, y)[4], a / b));
		ck_assert(bits_f32(kv_move_f32(x)[7]) == bits_f32(a));
	}
}
END_TEST

typedef float op_fn(float, float);

static float
plus(float a, float b)
{
	return a + b;
}

static float
greater(float a, float b)
{
	return a > b || a != a ? a : b;
}

/* One chunk of the reduction order: lanes, then the tree over the lanes that
 * received an element. */
static float
chunk_value(op_fn *op, const float *x, int n)
{
	static const int pairs[7][2] = { { 0, 4 }, { 2, 6 }, { 0, 2 },
		{ 1, 5 }, { 3, 7 }, { 1, 3 }, { 0, 1 } };
	float lane[8];
	int present[8] = { 0 };

	for (int j = 0; j < n; j++) {
		lane[j % 8] = present[j % 8] ? op(lane[j % 8], x[j]) : x[j];
		present[j % 8] = 1;
	}
	for (int i = 0; i < 7; i++) {
		int a = pairs[i][0], b = pairs[i][1];

		if (present[a] && present[b])
			lane[a] = op(lane[a], lane[b]);
		else if (present[b])
			lane[a] = lane[b];
		present[a] |= present[b];
	}
	return lane[0];
}

/* All chunks, level by level. */
static float
literal(op_fn *op, const float *x, int n, float empty)
{
	float value[ROOM / 2048 + 1];
	int count = 0;

	if (n == 0)
		return empty;
	for (int i = 0; i < n; i += 2048)
		value[count++] = chunk_value(op, x + i,
		    n - i < 2048 ? n - i : 2048);
	while (count > 1) {
		for (int i = 0; i < count / 2; i++)
			value[i] = op(value[2 * i], value[2 * i + 1]);
		if (count % 2)
			value[count / 2] = value[count - 1];
		count = (count + 1) / 2;
	}
	return value[0];
}

/* A reduction as a kernel runs it: a is the sum's, b the maximum's. */
static void
reduce(const float *x, int n, float *sum, float *max)
{
	float level_a[KV_LEVELS], level_b[KV_LEVELS];
	v8f a, b;
	int64_t chunks = 0;

	*sum = kv_sum_fold_f32(level_a, 0, n, &a);
	*max = kv_reducemax_fold_f32(level_b, 0, n, &b);
	for (int i = 0; i < n;) {
		int end = n - i < KV_CHUNK ? n : i + KV_CHUNK;

		for (; i < end; i += 8) {
			int k = end - i < 8 ? end - i : 8;
			v8f v = kv_load_f32(x + i, k);

			a = kv_sum_take_f32(a, v, k);
			b = kv_reducemax_take_f32(b, v, k);
		}
		i = end;
		chunks++;
		*sum = kv_sum_fold_f32(level_a, chunks, n, &a);
		*max = kv_reducemax_fold_f32(level_b, chunks, n, &b);
	}
}

START_TEST(reduce__follows_the_order)
{
	static const int lengths[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17,
		2047, 2048, 2049, 4096, 4097, 6144, 6145, 10241, 8192,
		7 * 2048 + 5 };
	static float x[ROOM];

	for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
		for (int kind = 0; kind < 4; kind++) {
			int n = lengths[l];
			float sum, max;

			for (int i = 0; i < n; i++)
				x[i] = kind == 0 ? (float)random_in(-1, 1) :
				    kind == 1 ? -0.0F :
				    kind == 2 ? (random_bits() & 1 ? 0 : -0.0F) :
				    (float)random_in(-1e30, 1e30);
			if (n && kind == 3)
				x[random_bits() % (unsigned)n] = NAN;
			reduce(x, n, &sum, &max);
			ck_assert_msg(same_f32(sum, literal(plus, x, n, 0)),
			    "sum of %d, kind %d", n, kind);
			ck_assert_msg(same_f32(max, literal(greater, x, n,
			    -INFINITY)), "max of %d, kind %d", n, kind);
		}
}
END_TEST

/* The order in double: exact sums tell which elements met. */
START_TEST(reduce__f64)
{
	double x[11] = { 1, 0x1p53, 1, 1, -1, -0x1p53, 3, 5, 0x1p-60, 7, 1 };
	double level[KV_LEVELS];
	v8d acc;

	ck_assert(same_f64(kv_sum_fold_f64(level, 0, 11, &acc), 0));
	acc = kv_sum_take_f64(acc, kv_load_f64(x, 8), 8);
	acc = kv_sum_take_f64(acc, kv_load_f64(x + 8, 3), 3);
	/* Lanes 1, 2^53+8, 2, 1, -1, -2^53, 3, 5: the 7 meets 2^53 first. */
	ck_assert(same_f64(kv_sum_fold_f64(level, 1, 11, &acc),
	    ((1 + 0x1p-60) + -1 + (2 + 3)) + ((0x1p53 + 7) - 0x1p53 + 6)));
	kv_reducemax_fold_f64(level, 0, 1, &acc);
	acc = kv_reducemax_take_f64(acc, kv_load_f64(x, 1), 1);
	ck_assert(same_f64(kv_reducemax_fold_f64(level, 1, 1, &acc), 1));
}
END_TEST

START_TEST(store__nan_is_canonical_put_keeps_bytes)
{
	float f[8], g[8];
	double d[8], e[8];

	for (int k = 1; k <= 8; k++) {
		memset(f, 0x55, sizeof f);
		memset(d, 0x55, sizeof d);
		memcpy(g, f, sizeof g);
		memcpy(e, d, sizeof e);
		kv_store_f32(f, kv_splat_f32(float_of(0xffc12345)), k);
		kv_put_f32(g, kv_splat_f32(float_of(0xffc12345)), k);
		kv_store_f64(d, kv_splat_f64(double_of(0xfff8000000012345)), k);
		kv_put_f64(e, kv_splat_f64(double_of(0xfff8000000012345)), k);
		for (int i = 0; i < 8; i++) {
			ck_assert_uint_eq(bits_f32(f[i]),
			    i < k ? 0x7fc00000 : 0x55555555);
			ck_assert_uint_eq(bits_f32(g[i]),
			    i < k ? 0xffc12345 : 0x55555555);
			ck_assert_uint_eq(bits_f64(d[i]),
			    i < k ? 0x7ff8000000000000 : 0x5555555555555555);
			ck_assert_uint_eq(bits_f64(e[i]),
			    i < k ? 0xfff8000000012345 : 0x5555555555555555);
		}
	}
}
END_TEST

/* A row with one NaN in each place in turn, or with none but infinities that
 * cancel: only a NaN changes, and it becomes the canonical one. */
START_TEST(canon__every_nan_of_a_row)
{
	enum { N = 2 * KV_LANES + 3 };

	for (int at = -1; at < N; at++) {
		float f[N];
		double d[N];
		v8f seen = kv_splat_f32(NAN);
		v8d seen_f64 = kv_splat_f64(NAN);

		for (int i = 0; i < N; i++)
			d[i] = f[i] = i % 2 ? INFINITY : -INFINITY;
		if (at >= 0) {
			f[at] = float_of(0xff812345);
			d[at] = double_of(0xfff0000000012345);
		}
		kv_canon_f32(&seen, 0, 0, f, N);
		kv_canon_f64(&seen_f64, 0, 0, d, N);
		for (int i = 0; i < N; i += KV_LANES) {
			int k = N - i < KV_LANES ? N - i : KV_LANES;

			seen = kv_mark_f32(seen, kv_load_f32(f + i, k));
			seen_f64 = kv_mark_f64(seen_f64, kv_load_f64(d + i, k));
		}
		kv_canon_f32(&seen, 1, 1, f, N);
		kv_canon_f64(&seen_f64, 1, 1, d, N);
		for (int i = 0; i < N; i++) {
			ck_assert_uint_eq(bits_f32(f[i]), i == at ? 0x7fc00000 :
			    bits_f32(i % 2 ? INFINITY : -INFINITY));
			ck_assert_uint_eq(bits_f64(d[i]), i == at ?
			    0x7ff8000000000000 :
			    bits_f64(i % 2 ? INFINITY : -INFINITY));
		}
	}
}
END_TEST

/* The last k elements before, and the first k after, a page that faults. */
START_TEST(load_store__stay_inside)
{
	char *p = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	v8f v;
	v8d w;

	ck_assert(p != MAP_FAILED);
	for (int i = 0; i < 3 * PAGE; i++)
		p[i] = (char)(i * 7 % 61);
	ck_assert(mprotect(p, PAGE, PROT_NONE) == 0);
	ck_assert(mprotect(p + 2 * PAGE, PAGE, PROT_NONE) == 0);
	for (int k = 1; k <= 8; k++) {
		float *first = (float *)(void *)(p + PAGE);
		float *last = (float *)(void *)(p + 2 * PAGE) - k;
		double *first_f64 = (double *)(void *)(p + PAGE);
		double *last_f64 = (double *)(void *)(p + 2 * PAGE) - k;

		v = kv_load_f32(first, k);
		ck_assert(memcmp(&v, first, (size_t)k * 4) == 0);
		v = kv_load_f32(last, k);
		ck_assert(memcmp(&v, last, (size_t)k * 4) == 0);
		kv_store_f32(last, v, k);
		kv_put_f32(first, v, k);
		w = kv_load_f64(first_f64, k);
		ck_assert(memcmp(&w, first_f64, (size_t)k * 8) == 0);
		w = kv_load_f64(last_f64, k);
		ck_assert(memcmp(&w, last_f64, (size_t)k * 8) == 0);
		kv_store_f64(last_f64, w, k);
		kv_put_f64(first_f64, w, k);
	}
	ck_assert(munmap(p, 3 * PAGE) == 0);
}
END_TEST

Suite *
VEC_SUITE(void)
{
	Suite *s = suite_create("kernels_vec");
	TCase *t = tcase_create("all");

	suite_add_tcase(s, t);
	if (!isa_runs_here(isa_find(K_ISA)))
		return s;
	tcase_set_timeout(t, 60);
	tcase_add_test(t, fma__specials_as_libm);
	tcase_add_test(t, fma__random_as_libm);
	tcase_add_test(t, fma__ties_in_denormals_as_libm);
	tcase_add_test(t, rint_floor__as_libm);
	tcase_add_test(t, exp__within_its_bound);
	tcase_add_test(t, expshift__rules);
	tcase_add_test(t, expshift__within_its_bound);
	tcase_add_test(t, expshift__far_m_is_the_difference);
	tcase_add_test(t, expshift__lanes_are_independent);
	tcase_add_test(t, max_relu__nan_and_zeros);
	tcase_add_test(t, arithmetic__rounds_once);
	tcase_add_test(t, reduce__follows_the_order);
	tcase_add_test(t, reduce__f64);
	tcase_add_test(t, store__nan_is_canonical_put_keeps_bytes);
	tcase_add_test(t, canon__every_nan_of_a_row);
	tcase_add_test(t, load_store__stay_inside);
	return s;
}
