/* SPDX-License-Identifier: MIT */
/* Slices, growable buffers, and the escapes used in file names. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct arena;

/* A slice: n bytes at p, not owned, not ended by NUL. */
struct str {
	const char *p;
	size_t n;
};

/* A growable byte buffer; p is always ended by a NUL that n does not count.
 * A zeroed struct buf is a valid, empty one (p may then be NULL). */
struct buf {
	char *p;
	size_t n, cap;
};

struct str str_of(const char *);
bool str_eq(struct str, struct str);
bool str_is(struct str, const char *);
bool str_starts(struct str, const char *prefix);

/* Takes the text before the next `sep` off the front of *rest; false at the
 * end. "a,b" gives "a", "b"; "" gives nothing; "a," gives "a", "". Before that
 * last empty field, rest->p points outside the text (rest->n is 0). */
bool str_next(struct str *rest, char sep, struct str *field);

/* Strict decimal: digits only, an optional leading '-' for the signed one, no
 * leading zeros, no "-0", no overflow. False when the text is anything else. */
bool str_u64(struct str, unsigned long long *);
bool str_i64(struct str, long long *);

void buf_put(struct buf *, const void *, size_t);
void buf_puts(struct buf *, const char *);
void buf_putc(struct buf *, char);
void buf_printf(struct buf *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *, const char *fmt, va_list)
    __attribute__((format(printf, 2, 0)));
void buf_clear(struct buf *);
void buf_release(struct buf *);
struct str buf_str(const struct buf *);

/* n bytes in lower case hexadecimal; out has 2n + 1 bytes. */
void hex_encode(char *out, const void *bytes, size_t n);

/* Exactly 2n lower case digits into n bytes; false otherwise. */
bool hex_decode(void *bytes, size_t n, struct str);

/*
 * The injective file name of a kvlang name (design.md section 4): `·` -> `.`,
 * `.` -> `%2E`, `/` -> `%2F`, any other byte outside [A-Za-z0-9_-] -> `%XX`; a
 * result of over 200 bytes becomes its first 135 bytes, `~`, and the SHA-256
 * of the name in hexadecimal (no other escape holds a `~`). The parts of a
 * longer file name are escaped one by one and joined with `,`, which is itself
 * always escaped.
 */
char *name_escape(struct arena *, const char *name);

/* A name as typed on a command line, where `:` stands for `·`, as it is. */
char *name_typed(struct arena *, const char *);

/* Splits at the last `·`: pkg is empty when there is none. */
void name_split(const char *qualified, struct str *pkg, struct str *name);

#endif
