/* SPDX-License-Identifier: MIT */
/* The first index of the largest element; NaN counts as larger than all. */
#include "ref/table.h"

#define NAME "argmax"
#define OUT32 "[*]int64"
#define OUT64 "[*]int64"

#define ARGMAX(S, T) \
	static int \
	reduce_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		int64_t n = dim[1], inner = dim[2]; \
		const T *in = ptr[0]; \
		int64_t *out = ptr[1]; \
		\
		(void)stream; \
		if (n == 0 && dim[0] * inner > 0) \
			return KVK_RANGE; \
		for (int64_t i = 0; i < dim[0] * inner; i++) { \
			const T *x = in + i / inner * n * inner + i % inner; \
			int64_t best = 0; \
			\
			for (int64_t j = 1; j < n; j++) { \
				T max = x[best * inner]; \
				\
				if (!(x[j * inner] <= max) && max == max) \
					best = j; \
			} \
			out[i] = best; \
		} \
		return KVK_OK; \
	}

ARGMAX(f32, float)
ARGMAX(f64, double)

#include "ref/reduce.h"
