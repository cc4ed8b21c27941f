/* SPDX-License-Identifier: MIT */
#include "ref/table.h"

#define NAME "reducemax"
#define OUT32 "[*]float32"
#define OUT64 "[*]float64"

#define REDUCEMAX(S, T) \
	static int \
	reduce_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		int64_t n = dim[1], inner = dim[2]; \
		const T *in = ptr[0]; \
		T *out = ptr[1]; \
		\
		(void)stream; \
		for (int64_t i = 0; i < dim[0] * inner; i++) { \
			const T *x = in + i / inner * n * inner + i % inner; \
			T max = (T)-__builtin_inf(); \
			\
			for (int64_t j = 0; j < n; j++) \
				if (!(x[j * inner] <= max) && max == max) \
					max = x[j * inner]; \
			out[i] = ref_canon_##S(max); \
		} \
		return KVK_OK; \
	}

REDUCEMAX(f32, float)
REDUCEMAX(f64, double)

#include "ref/reduce.h"
