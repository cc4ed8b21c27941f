/* SPDX-License-Identifier: MIT */
/* The sum, divided once by the number of elements; of nothing NaN. */
#ifndef VEC_MEAN_H
#define VEC_MEAN_H

#include "vec/base.h"
#include "vec/reduce.h"
#include "vec/sum.h"

KV_INLINE v8f
kv_mean_f32(v8f a, v8f b)
{
	return kv_sum_f32(a, b);
}

KV_INLINE v8d
kv_mean_f64(v8d a, v8d b)
{
	return kv_sum_f64(a, b);
}

KV_INLINE v8f
kv_mean_end_f32(v8f v, int64_t n)
{
	return v / kv_splat_f32((float)n);
}

KV_INLINE v8d
kv_mean_end_f64(v8d v, int64_t n)
{
	return v / kv_splat_f64((double)n);
}

KV_REDUCTION_ENDED(mean, f32, float, v8f, -0.0F, __builtin_nanf(""));
KV_REDUCTION_ENDED(mean, f64, double, v8d, -0.0, __builtin_nan(""));

#endif
