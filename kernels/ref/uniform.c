/* SPDX-License-Identifier: MIT */
/* Random numbers in [low, high), one of the stream's for each, computed in double
 * and rounded once; halves to float first. */
#include "ref/random.h"

#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X)
#endif

#define CANON(S, v) REF_CANON(S, v)
#define REF_CANON(S, v) ref_canon_##S(v)

#define UNIFORM(S, T, t) \
	static int \
	uniform_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		const int64_t *out = ref_next(ref_next(dim)); \
		const int64_t *seed = ref_next(ref_next(out)); \
		double low = ref_get_##S(ptr[0], 0); \
		double high = ref_get_##S(ptr[1], 0); \
		int64_t n = ref_count(out); \
		uint64_t x = (uint64_t)seed[1]; \
		\
		(void)stream; \
		if (!ref_is_seed(x)) \
			return KVK_RANGE; \
		for (int64_t i = 0; i < n; i++) \
			((T *)ptr[2])[i] = ref_put_##S(CANON(CALC_##S, \
			    (VALUE_##S)(low + ref_draw(&x) * (high - low)))); \
		return KVK_OK; \
	}

#define ENTRY(S, T, t) \
	REF_ENTRY("uniform", "[]int32|[]int64," SCALAR "," SCALAR \
	    ",int32|int64->[*]" t, t, KVK_OTHER, 2, 0, uniform_##S)

TYPES(UNIFORM)

static const struct kvk_entry entries[] = { TYPES(ENTRY) };

REF_TABLE(entries);
