/* SPDX-License-Identifier: MIT */
/* The functions of one number in kernels/vec against libm in long double, and
 * their values at the edges. Compiled as kernels are, once for each instruction
 * set, with VEC_SUITE the name of the suite function. */
#include <check.h>
#include <math.h>
#include <stdint.h>

#define KVK_NO_STDINT
#include "vec/ceil.h"
#include "vec/cos.h"
#include "vec/erf.h"
#include "vec/floor.h"
#include "vec/gelu.h"
#include "vec/gelutanh.h"
#include "vec/log.h"
#include "vec/reciprocal.h"
#include "vec/round.h"
#include "vec/rsqrt.h"
#include "vec/sigmoid.h"
#include "vec/silu.h"
#include "vec/sin.h"
#include "vec/square.h"
#include "vec/tan.h"
#include "vec/tanh.h"
#include "base/isa.h"
#include "tests/t_kernels_vec.h"

Suite *VEC_SUITE(void);

static long double
sigmoid(long double x)
{
	return 1 / (1 + expl(-x));
}

static long double
silu(long double x)
{
	return x / (1 + expl(-x));
}

static long double
rsqrt(long double x)
{
	return 1 / sqrtl(x);
}

static long double
reciprocal(long double x)
{
	return 1 / x;
}

static long double
square(long double x)
{
	return x * x;
}

static long double
gelu(long double x)
{
	return x * erfcl(-x * 0xb.504f333f9de6484p-4L) / 2;
}

static long double
gelutanh(long double x)
{
	long double u = sqrtl(2 / 3.14159265358979323846264338327950288L) *
	    (x + 0.044715L * x * x * x);

	return 0.5L * x * (1 + tanhl(u));
}

/* ulp_f32, ulp_f64: the bound; 0.501 of what rounds correctly, for the reference
 * is rounded too. lo, hi: where most happens; samples lie there and
 * everywhere. absolute: the ulp of a result below 1 is that of 1. */
static const struct function {
	const char *name;
	v8f (*f32)(v8f);
	v8d (*f64)(v8d);
	long double (*ref)(long double);
	double ulp_f32, ulp_f64, lo, hi;
	int absolute;
} functions[] = {
	{ "ceil", kv_ceil_f32, kv_ceil_f64, ceill, 0, 0, -9, 9, 0 },
	{ "cos", kv_cos_f32, kv_cos_f64, cosl, 1, 1, -30, 30, 0 },
	{ "erf", kv_erf_f32, kv_erf_f64, erfl, 1, 2, -6.5, 6.5, 0 },
	{ "floor", kv_floor_f32, kv_floor_f64, floorl, 0, 0, -9, 9, 0 },
	{ "gelu", kv_gelu_f32, kv_gelu_f64, gelu, 2, 2, -9, 9, 1 },
	{ "gelutanh", kv_gelutanh_f32, kv_gelutanh_f64, gelutanh, 2, 2, -9, 9,
	    1 },
	{ "log", kv_log_f32, kv_log_f64, logl, 1, 1, 0, 3, 0 },
	{ "reciprocal", kv_reciprocal_f32, kv_reciprocal_f64, reciprocal, 0.501,
	    0.501, -4, 4, 0 },
	{ "round", kv_round_f32, kv_round_f64, rintl, 0, 0, -9, 9, 0 },
	{ "rsqrt", kv_rsqrt_f32, kv_rsqrt_f64, rsqrt, 1.5, 1.5, 0, 8, 0 },
	{ "sigmoid", kv_sigmoid_f32, kv_sigmoid_f64, sigmoid, 2, 2, -750, 40, 0 },
	{ "silu", kv_silu_f32, kv_silu_f64, silu, 3, 2, -760, 40, 0 },
	{ "sin", kv_sin_f32, kv_sin_f64, sinl, 1, 1, -30, 30, 0 },
	{ "square", kv_square_f32, kv_square_f64, square, 0.501, 0.501, -4, 4, 0 },
	{ "tan", kv_tan_f32, kv_tan_f64, tanl, 1, 3, -30, 30, 0 },
	{ "tanh", kv_tanh_f32, kv_tanh_f64, tanhl, 1, 1, -20, 20, 0 },
};
enum { NFUNCTIONS = sizeof functions / sizeof *functions };

