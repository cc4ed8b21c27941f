/* SPDX-License-Identifier: MIT */
/* Matrix product whose second matrix is transposed. */
#define OP "matmul_nt"
#define PRODUCT product_nt
#include "ref/matmul.c"
