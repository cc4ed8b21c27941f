/* SPDX-License-Identifier: MIT */
#include "bench/buffer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"

/* An odd number of 64 bytes, so that it takes 64 buffers to meet again. */
enum { PAGE = 4096, APART = 17 * 64 };

void *
buffer_new(size_t n)
{
	static size_t count;
	char *p = aligned_alloc(PAGE, (n / PAGE + 2) * PAGE);

	if (!p)
		fatal("no memory for %zu bytes", n);
	p += count++ * APART % PAGE;
	return memset(p, 0, n);
}

void
buffer_free(void *p)
{
	if (p)
		free((char *)p - (uintptr_t)p % PAGE);
}