static double
error_f32(const struct function *f, float x)
{
	float y = f->f32(kv_splat_f32(x))[5];
	long double ref = f->ref(x);

	if (isnan(ref))
		return isnan(y) ? 0 : INFINITY;
	if (fabsl(ref) >= 0x1.ffffffp127L)
		return isinf(y) && (y > 0) == (ref > 0) ? 0 : INFINITY;
	if (ref == 0 && !f->absolute)
		return y == 0 ? 0 : INFINITY;
	return ulps(y, ref, 24, f->absolute ? 0 : -126);
}

static double
error_f64(const struct function *f, double x)
{
	double y = f->f64(kv_splat_f64(x))[5];
	long double ref = f->ref(x);

	if (isnan(ref))
		return isnan(y) ? 0 : INFINITY;
	if (fabsl(ref) >= 0x1.fffffffffffff8p1023L)
		return isinf(y) && (y > 0) == (ref > 0) ? 0 : INFINITY;
	if (ref == 0 && !f->absolute)
		return y == 0 ? 0 : INFINITY;
	return ulps(y, ref, 53, f->absolute ? 0 : -1022);
}

static void
keep_worse(double *worst, double *at, double error, double x)
{
	if (isnan(error))
		error = INFINITY;
	if (error <= *worst)
		return;
	*worst = error;
	*at = x;
}

START_TEST(function__within_its_bound)
{
	const struct function *f = &functions[_i];
	double f32 = 0, f64 = 0, at_f32 = 0, at_f64 = 0;

	for (int n = 0; n < 60000 + NSPECIAL; n++) {
		float x = float_of((uint32_t)random_bits());
		double y = double_of(random_bits());

		if (n < NSPECIAL) {
			x = special_f32[n];
			y = special_f64[n];
		} else if (n % 4) {
			y = random_in(f->lo, f->hi);
			x = (float)y;
		}
		keep_worse(&f32, &at_f32, error_f32(f, x), (double)x);
		keep_worse(&f64, &at_f64, error_f64(f, y), y);
	}
	ck_assert_msg(f32 <= f->ulp_f32, "%s f32: %.3f ulp at %a", f->name, f32,
	    at_f32);
	ck_assert_msg(f64 <= f->ulp_f64, "%s f64: %.3f ulp at %a", f->name, f64,
	    at_f64);
}
END_TEST

/* Values that C, ONNX and PyTorch agree on, the sign of a zero included. */
static const struct edge {
	const char *name;
	double x, y;
} edges[] = {
	{ "ceil", 0, 0 }, { "ceil", -0.0, -0.0 }, { "ceil", INFINITY, INFINITY },
	{ "ceil", -INFINITY, -INFINITY }, { "ceil", NAN, NAN },
	{ "ceil", 0.5, 1 }, { "ceil", -0.5, -0.0 }, { "ceil", 2.5, 3 },
	{ "ceil", -2.5, -2 }, { "ceil", 4194303.5, 4194304 },
	{ "cos", 0, 1 }, { "cos", INFINITY, NAN }, { "cos", NAN, NAN },
	{ "erf", 0, 0 }, { "erf", -0.0, -0.0 }, { "erf", INFINITY, 1 },
	{ "erf", -INFINITY, -1 }, { "erf", NAN, NAN }, { "erf", -1e30, -1 },
	{ "floor", 0, 0 }, { "floor", -0.0, -0.0 }, { "floor", INFINITY, INFINITY },
	{ "floor", -INFINITY, -INFINITY }, { "floor", NAN, NAN },
	{ "floor", 0.5, 0 }, { "floor", -0.5, -1 }, { "floor", 2.5, 2 },
	{ "floor", -2.5, -3 }, { "floor", 8388607.5, 8388607 },
	{ "gelu", 0, 0 }, { "gelu", -0.0, -0.0 }, { "gelu", INFINITY, INFINITY },
	{ "gelu", -INFINITY, NAN }, { "gelu", NAN, NAN }, { "gelu", 1e30, 1e30 },
	{ "gelu", -1e30, -0.0 },
	{ "gelutanh", 0, 0 }, { "gelutanh", -0.0, -0.0 },
	{ "gelutanh", INFINITY, INFINITY }, { "gelutanh", -INFINITY, NAN },
	{ "gelutanh", NAN, NAN }, { "gelutanh", 1e30, 1e30 },
	{ "gelutanh", -1e30, -0.0 },
	{ "log", 1, 0 }, { "log", 0, -INFINITY }, { "log", -0.0, -INFINITY },
	{ "log", INFINITY, INFINITY }, { "log", -1, NAN }, { "log", NAN, NAN },
	{ "reciprocal", 4, 0.25 }, { "reciprocal", 0, INFINITY },
	{ "reciprocal", -0.0, -INFINITY }, { "reciprocal", -INFINITY, -0.0 },
	{ "reciprocal", NAN, NAN },
	{ "round", 0, 0 }, { "round", -0.0, -0.0 }, { "round", INFINITY, INFINITY },
	{ "round", -INFINITY, -INFINITY }, { "round", NAN, NAN },
	{ "round", 0.5, 0 }, { "round", -0.5, -0.0 }, { "round", 1.5, 2 },
	{ "round", 2.5, 2 }, { "round", -2.5, -2 },
	{ "round", 4194303.5, 4194304 },
	{ "rsqrt", 4, 0.5 }, { "rsqrt", 0, INFINITY },
	{ "rsqrt", -0.0, -INFINITY }, { "rsqrt", INFINITY, 0 },
	{ "rsqrt", -1, NAN }, { "rsqrt", NAN, NAN },
	{ "sigmoid", 0, 0.5 }, { "sigmoid", -0.0, 0.5 },
	{ "sigmoid", INFINITY, 1 }, { "sigmoid", -INFINITY, 0 },
	{ "sigmoid", NAN, NAN }, { "sigmoid", 1e30, 1 },
	{ "sigmoid", -1e30, 0 },
	{ "silu", 0, 0 }, { "silu", -0.0, -0.0 }, { "silu", INFINITY, INFINITY },
	{ "silu", -INFINITY, NAN }, { "silu", NAN, NAN }, { "silu", 3e38, 3e38 },
	{ "silu", -3e38, -0.0 },
	{ "sin", 0, 0 }, { "sin", -0.0, -0.0 }, { "sin", -INFINITY, NAN },
	{ "sin", NAN, NAN },
	{ "square", -3, 9 }, { "square", -0.0, 0 },
	{ "square", -INFINITY, INFINITY }, { "square", 1e200, INFINITY },
	{ "square", NAN, NAN },
	{ "tan", 0, 0 }, { "tan", -0.0, -0.0 }, { "tan", INFINITY, NAN },
	{ "tan", NAN, NAN },
	{ "tanh", 0, 0 }, { "tanh", -0.0, -0.0 }, { "tanh", INFINITY, 1 },
	{ "tanh", -INFINITY, -1 }, { "tanh", NAN, NAN }, { "tanh", 1e30, 1 },
};
enum { NEDGES = sizeof edges / sizeof *edges };

