/* SPDX-License-Identifier: MIT */
#include "vec/prod.h"

#define REDUCTION "prod"
#define FOLD(f) kv_prod##f##_f32
#include "miaobyte/fold_half.h"
