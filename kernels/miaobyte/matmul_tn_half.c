/* SPDX-License-Identifier: MIT */
#define OP "matmul_tn"
#define PRODUCT product_tn
#include "miaobyte/matmul_half.h"
