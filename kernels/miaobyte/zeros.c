/* SPDX-License-Identifier: MIT */
/* Every element is 0. */
#define NAME "zeros"
#define VALUE 0
#include "miaobyte/number.h"
