/* SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"

/*
 * Under AddressSanitizer the free part of a block is poisoned and allocations
 * are kept apart, so that an overrun of one is found as with malloc.
 */
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if __has_feature(address_sanitizer) || defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
enum { GAP = 16 };
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
enum { GAP = 0 };
#endif

enum { ALIGN = 64, BLOCK_MIN = 4096, BLOCK_MAX = 1 << 20 };

struct arena_block {
	struct arena_block *next;
	char *p;       /* the first free byte */
	size_t room;   /* free bytes from p */
	size_t size;   /* room when it was new */
};

void
arena_init(struct arena *a)
{
	a->head = NULL;
}

void
arena_release(struct arena *a)
{
	struct arena_block *b, *next;

	for (b = a->head; b; b = next) {
		next = b->next;
		ASAN_UNPOISON_MEMORY_REGION(b->p, b->room);
		free(b);
	}
	a->head = NULL;
}

size_t
arena_size(const struct arena *a)
{
	const struct arena_block *b;
	size_t n = 0;

	for (b = a->head; b; b = b->next)
		n += b->size;
	return n;
}

static struct arena_block *
block_new(size_t size)
{
	/* calloc gives large blocks as untouched zero pages. */
	struct arena_block *b = calloc(1, sizeof(*b) + size);

	if (!b)
		fatal("out of memory (%zu bytes)", size);
	b->p = (char *)(b + 1);
	b->room = b->size = size;
	ASAN_POISON_MEMORY_REGION(b->p, b->room);
	return b;
}

/* A block with room for n bytes. A large request gets a block of its own
 * behind the head, so that the head's room is not lost. */
static struct arena_block *
block_for(struct arena *a, size_t n)
{
	struct arena_block *head = a->head, *b;
	size_t size = BLOCK_MIN;

	if (head)
		size = head->size < BLOCK_MAX / 2 ? head->size * 2 : BLOCK_MAX;
	if (head && n > size / 4) {
		b = block_new(n);
		b->next = head->next;
		head->next = b;
		return b;
	}
	b = block_new(n > size ? n : size);
	b->next = head;
	a->head = b;
	return b;
}

static void *
take(struct arena *a, size_t n, size_t align)
{
	struct arena_block *b = a->head;
	size_t pad;
	char *p;

	if (n > PTRDIFF_MAX - ALIGN - GAP - sizeof(*b))
		fatal("out of memory (%zu bytes)", n);
	pad = b ? -(uintptr_t)b->p & (align - 1) : 0;
	if (!b || b->room < pad + n + GAP) {
		b = block_for(a, n + align + GAP);
		pad = -(uintptr_t)b->p & (align - 1);
	}
	p = b->p + pad;
	ASAN_UNPOISON_MEMORY_REGION(p, n);
	b->p += pad + n + GAP;
	b->room -= pad + n + GAP;
	return p;
}

void *
arena_alloc(struct arena *a, size_t n)
{
	return take(a, n, ALIGN);
}

void *
arena_array(struct arena *a, size_t n, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(n, size, &total))
		fatal("out of memory (%zu elements of %zu bytes)", n, size);
	return arena_alloc(a, total);
}

char *
arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = take(a, n + 1, 1);

	if (n)
		memcpy(p, s, n);
	return p;
}

char *
arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *
arena_printf(struct arena *a, const char *fmt, ...)
{
	char text[256], *p;
	va_list ap;
	int n;

	/* Most texts are short, and formatting one twice takes twice. */
	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0)
		BUG("vsnprintf failed on \"%s\"", fmt);
	if ((size_t)n < sizeof(text))
		return arena_strndup(a, text, (size_t)n);
	p = take(a, (size_t)n + 1, 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}

void *
arena_grow(struct arena *a, void *array, size_t n, size_t *cap, size_t size)
{
	size_t want;
	void *p;

	if (n < *cap)
		return array;
	want = *cap ? *cap : 4;
	if (__builtin_mul_overflow(want, 2, &want))
		fatal("out of memory (%zu elements)", n);
	p = arena_array(a, want, size);
	if (n)
		memcpy(p, array, n * size);
	*cap = want;
	return p;
}
