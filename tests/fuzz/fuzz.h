/* SPDX-License-Identifier: MIT */
/*
 * What the fuzzed readers share. A fz_x() hands bytes to a reader, which may
 * take or refuse them, and checks what must hold of what it takes; a reader
 * that dies, exits, or breaks such a rule has a fault.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/fatal.h"
#include "base/str.h"

typedef void fuzz_fn(const uint8_t *, size_t);

#define READER(name) fuzz_fn fz_##name;
#include "tests/fuzz/readers.def"
#undef READER

/* One reader; fuzz_readers ends with a NULL name. */
struct fuzz_reader {
	const char *name;
	fuzz_fn *run;
};

extern const struct fuzz_reader fuzz_readers[];

/* What a run needs, for one call of a reader. */
struct fuzz {
	struct arena arena;
	struct diag diag;
};

void fuzz_begin(struct fuzz *);

/* Stops with a bug unless the reader told of errors exactly when it refused;
 * frees all. */
void fuzz_end(struct fuzz *, int refused);

/* The path of a file that holds these bytes until the next call. */
const char *fuzz_file(const uint8_t *, size_t);

/* Stops with a bug when two texts differ. */
void fuzz_same(const char *what, struct str, struct str);

#endif
