/* SPDX-License-Identifier: MIT */
#include "vec/sum.h"

#define REDUCTION "sum"
#define FOLD(f) kv_sum##f##_f32
#include "miaobyte/fold_half.h"
