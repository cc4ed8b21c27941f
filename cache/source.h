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

#include "base/map.h"
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

/*
 * The headers below a list of include folders, each looked up, read and scanned
 * once however many sources include it. A header that changes afterwards is
 * not read again.
 */
struct headers {
	struct arena *arena;
	const struct paths *include;
	bool hand;
	struct map known; /* name -> struct header */
};

/* file[0] is the C file; headers follow in order of first inclusion. The texts
 * of headers belong to `headers`. */
struct source {
	struct arena *arena;
	struct headers *headers;
	struct source_file *file;
	size_t n, cap;
};

/* With `hand`, for sources written by hand: see source_read. Arena and folders
 * must outlive the headers and the sources read with them. */
void headers_init(struct headers *, struct arena *,
    const struct paths *include, bool hand);

/*
 * Reads the source and follows #include "x", once each: a header's own folder
 * first, then the include folders. Refused, with file and line: <x>, a name
 * made by a macro, #include inside #if (an include guard excepted),
 * #include_next, #import, #embed, .incbin, `..` or an absolute name, and
 * __DATE__, __TIME__, __TIMESTAMP__, __has_include, __has_embed. With `hand`,
 * #include inside #if is followed as well, and one that is not found there is
 * left to the compiler. -1 with the reasons in diag.
 */
int source_read(struct source *, struct arena *, struct headers *,
    const char *path, struct diag *);

#endif
