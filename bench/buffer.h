/* SPDX-License-Identifier: MIT */
/*
 * Memory for tensors, aligned to 64 bytes. Large blocks of malloc all begin at
 * the same place of a page, where loads of one wait for stores to another that
 * only look alike; these begin at different ones.
 */
#ifndef BENCH_BUFFER_H
#define BENCH_BUFFER_H

#include <stddef.h>

/* n bytes, zeroed: no page is new while the time is taken. Fatal without. */
void *buffer_new(size_t n);
void buffer_free(void *);

#endif
