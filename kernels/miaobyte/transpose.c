/* SPDX-License-Identifier: MIT */
#define AUTHOR "miaobyte"
#include "ref/transpose.c"
