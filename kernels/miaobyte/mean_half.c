/* SPDX-License-Identifier: MIT */
#include "vec/mean.h"

#define REDUCTION "mean"
#define FOLD(f) kv_mean##f##_f32
#include "miaobyte/fold_half.h"
