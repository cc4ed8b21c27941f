/* SPDX-License-Identifier: MIT */
/* Normally distributed numbers, as kernels/ref/normal.c says. */
#include "miaobyte/random.h"
#include "vec/cos.h"
#include "vec/log.h"
#include "vec/sin.h"
#include "vec/sqrt.h"

struct normal {
	double mean, std;
	uint64_t seed;
	void *to;
};

/* The results of KV_LANES pairs, whose numbers begin at x. */
KV_INLINE void
normal_pairs(const struct normal *n, v8u64 x, double *out)
{
	v8d rest = 1 - random_draw(x), a, r, c, s;

	a = random_draw(random_times(x, RANDOM_FACTOR * RANDOM_FACTOR)) *
	    6.283185307179586;
	rest = kv_select_f64(rest < 0x1p-53, kv_splat_f64(0x1p-53), rest);
	r = kv_sqrt_f64(-2 * kv_log_f64(rest));
	c = n->mean + n->std * (r * kv_cos_f64(a));
	s = n->mean + n->std * (r * kv_sin_f64(a));
	for (int i = 0; i < KV_LANES; i++) {
		out[2 * i] = c[i];
		out[2 * i + 1] = s[i];
	}
}

/* C: what computes. A piece begins with a pair. */
#define NORMAL(S, T, C) \
	static int \
	piece_##S(void *ctx, int64_t lo, int64_t hi, void *scratch) \
	{ \
		const struct normal *n = ctx; \
		uint64_t on = random_power(4 * KV_LANES); \
		v8u64 x = random_at(n->seed, 2 * lo, 4); \
		double out[2 * KV_LANES]; \
		T *to = n->to; \
		\
		(void)scratch; \
		for (; lo < hi; lo += 2 * KV_LANES) { \
			int64_t left = hi - lo < 2 * KV_LANES ? hi - lo : \
			    2 * KV_LANES; \
			\
			normal_pairs(n, x, out); \
			for (int64_t i = 0; i < left; i++) \
				to[lo + i] = ref_put_##S(ref_canon_##C( \
				    (VALUE_##S)out[i])); \
			x = random_times(x, on); \
		} \
		return KVK_OK; \
	} \
	\
	static int \
	kernel_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		const int64_t *out = ref_next(ref_next(dim)); \
		const int64_t *seed = ref_next(ref_next(out)); \
		struct normal n = { ref_get_##S(ptr[0], 0), \
			ref_get_##S(ptr[1], 0), (uint64_t)seed[1], ptr[2] }; \
		\
		if (!ref_is_seed(n.seed)) \
			return KVK_RANGE; \
		return stream->par(stream, ref_count(out), RANDOM_GRAIN, \
		    piece_##S, &n); \
	}

NORMAL(f32, float, f32)
NORMAL(f64, double, f64)
NORMAL(f16, uint16_t, f32)
NORMAL(bf16, uint16_t, f32)

#define ENTRY(S, T, t) \
	REF_ENTRY("normal", "[]int32|[]int64," SCALAR "," SCALAR \
	    ",int32|int64->[*]" t, t, KVK_OTHER, 2, 0, kernel_##S)

static const struct kvk_entry entries[] = { FLOATS(ENTRY) HALVES(ENTRY) };

REF_TABLE(entries);
