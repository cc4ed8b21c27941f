/* SPDX-License-Identifier: MIT */
/*
 * Whether each instruction of an object is within its instruction set level.
 * The disassembler (conf's `scan` object) is opened when the first object
 * without a stored verdict comes; verdicts are stored by object digest and
 * level in <cache>/scans/ab/HEX.ISA, so a warm run opens nothing.
 */
#ifndef CACHE_SCAN_H
#define CACHE_SCAN_H

#include <stddef.h>

struct conf;
struct diag;
struct clang_face;

/* path NULL: the object of that digest in the cache. digest NULL: computed
 * from the file, and the verdict is still stored. fmas is filled in: the
 * number of fused multiply-adds. */
struct scan_item {
	const char *path, *digest, *isa;
	unsigned long long fmas;
};

/*
 * Scans all objects; also checks their form (elf_check) and digest. 0 when all
 * are within their levels; -1 with the first offending instructions of each
 * in diag. Needs conf_cache.
 */
int scan_objects(
    const struct conf *, struct scan_item *, size_t n, struct diag *);

/* The compiler behind conf's `scan` line, for its other services; NULL with
 * the reason in diag. Stays open until the process ends. */
const struct clang_face *scan_face(const struct conf *, struct diag *);

#endif
