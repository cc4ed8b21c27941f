/* SPDX-License-Identifier: MIT */
/* What the machine can do, besides moving memory (peer_limit). */
#ifndef BENCH_LIMIT_H
#define BENCH_LIMIT_H

/* Multiplications and additions of float32 that fma does in a nanosecond, with
 * the longest vectors of the CPU, 8 or 16. 0: it has none. */
double limit_fma(void);

#endif
