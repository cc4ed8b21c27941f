/* SPDX-License-Identifier: MIT */
/* Of floats nearly exact; integers wrap around. */
#define NAME "sum"
#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X) INTS(X)
#endif
#define WIDE_f32 long double
#define WIDE_f64 long double
#define WIDE_i8 uint64_t
#define WIDE_i16 uint64_t
#define WIDE_i32 uint64_t
#define WIDE_i64 uint64_t
#define WIDE_u8 uint64_t
#define WIDE_u16 uint64_t
#define WIDE_u32 uint64_t
#define WIDE_u64 uint64_t
#define REDUCE(S, T, get) \
	WIDE_##S sum = 0; \
	\
	for (int64_t j = 0; j < n; j++) \
		sum += (WIDE_##S)get(x, ref_at(axes, j)); \
	return ref_canon_##S((T)sum);

#include "ref/reduce.h"
