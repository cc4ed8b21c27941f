/* SPDX-License-Identifier: MIT */
#include "vec/reducemax.h"

#define REDUCTION "reducemax"
#define FOLD(f, S) kv_reducemax##f##_##S
#include "miaobyte/fold_int.h"
