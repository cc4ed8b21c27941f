/* SPDX-License-Identifier: MIT */
/* BLAS has no integers. As the default author of matmul cblas takes them too, in
 * the plainest way. */
#define AUTHOR "cblas"
#define TYPES(X) INTS(X)
#include "ref/matmul.c"
