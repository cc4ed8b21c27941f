/* SPDX-License-Identifier: MIT */
/*
 * A C source with all headers it includes, as texts. Includes are followed by
 * reading, so that the compiler can be given these very texts and nothing
 * else, in a folder of its own: what was not followed cannot be included.
 */
#ifndef CACHE_SOURCE_H
#define CACHE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct arena;
struct diag;
struct paths;

/*
 * name is where the text lies in the compiler's folder: `kernel.c`, or
 * `N/vec/base.h` for a header found in include folder N (from 0). path is
 * where it was read.
 */
struct source_file {
	const char *name, *path;
	struct str text;
};

/* file[0] is the C file; headers follow in order of first inclusion. */
struct source {
	struct arena *arena;
	const struct paths *include;
	struct source_file *file;
	size_t n, cap;
	bool hand;
};

/*
 * Reads the source and follows #include "x", once each: a header's own folder
 * first, then the include folders. Refused, with file and line: <x>, a name
 * made by a macro, #include inside #if (an include guard excepted),
 * #include_next, #import, #embed, .incbin, `..` or an absolute name, and
 * __DATE__, __TIME__, __TIMESTAMP__, __has_include, __has_embed. With `hand`,
 * for kernels written by hand, #include inside #if is followed as well, and
 * one that is not found there is left to the compiler. -1 with the reasons in
 * diag.
 */
int source_read(struct source *, struct arena *, const char *path,
    const struct paths *include, bool hand, struct diag *);

#endif
