/* SPDX-License-Identifier: MIT */
#include "miaobyte/reduce.h"
#include "vec/reducemin.h"

#define T float
#define V v8f
#define NAME(f) f##_f32
#define OP(f) kv_reducemin##f##_f32
#include "miaobyte/fold.h"

#define T double
#define V v8d
#define NAME(f) f##_f64
#define OP(f) kv_reducemin##f##_f64
#include "miaobyte/fold.h"

REDUCE_TABLE("reducemin", "float32", "float64");
