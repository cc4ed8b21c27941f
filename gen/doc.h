/* SPDX-License-Identifier: MIT */
/* What is known of the ops of a library, for people to read (kvaot doc). */
#ifndef GEN_DOC_H
#define GEN_DOC_H

#include "base/diag.h"
#include "base/json.h"
#include "gen/setup.h"
#include "kv/ast.h"
#include "ops/ops.h"
#include "space/manifest.h"

/* Who provides an op, or a version of it: one bit a dtype, 1 << DT_…. */
struct doc_kernels {
	const char *author; /* of a back end */
	int64_t version;    /* 0: a back end */
	unsigned dtypes;
};

struct doc_op {
	const struct kv_func *f; /* its name is f->qualified */
	const char *text;        /* from its comments; "" when it has none */
	const char *file;        /* lib/nn.kv */
	const struct op *op;     /* an abstract op of ops.def, else NULL */
	struct doc_kernels *kernels; /* back ends by author, then versions */
	size_t nkernels, cap;
};

struct doc {
	struct doc_op **op; /* sorted by name */
	size_t n;
};

/* Reads the sources of the library and of the folder on top of it. -1 with
 * errors. */
int doc_read(struct doc *, const struct setup *, const struct manifest *,
    struct arena *, struct diag *);

/* One section of a reference, in Markdown. */
void doc_section(const struct doc_op *, struct buf *);
void doc_json(const struct doc_op *, struct json *);

/* One line of a catalog: signature TAB dtypes that it has kernels for TAB the
 * first line of its comment, or for an op without one its kind and its names
 * elsewhere. */
void doc_line(const struct doc_op *, struct buf *);

/*
 * What an abstract op lacks: `none`, no back end at all, or `plain`: for the
 * dtypes told there is no kernel but one of plain source, without vector code
 * or a template. NULL when it lacks nothing.
 */
const char *doc_gap(const struct doc_op *, unsigned *dtypes);

/* `OP TAB GAP TAB dtypes`, for what doc_gap found. */
void doc_gap_line(const struct doc_op *, const char *gap, unsigned dtypes,
    struct buf *);
void doc_gap_json(const struct doc_op *, const char *gap, unsigned dtypes,
    struct json *);

#endif
