/* SPDX-License-Identifier: MIT */
#include "vec/reducemin.h"

#define REDUCTION "reducemin"
#define FOLD(f, S) kv_reducemin##f##_##S
#include "miaobyte/fold_int.h"
