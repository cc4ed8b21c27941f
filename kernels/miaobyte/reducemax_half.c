/* SPDX-License-Identifier: MIT */
#include "vec/reducemax.h"

#define REDUCTION "reducemax"
#define FOLD(f) kv_reducemax##f##_f32
#include "miaobyte/fold_half.h"
