/* SPDX-License-Identifier: MIT */
/* The index of the first smallest integer. */
#include "vec/min.h"

#define REDUCTION "argmin"
#define WITHIN >=
#define WORST KV_HIGHEST(T)
#define EXTREME_OF(S) kv_min_##S
#include "miaobyte/argmax_int.h"
