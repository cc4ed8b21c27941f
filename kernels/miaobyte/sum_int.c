/* SPDX-License-Identifier: MIT */
#include "vec/sum.h"

#define REDUCTION "sum"
#define FOLD(f, S) kv_sum##f##_##S
#include "miaobyte/fold_int.h"
