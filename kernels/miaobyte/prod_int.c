/* SPDX-License-Identifier: MIT */
#include "vec/prod.h"

#define REDUCTION "prod"
#define FOLD(f, S) kv_prod##f##_##S
#include "miaobyte/fold_int.h"
