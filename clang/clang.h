/* SPDX-License-Identifier: MIT */
/*
 * What kvaot asks of clang and LLVM, behind plain C. The implementation is the
 * shared object kvaot-clang.so, opened only by the commands that need it; it
 * exports one symbol, kvaot_clang. This header includes no LLVM header.
 */
#ifndef CLANG_CLANG_H
#define CLANG_CLANG_H

#include <stddef.h>
#include <stdint.h>

enum { CLANG_FACE = 1 };

/* What a scan of machine code found. */
struct clang_verdict {
	unsigned long long insns; /* instructions seen */
	unsigned long long fmas;  /* fused multiply-adds among them */
	unsigned long long bad;   /* instructions outside the level */
};

/* Called for each instruction outside the level: its address, its text, and
 * the feature it needs. The texts live until the call returns. */
typedef void clang_bad(
    void *ctx, uint64_t addr, const char *text, const char *needs);

/* Called for each file that a source includes, itself excepted. */
typedef void clang_included(void *ctx, const char *path);

struct clang_face {
	unsigned version; /* CLANG_FACE */

	/* Adds what the code holds to *v. features are those of the level, as
	 * in base/isa.def, separated by blanks. 0, or -1 when LLVM cannot
	 * disassemble x86-64. */
	int (*scan)(const unsigned char *code, size_t n, uint64_t addr,
	    const char *features, struct clang_verdict *v, clang_bad *,
	    void *ctx);

	/* Runs the preprocessor on dir/name with these arguments, relative to
	 * dir, and names the files it included. 0, or -1 when it failed. */
	int (*includes)(const char *dir, const char *name,
	    const char *const *args, int nargs, clang_included *, void *ctx);
};

extern const struct clang_face kvaot_clang;

#endif
