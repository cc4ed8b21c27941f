/* SPDX-License-Identifier: MIT */
#define OP "matmul"
#define PRODUCT product_of
#include "miaobyte/matmul_half.h"
