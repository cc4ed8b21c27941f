/* SPDX-License-Identifier: MIT */
/* |x|: the sign bit is cleared; kv_abs_* is part of base.h. */
#ifndef VEC_ABS_H
#define VEC_ABS_H

#include "vec/base.h"

#endif
