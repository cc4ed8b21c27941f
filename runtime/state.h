/* SPDX-License-Identifier: MIT */
/* What one open runtime is made of, for the files of this folder. */
#ifndef RUNTIME_STATE_H
#define RUNTIME_STATE_H

#include "base/isa.h"
#include "runtime/blas.h"
#include "runtime/func.h"
#include "runtime/globals.h"
#include "runtime/pool.h"
#include "runtime/runtime.h"

enum { MAX_DEPTH = 256 };

struct runtime {
	struct runtime_options opt;
	const struct isa *isa;
	struct arena arena;   /* lives as long as the runtime */
	struct library lib;
	struct fs fs;         /* the space, when it is fs:// */
	struct heap heap;
	struct funcs funcs;
	struct globals globals;
	struct pool *pool;
	struct blas blas;
	struct map versions;  /* base name -> struct versions */
	struct map replaced;  /* functions of the library that a file replaced */
	struct map entries;   /* name called from outside -> struct memo */
	struct diag *diag;    /* of the call that runs */
	bool environment;     /* it fails by what this machine lacks */
	int depth;
};

/* A runtime error at a place; always -1. */
#define rt_error(rt, loc, ...) diag_error((rt)->diag, (loc), __VA_ARGS__)

#endif
