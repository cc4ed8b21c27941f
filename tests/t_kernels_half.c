/* SPDX-License-Identifier: MIT */
/* Conversions of float16 and bfloat16 in kernels/vec. Compiled as kernels are,
 * once for each instruction set, with VEC_SUITE the name of the suite
 * function. */
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define KVK_NO_STDINT
#include "vec/half.h"
#include "base/isa.h"
#include "tests/t_kernels_vec.h"

Suite *VEC_SUITE(void);

/* What kernels do with one of the two dtypes; fraction: bits after the point,
 * least: the exponent of the smallest normal number. */
static const struct half {
	v8f (*load)(const uint16_t *, int);
	v8f (*exact)(const uint16_t *, int);
	void (*put)(uint16_t *, v8f, int);
	void (*store)(uint16_t *, v8f, int);
	v8f (*round)(v8f);
	int fraction, least;
	uint16_t infinity, nan;
	float beyond; /* the number after the largest one, were there one */
} halves[] = {
	{ kv_load_f16, kv_load_exact_f16, kv_put_f16, kv_store_f16,
	    kv_round_f16_f32, 10, -14, 0x7c00, 0x7e00, 65536 },
	{ kv_load_bf16, kv_load_exact_bf16, kv_put_bf16, kv_store_bf16,
	    kv_round_bf16_f32, 7, -126, 0x7f80, 0x7fc0, INFINITY },
};

/* By the definition of IEEE 754. */
static float
number(const struct half *h, uint16_t bits)
{
	int m = bits & ((1 << h->fraction) - 1);
	int e = (bits & 0x7fff) >> h->fraction;
	float x = (bits & 0x7fff) >= h->infinity ? m ? NAN : INFINITY :
	    (float)ldexp(e ? m + (1 << h->fraction) : m,
	    (e ? e : 1) - 1 + h->least - h->fraction);

	return bits >> 15 ? -x : x;
}

static uint16_t
stored(const struct half *h, float x)
{
	uint16_t out[KV_LANES];

	h->store(out, kv_splat_f32(x), KV_LANES);
	ck_assert_uint_eq(out[0], out[KV_LANES - 1]);
	return out[KV_LANES - 1];
}

START_TEST(half__all_bits)
{
	const struct half *h = &halves[_i];
	uint16_t in[KV_LANES], out[KV_LANES];

	for (uint32_t first = 0; first < 0x10000; first += KV_LANES) {
		v8f x, y;

		for (int i = 0; i < KV_LANES; i++)
			in[i] = (uint16_t)(first + (uint32_t)i);
		x = h->load(in, KV_LANES);
		y = h->exact(in, KV_LANES);
		for (int i = 0; i < KV_LANES; i++) {
			float want = number(h, in[i]);

			ck_assert_msg(isnan(want) ? isnan(x[i]) && isnan(y[i]) :
			    same_f32(x[i], want) && same_f32(y[i], want),
			    "%#x is %a, %a", in[i], (double)x[i], (double)y[i]);
		}
		h->put(out, y, KV_LANES);
		ck_assert_int_eq(memcmp(in, out, sizeof in), 0);
		h->store(out, x, KV_LANES);
		for (int i = 0; i < KV_LANES; i++)
			ck_assert_uint_eq(out[i], isnan(x[i]) ? h->nan : in[i]);
	}
}
END_TEST

/* Half way between neighbours, just beside that, and the numbers themselves. */
START_TEST(half__rounds_to_nearest_even)
{
	const struct half *h = &halves[_i];

	for (uint16_t b = 0; b < h->infinity; b++) {
		float x = number(h, b), next = b + 1 == h->infinity ?
		    h->beyond : number(h, (uint16_t)(b + 1));
		float half = isinf(next) ? x + x * 0x1p-9F : x + (next - x) / 2;

		/* The last one of bfloat16 is 2^120 below 2^128. */
		if (isinf(next))
			half = 0x1.ffp127F;
		ck_assert_uint_eq(stored(h, half), b + (b & 1));
		ck_assert_uint_eq(stored(h, nextafterf(half, 0)), b);
		ck_assert_uint_eq(stored(h, nextafterf(half, INFINITY)), b + 1);
		ck_assert_uint_eq(stored(h, -half), (b + (b & 1)) | 0x8000);
	}
	ck_assert_uint_eq(stored(h, INFINITY), h->infinity);
	ck_assert_uint_eq(stored(h, -INFINITY), h->infinity | 0x8000);
	ck_assert_uint_eq(stored(h, 0x1.fffffep127F), h->infinity);
	ck_assert_uint_eq(stored(h, 0x1p-149F), 0);
	ck_assert_uint_eq(stored(h, -0x1p-149F), 0x8000);
	for (int i = 0; i < 10000; i++)
		ck_assert_uint_eq(stored(h, float_of(0x7f800001 |
		    (uint32_t)random_bits())), h->nan);
}
END_TEST

/* A rounded number is what a store and a load give, and stays; a NaN is one
 * that kv_put keeps. */
START_TEST(half__round_is_store_and_load)
{
	const struct half *h = &halves[_i];
	uint16_t out[KV_LANES];

	for (int n = 0; n < 200000; n++) {
		float x = float_of((uint32_t)random_bits());
		float small = (float)random_in(-8, 8);
		v8f in = kv_splat_f32(n % 2 ? x : small), r = h->round(in);

		h->store(out, in, KV_LANES);
		ck_assert(same_f32(r[3], number(h, out[3])));
		ck_assert(same_f32(h->round(r)[3], r[3]));
		h->put(out, r, KV_LANES);
		ck_assert(same_f32(number(h, out[3]), r[3]));
	}
}
END_TEST

START_TEST(half__parts_of_a_vector)
{
	const struct half *h = &halves[_i];
	uint16_t one = stored(h, 1), in[KV_LANES], out[KV_LANES];

	for (int i = 0; i < KV_LANES; i++)
		in[i] = one;
	for (int k = 1; k < KV_LANES; k++) {
		v8f x = h->load(in, k);

		for (int i = 0; i < KV_LANES; i++) {
			ck_assert(x[i] == (i < k ? 1 : 0));
			out[i] = 7;
		}
		h->store(out, kv_splat_f32(1), k);
		for (int i = 0; i < KV_LANES; i++)
			ck_assert_uint_eq(out[i], i < k ? one : 7);
	}
}
END_TEST

Suite *
VEC_SUITE(void)
{
	Suite *s = suite_create("kernels_half");
	TCase *c = tcase_create("half");

	if (!isa_runs_here(isa_find(K_ISA)))
		return s;
	tcase_add_loop_test(c, half__all_bits, 0, 2);
	tcase_add_loop_test(c, half__rounds_to_nearest_even, 0, 2);
	tcase_add_loop_test(c, half__round_is_store_and_load, 0, 2);
	tcase_add_loop_test(c, half__parts_of_a_vector, 0, 2);
	suite_add_tcase(s, c);
	return s;
}
