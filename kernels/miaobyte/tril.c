/* SPDX-License-Identifier: MIT */
/* 0 above diagonal k of the last two axes. */
#define NAME "tril"
#define UPPER 0
#include "miaobyte/triangle.h"
