/* SPDX-License-Identifier: MIT */
/* The functions of integers in kernels/vec against arithmetic of 128 bits, all
 * pairs of 8 bits among them; fmod against libm, swish against long double.
 * Compiled as kernels are, once for each instruction set, with VEC_SUITE the
 * name of the suite function. */
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define KVK_NO_STDINT
#include "vec/abs.h"
#include "vec/add.h"
#include "vec/clamp.h"
#include "vec/div.h"
#include "vec/fmod.h"
#include "vec/invert.h"
#include "vec/max.h"
#include "vec/min.h"
#include "vec/mod.h"
#include "vec/mul.h"
#include "vec/neg.h"
#include "vec/relu.h"
#include "vec/square.h"
#include "vec/sub.h"
#include "vec/swish.h"
#include "base/isa.h"
#include "tests/t_kernels_vec.h"

Suite *VEC_SUITE(void);

typedef __int128 wide;

/* Of the sign of b, as Python has it; b is not 0. */
static wide
floor_mod(wide a, wide b)
{
	wide r = a % b;

	return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static wide
magnitude(wide a)
{
	return a < 0 ? -a : a;
}

static wide
larger(wide a, wide b)
{
	return a > b ? a : b;
}

static wide
smaller(wide a, wide b)
{
	return a < b ? a : b;
}

/* Every function on a pair in lane i of vectors that hold it; a result is cut to
 * the dtype as a cast of C does. */
#define CHECK(name, S, T, got, want) \
	ck_assert_msg((got)[i] == (T)(want), #name "_" #S " of %lld, %lld: %lld", \
	    (long long)a[i], (long long)b[i], (long long)(got)[i])

#define CHECK_PAIRS(S, T, V, U, M) \
	static void \
	pairs_##S(V a, V b) \
	{ \
		for (int i = 0; i < KV_LANES; i++) { \
			wide x = a[i], y = b[i]; \
			\
			CHECK(add, S, T, kv_add_##S(a, b), x + y); \
			CHECK(sub, S, T, kv_sub_##S(a, b), x - y); \
			CHECK(mul, S, T, kv_mul_##S(a, b), x * y); \
			CHECK(max, S, T, kv_max_##S(a, b), larger(x, y)); \
			CHECK(min, S, T, kv_min_##S(a, b), smaller(x, y)); \
			CHECK(neg, S, T, kv_neg_##S(a), -x); \
			CHECK(abs, S, T, kv_abs_##S(a), magnitude(x)); \
			CHECK(relu, S, T, kv_relu_##S(a), larger(x, 0)); \
			CHECK(square, S, T, kv_square_##S(a), x * x); \
			CHECK(invert, S, T, kv_invert_##S(a), -1 - x); \
			CHECK(clamp, S, T, kv_clamp_##S(a, b, a), \
			    smaller(larger(x, y), x)); \
			if (y == 0) \
				continue; \
			CHECK(div, S, T, kv_div_##S(a, b), x / y); \
			CHECK(mod, S, T, kv_mod_##S(a, b), floor_mod(x, y)); \
		} \
	}

KV_INTS(CHECK_PAIRS)

#define ALL_PAIRS(S, V) \
	for (int x = 0; x < 256; x++) \
		for (int y = 0; y < 256; y += KV_LANES) { \
			V a = kv_splat_##S(0), b = a; \
			\
			for (int i = 0; i < KV_LANES; i++) { \
				a[i] = (__typeof__(a[i]))x; \
				b[i] = (__typeof__(b[i]))(y + i); \
			} \
			pairs_##S(a, b); \
		}

START_TEST(int8__all_pairs)
{
	ALL_PAIRS(i8, v8i8)
	ALL_PAIRS(u8, v8u8)
}
END_TEST

/* Any bits, small numbers, and those next to the ends. */
static uint64_t
some_bits(int bits)
{
	uint64_t r = random_bits(), low = ~(uint64_t)0 >> (64 - bits) >> 1;

	switch (random_bits() % 4) {
	case 0:
		return r % 9 - 4;
	case 1:
		return (r & 1 ? low : low + 1) + r / 2 % 5 - 2;
	case 2:
		return r >> (random_bits() % 64);
	default:
		return r;
	}
}

#define SOME_PAIRS(S, T, V, U, M) \
	for (int n = 0; n < 4000; n++) { \
		V a = kv_splat_##S(0), b = a; \
		\
		for (int i = 0; i < KV_LANES; i++) { \
			a[i] = (T)some_bits(8 * (int)sizeof(T)); \
			b[i] = (T)some_bits(8 * (int)sizeof(T)); \
		} \
		pairs_##S(a, b); \
	}

START_TEST(ints__random_pairs)
{
	KV_INTS(SOME_PAIRS)
}
END_TEST

/* A quotient that is an integer, and the two numbers next to its dividend. */
#define EXACT_QUOTIENTS(S, T, V) \
	for (int n = 0; n < 4000; n++) { \
		T q = (T)some_bits(8 * (int)sizeof(T)), d; \
		V a = kv_splat_##S(0), b = a; \
		\
		d = (T)((T)some_bits(8 * (int)sizeof(T)) / (q ? q : 1)); \
		for (int i = 0; i < KV_LANES; i++) { \
			a[i] = (T)((wide)q * d + i % 3 - 1); \
			b[i] = d; \
		} \
		pairs_##S(a, b); \
	}

START_TEST(div__next_to_an_integer)
{
	EXACT_QUOTIENTS(i16, int16_t, v8i16)
	EXACT_QUOTIENTS(u16, uint16_t, v8u16)
	EXACT_QUOTIENTS(u32, uint32_t, v8u32)
	EXACT_QUOTIENTS(u64, uint64_t, v8u64)
}
END_TEST

/* Loads and stores touch k elements and no more; kv_div0 looks at as many. */
#define PARTS(S, T, V, U, M) \
	for (int k = 1; k <= KV_LANES; k++) { \
		T from[2 * KV_LANES], to[2 * KV_LANES]; \
		V v; \
		\
		for (int i = 0; i < 2 * KV_LANES; i++) { \
			from[i] = (T)(i + 1); \
			to[i] = 77; \
		} \
		v = kv_load_##S(from + 1, k); \
		kv_store_##S(to + 1, v, k); \
		for (int i = 0; i < KV_LANES; i++) { \
			ck_assert(v[i] == (i < k ? (T)(i + 2) : 0)); \
			ck_assert(to[i + 1] == (i < k ? (T)(i + 2) : 77)); \
		} \
		ck_assert(to[0] == 77 && to[KV_LANES + 1] == 77); \
		ck_assert(!kv_div0_##S(v, k)); \
		for (int i = 0; i < KV_LANES; i++) { \
			V one = kv_splat_##S(1); \
			\
			one[i] = 0; \
			ck_assert_int_eq(kv_div0_##S(one, k) != 0, i < k); \
		} \
	}

START_TEST(parts__of_a_vector)
{
	KV_INTS(PARTS)
	KV_BOOL(PARTS)
}
END_TEST

static void
check_fmod(double a, double b)
{
	double got = kv_fmod_f64(kv_splat_f64(a), kv_splat_f64(b))[5];
	float x = (float)a, y = (float)b;
	float gotf = kv_fmod_f32(kv_splat_f32(x), kv_splat_f32(y))[5];

	ck_assert_msg(same_f64(got, fmod(a, b)), "fmod(%a, %a) = %a, not %a",
	    a, b, got, fmod(a, b));
	ck_assert_msg(same_f32(gotf, fmodf(x, y)), "fmodf(%a, %a) = %a, not "
	    "%a", (double)x, (double)y, (double)gotf, (double)fmodf(x, y));
}

START_TEST(fmod__as_libm)
{
	for (int i = 0; i < NSPECIAL; i++)
		for (int j = 0; j < NSPECIAL; j++) {
			check_fmod(special_f64[i], special_f64[j]);
			check_fmod((double)special_f32[i],
			    (double)special_f32[j]);
		}
	for (int n = 0; n < 4000; n++) {
		double b = double_of(random_bits());

		check_fmod(double_of(random_bits()), b);
		b = ldexp(random_in(-4, 4), (int)(random_bits() % 250) - 125);
		check_fmod(b * random_in(-1000, 1000), b);
		check_fmod(b * (double)(random_bits() % 4096), b);
		check_fmod((double)(float_of((uint32_t)random_bits())),
		    (double)float_of((uint32_t)random_bits()));
	}
}
END_TEST

/* x / (1 + e^-t) in long double. */
static long double
swish(long double x, long double t)
{
	return x / (1 + expl(-t));
}

static void
check_swish(double x, double beta)
{
	float xf = (float)x, betaf = (float)beta, tf = xf * betaf;
	double y = kv_swish_f64(kv_splat_f64(x), kv_splat_f64(beta))[2];
	float yf = kv_swish_f32(kv_splat_f32(xf), kv_splat_f32(betaf))[2];
	long double ref = swish(x, x * beta), reff = swish(xf, tf);

	if (isfinite(x * beta) && isfinite(x))
		ck_assert_msg(ulps(y, ref, 53, -1022) <= 3, "swish(%a, %a) = "
		    "%a", x, beta, y);
	if (isfinite(tf) && isfinite(xf))
		ck_assert_msg(ulps(yf, reff, 24, -126) <= 3, "swish(%a, %a) = "
		    "%a", (double)xf, (double)betaf, (double)yf);
}

/* e^-t alone leaves the numbers long before the result does. */
START_TEST(swish__any_magnitudes)
{
	for (int n = 0; n < 10000; n++) {
		double x = ldexp(random_in(-2, 2),
		    (int)(random_bits() % 250) - 125);
		double wide_x = ldexp(random_in(-2, 2),
		    (int)(random_bits() % 2000) - 1000);

		check_swish(random_in(-30, 30), 1);
		check_swish(x, random_in(-300, 300) / x);
		check_swish(wide_x, random_in(-1600, 1600) / wide_x);
	}
}
END_TEST

START_TEST(swish__edges)
{
	const double inf = INFINITY;
	/* Inf sigmoid(-Inf) and 0 Inf have no value. */
	const double edge[][3] = { { inf, 1, inf }, { inf, -1, NAN },
		{ -inf, 1, NAN }, { -inf, -1, -inf }, { 0, 3, 0 },
		{ -0.0, 3, -0.0 }, { 0, inf, NAN }, { 1, -inf, 0 },
		{ -1, inf, -0.0 }, { 7, inf, 7 }, { 6, 0, 3 }, { NAN, 1, NAN },
		{ 1, NAN, NAN }, { inf, 0, NAN } };

	for (size_t i = 0; i < sizeof edge / sizeof *edge; i++) {
		const double *e = edge[i];

		ck_assert_msg(same_f64(kv_swish_f64(kv_splat_f64(e[0]),
		    kv_splat_f64(e[1]))[0], e[2]), "swish(%a, %a)", e[0], e[1]);
		ck_assert_msg(same_f32(kv_swish_f32(kv_splat_f32((float)e[0]),
		    kv_splat_f32((float)e[1]))[0], (float)e[2]),
		    "swish(%a, %a) of float", e[0], e[1]);
	}
}
END_TEST

Suite *
VEC_SUITE(void)
{
	Suite *s = suite_create("kernels_int");
	TCase *c = tcase_create("int");

	if (!isa_runs_here(isa_find(K_ISA)))
		return s;
	tcase_set_timeout(c, 120);
	tcase_add_test(c, int8__all_pairs);
	tcase_add_test(c, ints__random_pairs);
	tcase_add_test(c, div__next_to_an_integer);
	tcase_add_test(c, parts__of_a_vector);
	tcase_add_test(c, fmod__as_libm);
	tcase_add_test(c, swish__any_magnitudes);
	tcase_add_test(c, swish__edges);
	suite_add_tcase(s, c);
	return s;
}