START_TEST(function__edges)
{
	const struct function *f = &functions[_i];
	int seen = 0;

	for (int i = 0; i < NEDGES; i++) {
		const struct edge *e = &edges[i];
		v8f x = kv_splat_f32((float)e->x);
		v8d y = kv_splat_f64(e->x);

		if (strcmp(e->name, f->name) != 0)
			continue;
		seen++;
		ck_assert_msg(same_f32(f->f32(x)[2], (float)e->y),
		    "%s f32(%g) = %g", f->name, e->x, (double)f->f32(x)[2]);
		ck_assert_msg(same_f64(f->f64(y)[2], e->y), "%s f64(%g) = %g",
		    f->name, e->x, f->f64(y)[2]);
	}
	ck_assert_msg(seen > 0, "%s has no edges", f->name);
}
END_TEST

/* What a lane gives does not depend on the other lanes. */
START_TEST(function__lanes_are_independent)
{
	const struct function *f = &functions[_i];

	for (int n = 0; n < 500; n++) {
		v8f x, y;
		v8d u, w;

		for (int i = 0; i < KV_LANES; i++) {
			int k = (int)(random_bits() % (2 * NSPECIAL));

			u[i] = k < NSPECIAL ? special_f64[k] :
			    random_in(f->lo, f->hi);
			x[i] = k < NSPECIAL ? special_f32[k] : (float)u[i];
		}
		y = f->f32(x);
		w = f->f64(u);
		for (int i = 0; i < KV_LANES; i++) {
			ck_assert(same_f32(y[i], f->f32(kv_splat_f32(x[i]))[0]));
			ck_assert(same_f64(w[i], f->f64(kv_splat_f64(u[i]))[0]));
		}
	}
}
END_TEST

Suite *
VEC_SUITE(void)
{
	Suite *s = suite_create("kernels_func");
	TCase *t = tcase_create("all");

	suite_add_tcase(s, t);
	if (!isa_runs_here(isa_find(K_ISA)))
		return s;
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, function__within_its_bound, 0, NFUNCTIONS);
	tcase_add_loop_test(t, function__edges, 0, NFUNCTIONS);
	tcase_add_loop_test(t, function__lanes_are_independent, 0, NFUNCTIONS);
	return s;
}
