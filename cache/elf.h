/* SPDX-License-Identifier: MIT */
/*
 * Reads a stored object as an ELF64 x86-64 shared object without trusting a
 * byte of it.
 */
#ifndef CACHE_ELF_H
#define CACHE_ELF_H

#include <stddef.h>
#include <stdint.h>

struct diag;

/*
 * Whether the bytes are a kernel object: its one export is the data symbol
 * kvk_table; undefined are only memcpy, memset and memmove; it needs no other
 * object, runs nothing when loaded, has no thread-local storage, no memory
 * both writable and executable, no symbol table besides the dynamic one, and
 * executable bytes only inside executable sections. `name` is what messages
 * call it. 0, or -1 with the first reason in diag.
 */
int elf_check(const void *, size_t n, const char *name, struct diag *);

/* Executable bytes; p points into the object. */
struct elf_range {
	uint64_t addr;
	const unsigned char *p;
	size_t n;
};

/*
 * The executable sections of an object that passes elf_check, in file order.
 * The caller frees *ranges. 0, or -1 when the bytes are no such object.
 */
int elf_text(const void *, size_t n, struct elf_range **ranges, size_t *count);

#endif
