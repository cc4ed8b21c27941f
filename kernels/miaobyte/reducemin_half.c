/* SPDX-License-Identifier: MIT */
#include "vec/reducemin.h"

#define REDUCTION "reducemin"
#define FOLD(f) kv_reducemin##f##_f32
#include "miaobyte/fold_half.h"
