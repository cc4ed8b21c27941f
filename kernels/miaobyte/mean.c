/* SPDX-License-Identifier: MIT */
#include "miaobyte/reduce.h"
#include "vec/mean.h"

#define T float
#define V v8f
#define NAME(f) f##_f32
#define OP(f) kv_mean##f##_f32
#include "miaobyte/fold.h"

#define T double
#define V v8d
#define NAME(f) f##_f64
#define OP(f) kv_mean##f##_f64
#include "miaobyte/fold.h"

REDUCE_TABLE("mean", "float32", "float64");
