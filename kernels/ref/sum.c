/* SPDX-License-Identifier: MIT */
#include "ref/table.h"

#define NAME "sum"
#define OUT32 "[*]float32"
#define OUT64 "[*]float64"

#define SUM(S, T) \
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
			long double sum = 0; \
			\
			for (int64_t j = 0; j < n; j++) \
				sum += x[j * inner]; \
			out[i] = ref_canon_##S((T)sum); \
		} \
		return KVK_OK; \
	}

SUM(f32, float)
SUM(f64, double)

#include "ref/reduce.h"
