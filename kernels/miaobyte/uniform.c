/* SPDX-License-Identifier: MIT */
/* Random numbers in [low, high), computed in double and rounded once; halves to
 * float first. */
#include "miaobyte/random.h"
#include "vec/half.h"

struct uniform {
	double low, high;
	uint64_t seed;
	void *to;
};

KV_INLINE v8d
value(const struct uniform *u, v8u64 x)
{
	return u->low + random_draw(x) * (u->high - u->low);
}

#define UNIFORM(S, T, V) \
	static int \
	piece_##S(void *ctx, int64_t lo, int64_t hi, void *scratch) \
	{ \
		const struct uniform *u = ctx; \
		uint64_t on = random_power(2 * KV_LANES); \
		v8u64 x = random_at(u->seed, 2 * lo, 2); \
		T *to = u->to; \
		\
		(void)scratch; \
		for (; lo + KV_LANES <= hi; lo += KV_LANES) { \
			kv_store_##S(to + lo, __builtin_convertvector( \
			    value(u, x), V), KV_LANES); \
			x = random_times(x, on); \
		} \
		if (lo < hi) \
			kv_store_##S(to + lo, __builtin_convertvector( \
			    value(u, x), V), (int)(hi - lo)); \
		return KVK_OK; \
	} \
	\
	static int \
	kernel_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		const int64_t *out = ref_next(ref_next(dim)); \
		const int64_t *seed = ref_next(ref_next(out)); \
		struct uniform u = { ref_get_##S(ptr[0], 0), \
			ref_get_##S(ptr[1], 0), (uint64_t)seed[1], ptr[2] }; \
		\
		if (!ref_is_seed(u.seed)) \
			return KVK_RANGE; \
		return stream->par(stream, ref_count(out), RANDOM_GRAIN, \
		    piece_##S, &u); \
	}

UNIFORM(f32, float, v8f)
UNIFORM(f64, double, v8d)
UNIFORM(f16, uint16_t, v8f)
UNIFORM(bf16, uint16_t, v8f)

#define ENTRY(S, T, t) \
	REF_ENTRY("uniform", "[]int32|[]int64," SCALAR "," SCALAR \
	    ",int32|int64->[*]" t, t, KVK_OTHER, 2, 0, kernel_##S)

static const struct kvk_entry entries[] = { FLOATS(ENTRY) HALVES(ENTRY) };

REF_TABLE(entries);
