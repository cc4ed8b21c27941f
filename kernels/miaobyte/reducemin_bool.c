/* SPDX-License-Identifier: MIT */
#define AUTHOR "miaobyte"
#define TYPES(X) BOOLS(X)
#include "ref/reducemin.c"
