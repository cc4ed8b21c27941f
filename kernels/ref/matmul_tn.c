/* SPDX-License-Identifier: MIT */
/* Matrix product whose first matrix is transposed. */
#define OP "matmul_tn"
#define PRODUCT product_tn
#include "ref/matmul.c"
