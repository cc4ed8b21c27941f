/* SPDX-License-Identifier: MIT */
/*
 * The kernel ABI of kvaot: what a shared object with kernels offers and what
 * it gets. It includes nothing, so that generated C compiles without a system
 * header.
 *
 * An object exports one symbol, `kvk_table`. It has no constructor, no
 * thread-local storage, no DT_NEEDED entry, and leaves nothing undefined but
 * memcpy, memset and memmove. A kernel allocates nothing and keeps no state.
 */
#ifndef KVK_H
#define KVK_H

#define KVK_ABI 1

#ifndef KVK_NO_STDINT
typedef __INT64_TYPE__ int64_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT8_TYPE__ int8_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT8_TYPE__ uint8_t;
#endif

/* What a kernel returns. */
enum {
	KVK_OK = 0,
	KVK_DIM = 1,       /* the extents in dim are not ones it can run */
	KVK_NOMEM = 2,     /* the caller could not provide scratch memory */
	KVK_RANGE = 3,     /* an element is outside the domain, e.g. an index */
	KVK_DIV0 = 4,      /* integer division by zero */
	KVK_CANCELLED = 5, /* the caller cancelled the parallel loop */
};

/*
 * Classes of entries: how `dim` is laid out. All counts and steps are in
 * elements of the operand, never in bytes. "Operands" are the entry's inputs
 * in signature order, then its outputs; parameters marked as attributes in
 * ops/ (axis, keepdims, shape) are resolved by the caller into `dim` and never
 * appear among the operands.
 *
 * KVK_MAP     4 extents, outermost first, then 4 steps for each operand
 *             (step 0 = broadcast along that extent). The caller merges
 *             compatible axes and pads with extent 1 and step 0. Steps of
 *             the innermost extent are 0 or 1.
 * KVK_ROWS    rows, n, then one row step for each operand. Whether an operand
 *             runs along n or holds one value a row is fixed by the entry.
 * KVK_REDUCE  outer, n, inner: the output is [outer][inner]; n is how many
 *             elements of the input each is made of, in the row-major order
 *             of the reduced axes; inner are the axes after the last of them.
 *             Then the number of runs of adjacent axes that are reduced and of
 *             each its extent and step, outermost first, at least one; then
 *             the same of the runs that make up outer. With one reduced run
 *             the input is [outer][n][inner] as it lies in memory.
 * KVK_COLS    outer, n, inner, then an outer step for each operand. Whether an
 *             operand runs along n, as [n][inner], holds one value a column,
 *             as [inner], or is a scalar is fixed by the entry. Scratch counts n
 *             times the columns of a tile, the smaller of inner and
 *             KVK_COLS_WIDTH.
 * KVK_OTHER   for each operand its rank, then its dims; then for each
 *             attribute, in signature order, how many elements it has, then
 *             those elements.
 */
enum { KVK_MAP = 1, KVK_ROWS = 2, KVK_REDUCE = 3, KVK_OTHER = 4,
	KVK_COLS = 5 };
enum { KVK_COLS_WIDTH = 512 };

/*
 * Matrix products of the BLAS library that the caller opened: c = a b, for
 * contiguous row-major matrices, a of m rows and k columns, b of k rows and n
 * columns, c of m rows and n columns, all in elements; c is written, not read.
 * KVK_DIM: an extent is 0 or does not fit in 31 bits. In which order a sum is
 * added is up to the library (for OpenBLAS its version, the CPU and the number
 * of threads, which is the caller's), and NaNs may have any sign and payload.
 */
struct kvk_blas {
	uint32_t abi, size;
	int (*sgemm)(const struct kvk_blas *, int64_t m, int64_t n, int64_t k,
	    const float *a, const float *b, float *c);
	int (*dgemm)(const struct kvk_blas *, int64_t m, int64_t n, int64_t k,
	    const double *a, const double *b, double *c);
};

/*
 * The caller's context. par runs body over [0, n) in pieces of at least
 * `grain` items, each piece [lo, hi) with `scratch` memory of its own (as
 * large as the entry asks for, 64-byte aligned); it returns KVK_OK, the first
 * code other than KVK_OK that a piece returned, or KVK_CANCELLED. Pieces are
 * cut at multiples of grain. blas is there for floats of author cblas, and NULL
 * for every other entry.
 */
struct kvk_stream {
	uint32_t abi, size;
	int (*par)(const struct kvk_stream *, int64_t n, int64_t grain,
	    int (*body)(void *ctx, int64_t lo, int64_t hi, void *scratch),
	    void *ctx);
	const struct kvk_blas *blas;
	void *device;
};

/*
 * A kernel. ptr: one pointer for each operand, to contiguous row-major memory,
 * aligned to one element and no more. A scalar operand points to one element
 * of its dtype, which is the entry's unless langtypes names another.
 */
typedef int kvk_fn(
    void *const *ptr, const int64_t *dim, const struct kvk_stream *stream);

/*
 * One entry. opcode: the full name of a back end (`deepx/miaobyte·add`), empty
 * in generated fused kernels, which the manifest names. langtypes: the types
 * of the operands and attributes as in ops/, reads joined by ',', then "->",
 * then writes. alias: bit out*16 + in is set when that output may be the very
 * same memory as that input; nothing else may overlap. Scratch a worker:
 * scratch + scratch_n * n bytes, n the extent that dim calls n.
 */
struct kvk_entry {
	uint32_t abi, size;
	const char *opcode, *langtypes, *dtype, *isa;
	uint8_t cls, nin, nout, pad[5];
	uint64_t alias;
	int64_t scratch, scratch_n;
	kvk_fn *fn;
};

struct kvk_table {
	uint32_t abi, size, n, entry_size;
	const struct kvk_entry *entry;
};

#endif
