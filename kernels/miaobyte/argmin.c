/* SPDX-License-Identifier: MIT */
/* The index of the first smallest element; NaN counts as smaller than all. */
#include "miaobyte/reduce.h"
#include "vec/min.h"
#include "vec/reduce.h"

#define WITHIN >=
#define WORST __builtin_inf()

#define T float
#define V v8f
#define I v8i
#define E int
#define NAME(f) f##_f32
#define EXTREME kv_min_f32
#include "miaobyte/argmax.h"

#define T double
#define V v8d
#define I v8l
#define E int64_t
#define NAME(f) f##_f64
#define EXTREME kv_min_f64
#include "miaobyte/argmax.h"

REDUCE_TABLE("argmin", "int64", "int64");
