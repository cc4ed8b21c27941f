/* SPDX-License-Identifier: MIT */
/* Lookups over ops.def: what an op takes, gives, and which shape it makes. */
#ifndef OPS_OPS_H
#define OPS_OPS_H

#include <stdbool.h>

#include "base/str.h"
#include "space/value.h"

struct buf;

enum op_class { OP_MAP = 1, OP_REDUCE, OP_VIEW, OP_OTHER };
enum op_dtype_rule { OP_DTYPE_SAME = 1, OP_DTYPE_INDEX, OP_DTYPE_BOOL,
	OP_DTYPE_NAMED };
enum op_shape_rule { OP_SHAPE_BROADCAST = 1, OP_SHAPE_REDUCE, OP_SHAPE_TARGET,
	OP_SHAPE_RESHAPE, OP_SHAPE_PERMUTE, OP_SHAPE_FILL, OP_SHAPE_MATMUL,
	OP_SHAPE_MATMUL_NT, OP_SHAPE_MATMUL_TN,
	OP_SHAPE_SQUEEZE, OP_SHAPE_UNSQUEEZE, OP_SHAPE_FLATTEN, OP_SHAPE_SLICE,
	OP_SHAPE_TILE, OP_SHAPE_STRETCH, OP_SHAPE_PAD, OP_SHAPE_TRIANGLE,
	OP_SHAPE_SCAN, OP_SHAPE_SELECT, OP_SHAPE_GATHER, OP_SHAPE_TOPK };
/* OP_MAX_ATTR: elements of an attribute, as of the pads of both ends. */
enum { OP_MAX_PARAMS = 16, OP_MAX_ATTR = 2 * MAX_RANK };

struct op {
	const char *name; /* without domain: "sum" */
	enum op_class cls;
	int nin, nout; /* attributes are counted among nin */
	const char *lin, *lout;   /* langtypes as in ops.def */
	const char *params, *attrs;
	enum op_dtype_rule dtype_rule;
	enum op_shape_rule shape_rule;
	const char *vec; /* or "HAND" or "NONE", as ops.def says */
	const char *tolerance, *onnx, *torch;
};

extern const struct op op_table[];
extern const size_t op_count;

/* The op of an opcode's name ("sum", "deepx·sum", "deepx/miaobyte·sum"); NULL
 * when the table has none or the domain is not deepx. */
const struct op *op_find(const char *opcode);

/* Parameter i (reads, then writes): its name, and whether it is an attribute. */
struct str op_param(const struct op *, int i);
bool op_is_attr(const struct op *, int i);

/* Whether read i is one number, never a tensor: the `s` of `A + s`. */
bool op_is_scalar(const struct op *, int i);

/* The dtype of read i when that is the same whatever T is, else DT_NONE. */
enum dtype op_fixed(const struct op *, int i);

/* The dtype of output i for T; named: what the attribute that names a dtype
 * says, DT_NONE of an op without one. */
enum dtype op_out_dtype(const struct op *, int i, enum dtype t,
    enum dtype named);

/* Whether an output of dtype t is one of the op's langtypes. */
bool op_gives(const struct op *, enum dtype t);

/* The attribute that names the output's dtype, -1 without one; the dtype that a
 * string value names, DT_NONE when it names none. */
int op_naming(const struct op *);
enum dtype op_named(const struct value *);

/* The dtype that an entry with these langtypes (kvk.h) gives, of an op whose
 * attribute names one; else DT_NONE. */
enum dtype op_entry_named(const struct op *, const char *langtypes);

/* Whether the result has the elements of the one operand in their order, only
 * with other dims. */
bool op_is_flat(const struct op *);

/* Whether T of the op may be t. */
bool op_takes(const struct op *, enum dtype t);

/* Whether an integer 0 as the last operand of that vector function is a
 * division by zero. */
bool op_vec_divides(const char *vec);

/* Whether that vector function is one for each pair of dtypes, kv_<vec>_f32_i8. */
bool op_vec_converts(const char *vec);

/* Whether that vector function gives elements of its operands as they are. */
bool op_vec_moves(const char *vec);

/* Whether that vector function gives the correctly rounded result wherever an
 * op uses it. */
bool op_vec_is_exact(const char *vec);

/* Whether miaobyte's back end is the plain kernel of kernels/ref/. */
bool op_is_plain(const struct op *);

/* The kvlang langtype text of parameter i, short forms written out. */
const char *op_langtype(const struct op *, int i);

/* Whether kernels/vec/ has a function of the op. For REDUCE ops it combines an
 * accumulator with a value; templates that reduce use it. */
bool op_has_vec(const struct op *);

/* Class word of kvk.h and the manifest for a stand-alone back end of the op:
 * "map", "reduce" or "other". */
const char *op_kernel_class(const struct op *);

/*
 * Shapes of the outputs. in[i] is the shape of read i; for an attribute,
 * attr[i] and nattr[i] hold its elements instead (keepdims: one, 0 or 1).
 * -1 with a reason in why (at least 200 bytes) when the shapes do not fit.
 */
int op_shape(const struct op *, const struct shape *in,
    const int64_t *const *attr, const int *nattr, struct shape *out,
    char *why);

/* NumPy broadcasting of two shapes; -1 when they do not fit. */
int shape_broadcast(const struct shape *, const struct shape *,
    struct shape *out);

/* Which axes are meant by those written (scalar or vector, any order, negative
 * counts from the end, none: all); -1 with a reason that names the axis when
 * one is out of range or appears twice. */
int op_axes(int rank, const int64_t *axes, int naxes, bool is[MAX_RANK],
    char *why);

/* An axis as written, which may count from the end, to one in [0, rank); -1 with
 * a reason. */
int op_axis(int rank, int64_t axis, char *why);

/* The text of lib/deepx.kv: every op as an abstract `rwir`. */
void ops_kv(struct buf *out);

#endif
