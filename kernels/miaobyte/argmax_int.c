/* SPDX-License-Identifier: MIT */
/* The index of the first largest integer. */
#include "vec/max.h"

#define REDUCTION "argmax"
#define WITHIN <=
#define WORST KV_LOWEST(T)
#define EXTREME_OF(S) kv_max_##S
#include "miaobyte/argmax_int.h"
