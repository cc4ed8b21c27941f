/* SPDX-License-Identifier: MIT */
#define OP "matmul_nt"
#define PRODUCT product_nt
#include "miaobyte/matmul_half.h"
