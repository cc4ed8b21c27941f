/* SPDX-License-Identifier: MIT */
#include "ops/ops.h"

#include <stdio.h>
#include <string.h>

#include "base/fatal.h"

#define OP(name_, cls_, nin_, nout_, lin_, lout_, params_, attrs_, dt_, sh_, \
    vec_, tol_, onnx_, torch_)                                                \
	{ .name = #name_, .cls = OP_##cls_, .nin = nin_, .nout = nout_,       \
	    .lin = lin_, .lout = lout_, .params = params_, .attrs = attrs_,   \
	    .dtype_rule = OP_DTYPE_##dt_, .shape_rule = OP_SHAPE_##sh_,       \
	    .vec = #vec_, .tolerance = #tol_, .onnx = onnx_, .torch = torch_ },
const struct op op_table[] = {
#include "ops/ops.def"
};
#undef OP

const size_t op_count = sizeof op_table / sizeof *op_table;

/* Short forms of langtypes in ops.def. Tensors of either float dtype carry no
 * dims, so a plain scalar fits them too: `[*]T` accepts rank 0. */
static const struct {
	const char *word, *text;
} langtypes[] = {
	{ "any", "[*]any" },
	{ "float", "[*]float32|[*]float64" },
	{ "axes", "int32|int64|[]int32|[]int64" },
	{ "shape", "[]int32|[]int64" },
	{ "bool", "bool" },
};

const struct op *
op_find(const char *opcode)
{
	struct str pkg, name;

	name_split(opcode, &pkg, &name);
	if (pkg.n && !str_is(pkg, "deepx") && !str_starts(pkg, "deepx/"))
		return NULL;
	for (size_t i = 0; i < op_count; i++)
		if (str_is(name, op_table[i].name))
			return &op_table[i];
	return NULL;
}

/* Item i of a list joined by ','. */
static struct str
list_item(const char *list, int i)
{
	struct str rest = str_of(list), field = { "", 0 };

	while (i-- >= 0)
		if (!str_next(&rest, ',', &field))
			BUG("list \"%s\" has fewer items than asked for", list);
	return field;
}

struct str
op_param(const struct op *op, int i)
{
	return list_item(op->params, i);
}

bool
op_is_attr(const struct op *op, int i)
{
	struct str rest = str_of(op->attrs), attr, name = op_param(op, i);

	while (str_next(&rest, ',', &attr))
		if (str_eq(attr, name))
			return true;
	return false;
}

bool
op_has_vec(const struct op *op)
{
	return strcmp(op->vec, "NONE") != 0;
}

const char *
op_langtype(const struct op *op, int i)
{
	bool in = i < op->nin;
	const char *list = in ? op->lin : op->lout;
	struct str word = list_item(list, in ? i : i - op->nin);

	for (size_t k = 0; k < sizeof langtypes / sizeof *langtypes; k++)
		if (str_is(word, langtypes[k].word))
			return langtypes[k].text;
	if (op->nout == 1 && !in)
		return list;
	BUG("op %s: langtype word %d is not a short form", op->name, i);
}

const char *
op_kernel_class(const struct op *op)
{
	return op->cls == OP_REDUCE ? "reduce" : "map";
}

int
shape_broadcast(const struct shape *a, const struct shape *b,
    struct shape *out)
{
	struct shape s;

	s.rank = a->rank > b->rank ? a->rank : b->rank;
	for (int i = 0; i < s.rank; i++) {
		int ia = i - (s.rank - a->rank), ib = i - (s.rank - b->rank);
		int64_t da = ia < 0 ? 1 : a->dim[ia];
		int64_t db = ib < 0 ? 1 : b->dim[ib];

		if (da != db && da != 1 && db != 1)
			return -1;
		s.dim[i] = da == 1 ? db : da;
	}
	*out = s;
	return 0;
}

int
op_axis(int rank, const int64_t *axes, int naxes, char *why)
{
	if (naxes != 1) {
		sprintf(why, "expected one axis, found %d", naxes);
		return -1;
	}
	if (axes[0] < -rank || axes[0] >= rank) {
		sprintf(why, "axis %lld is out of range for rank %d",
		    (long long)axes[0], rank);
		return -1;
	}
	return (int)(axes[0] < 0 ? axes[0] + rank : axes[0]);
}

static int
shape_reduce(const struct shape *in, const int64_t *axes, int naxes,
    bool keepdims, struct shape *out, char *why)
{
	struct shape s = { 0 };
	int axis = op_axis(in->rank, axes, naxes, why);

	if (axis < 0)
		return -1;
	for (int i = 0; i < in->rank; i++) {
		if (i != axis)
			s.dim[s.rank++] = in->dim[i];
		else if (keepdims)
			s.dim[s.rank++] = 1;
	}
	if (s.rank == 0) /* a full reduction gives [1], deepx-ops.md G9 */
		s.dim[s.rank++] = 1;
	*out = s;
	return 0;
}

/* The shape attribute as a shape; one extent of -1 is kept. */
static int
shape_of_attr(const int64_t *v, int n, struct shape *out, char *why)
{
	if (n > MAX_RANK) {
		sprintf(why, "a shape has at most %d extents, found %d",
		    MAX_RANK, n);
		return -1;
	}
	out->rank = n;
	for (int i = 0; i < n; i++) {
		if (v[i] < -1) {
			sprintf(why, "extent %d is negative", i);
			return -1;
		}
		out->dim[i] = v[i];
	}
	return 0;
}

static int
shape_target(const struct shape *in, const int64_t *v, int n,
    struct shape *out, char *why)
{
	struct shape to, both;

	if (shape_of_attr(v, n, &to, why))
		return -1;
	if (shape_broadcast(in, &to, &both) || !shape_eq(&both, &to)) {
		char from[200], target[200];

		shape_text(in, from);
		shape_text(&to, target);
		sprintf(why, "%s does not broadcast to %s", from, target);
		return -1;
	}
	*out = to;
	return 0;
}

static int
shape_reshape(const struct shape *in, const int64_t *v, int n,
    struct shape *out, char *why)
{
	struct shape to;
	int64_t known = 1, count = shape_count(in, 1);
	int open = -1;

	if (shape_of_attr(v, n, &to, why))
		return -1;
	for (int i = 0; i < n; i++) {
		if (to.dim[i] == -1 && open >= 0) {
			sprintf(why, "more than one extent is -1");
			return -1;
		}
		if (to.dim[i] == -1)
			open = i;
	}
	if (open >= 0) {
		to.dim[open] = 1;
		known = shape_count(&to, 1);
		to.dim[open] = known > 0 ? count / known : 0;
	}
	if (shape_count(&to, 1) != count) {
		char from[200], target[200];

		shape_text(in, from);
		shape_text(&to, target);
		sprintf(why, "cannot reshape %s into %s", from, target);
		return -1;
	}
	*out = to;
	return 0;
}

/* NumPy broadcasting over all reads that are no attributes. */
static int
shape_all(const struct op *op, const struct shape *in, struct shape *out,
    char *why)
{
	struct shape s = { 0 };

	for (int i = 0; i < op->nin; i++) {
		char a[200], b[200];

		if (op_is_attr(op, i) || !shape_broadcast(&s, &in[i], &s))
			continue;
		shape_text(&s, a);
		shape_text(&in[i], b);
		sprintf(why, "%s and %s do not broadcast", a, b);
		return -1;
	}
	*out = s;
	return 0;
}

int
op_shape(const struct op *op, const struct shape *in,
    const int64_t *const *attr, const int *nattr, struct shape *out, char *why)
{
	switch (op->shape_rule) {
	case OP_SHAPE_BROADCAST:
		return shape_all(op, in, out, why);
	case OP_SHAPE_REDUCE:
		return shape_reduce(&in[0], attr[1], nattr[1], attr[2][0] != 0,
		    out, why);
	case OP_SHAPE_TARGET:
		return shape_target(&in[0], attr[1], nattr[1], out, why);
	case OP_SHAPE_RESHAPE:
		return shape_reshape(&in[0], attr[1], nattr[1], out, why);
	}
	BUG("op %s has no shape rule", op->name);
}

static void
put_params(const struct op *op, int from, int to, struct buf *out)
{
	for (int i = from; i < to; i++) {
		struct str name = op_param(op, i);

		buf_printf(out, "%s%.*s:%s", i > from ? ", " : "", (int)name.n,
		    name.p, op_langtype(op, i));
	}
}

void
ops_kv(struct buf *out)
{
	buf_puts(out,
	    "// The abstract ops of deepx: signatures without implementation.\n"
	    "// Generated from ops/ops.def by `kvaot gen --abstract`; do not edit.\n"
	    "lib deepx {\n");
	for (size_t i = 0; i < op_count; i++) {
		const struct op *op = &op_table[i];

		buf_printf(out, "\trwir %s(", op->name);
		put_params(op, 0, op->nin, out);
		buf_puts(out, ") -> (");
		put_params(op, op->nin, op->nin + op->nout, out);
		buf_puts(out, ")\n");
	}
	buf_puts(out, "}\n");
}
