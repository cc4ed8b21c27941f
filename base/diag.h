/* SPDX-License-Identifier: MIT */
/*
 * What is wrong with what the user gave us: collected, sorted by place, then
 * printed together. Messages say what was expected, what was found and what
 * to do.
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"

/* A place in a text. file NULL: no place; line 0: the file as a whole. */
struct loc {
	const char *file;
	int line, col; /* from 1; col counts bytes */
};

enum diag_level { DIAG_ERROR = 1, DIAG_WARN, DIAG_INFO };

struct diag_item {
	enum diag_level level;
	struct loc loc;
	const char *text;
};

/* Where the text is that messages call `name`. */
struct diag_source {
	const char *name, *path;
	struct diag_source *next;
};

struct diag {
	struct arena arena;
	struct diag_item *item;
	size_t n, cap;
	int errors; /* how many items are of DIAG_ERROR */
	bool env; /* one of them was told by diag_env */
	struct diag_source *source; /* the last one told comes first */
};

void diag_init(struct diag *);
void diag_release(struct diag *);

/* Adds an item (identical ones once) and returns -1, so that a caller can
 * `return diag_error(…)`. loc.file is copied. */
int diag_error(struct diag *, struct loc, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int diag_warn(struct diag *, struct loc, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int diag_info(struct diag *, struct loc, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a fault of the environment and not of what we were given: the
 * text goes on with what errno says and, for a full disk or a folder that may
 * not be written, what to do. */
int diag_env(struct diag *, struct loc, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Tells where the lines of a text are read from that messages call by another
 * name than its path. Both are copied. */
void diag_source(struct diag *, const char *name, const char *path);

/*
 * Prints all items sorted by file, line, column and order of arrival as
 * `error: file:line:col: text`, then the source line and a caret under the
 * column where the file can be read. Warnings are printed, infos only when
 * with_info is set.
 */
void diag_print(struct diag *, FILE *, int with_info);

/* The first error to arrive as "file:line:col: text", for callers that
 * hold one line; empty when there is none. */
void diag_first(const struct diag *, char *out, size_t cap);

extern const struct loc no_loc;

#endif
