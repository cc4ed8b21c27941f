/* SPDX-License-Identifier: MIT */
/*
 * Memory with one named lifetime: allocate freely, release everything at once.
 * Out of memory is fatal (exit 3), so no caller checks for NULL.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *head;
};

/* A zeroed struct arena is also a valid, empty one. */
void arena_init(struct arena *);

/* Frees all that was allocated from the arena and leaves it empty. */
void arena_release(struct arena *);

/* The bytes that the arena has taken from the system. */
size_t arena_size(const struct arena *);

/* n zeroed bytes aligned to 64; n may be 0. */
void *arena_alloc(struct arena *, size_t n);

/* An array of n elements of `size` bytes; overflow of n * size is fatal. */
void *arena_array(struct arena *, size_t n, size_t size);

/* Copies ending in NUL. */
char *arena_strdup(struct arena *, const char *);
char *arena_strndup(struct arena *, const char *, size_t n);
char *arena_printf(struct arena *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Makes room for one more element in an array that grows by doubling: returns
 * the array, moved if needed, with *cap updated. n is the present count.
 */
void *arena_grow(struct arena *, void *array, size_t n, size_t *cap,
    size_t size);

#endif
