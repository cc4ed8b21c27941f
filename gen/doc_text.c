/* SPDX-License-Identifier: MIT */
#include "gen/doc.h"

#include <string.h>

#include "base/fatal.h"

/* The words for a row of ops.def. */
static const char *
class_text(const struct op *op)
{
	switch (op->cls) {
	case OP_MAP:
		return "elementwise";
	case OP_REDUCE:
		return "reduction over axes";
	case OP_VIEW:
		return "index map";
	case OP_OTHER:
		return "of its own kind, never fused";
	}
	BUG("op %s has no class", op->name);
}

static const char *
dtype_text(const struct op *op)
{
	switch (op->dtype_rule) {
	case OP_DTYPE_SAME:
		for (int i = 0; i < op->nin; i++)
			if (op_fixed(op, i) != DT_NONE)
				return "that of the operands with a choice";
		return "that of the operands";
	case OP_DTYPE_INDEX:
		return "int64";
	case OP_DTYPE_BOOL:
		return "bool";
	case OP_DTYPE_NAMED:
		return "what the attribute says";
	}
	BUG("op %s has no dtype rule", op->name);
}

static const char *
shape_text_of(const struct op *op)
{
	switch (op->shape_rule) {
	case OP_SHAPE_BROADCAST:
		return "that of all operands together, as NumPy broadcasts";
	case OP_SHAPE_REDUCE:
		return "the operand's without the axis, or with length 1 "
		    "there where keepdims is true";
	case OP_SHAPE_TARGET:
		return "the given one, to which the operand broadcasts";
	case OP_SHAPE_RESHAPE:
		return "the given one, with as many elements as the operand";
	case OP_SHAPE_PERMUTE:
		return "the operand's, its axes in the given order";
	case OP_SHAPE_FILL:
		return "the given one";
	case OP_SHAPE_MATMUL:
		return "as NumPy's matmul";
	case OP_SHAPE_MATMUL_NT:
		return "as NumPy's matmul of A and B with B's last two axes "
		    "exchanged";
	case OP_SHAPE_MATMUL_TN:
		return "as NumPy's matmul of A and B with A's last two axes "
		    "exchanged";
	case OP_SHAPE_SQUEEZE:
		return "the operand's without those axes, whose length is 1; "
		    "without axes named, without all of length 1";
	case OP_SHAPE_UNSQUEEZE:
		return "the operand's with length 1 at those axes of the "
		    "result";
	case OP_SHAPE_FLATTEN:
		return "two axes: the operand's before the axis, and the others";
	case OP_SHAPE_SLICE:
		return "the operand's, the axis as long as the slice";
	case OP_SHAPE_TILE:
		return "the operand's, each axis as often as it says, after as "
		    "many axes of length 1 as there are more numbers";
	case OP_SHAPE_STRETCH:
		return "the operand's, the axis n times as long";
	case OP_SHAPE_PAD:
		return "the operand's, each axis longer by the pads at its two "
		    "ends";
	case OP_SHAPE_TRIANGLE:
		return "that of the operand, which has at least two axes";
	case OP_SHAPE_SCAN:
		return "that of the operand";
	case OP_SHAPE_SELECT:
		return "the operand's, with the dims of the index in place of "
		    "the axis";
	case OP_SHAPE_GATHER:
		return "that of the index, which has as many axes as the "
		    "operand";
	case OP_SHAPE_TOPK:
		return "the operand's, with k elements along the axis";
	}
	BUG("op %s has no shape rule", op->name);
}

static void
put_accuracy(const struct op *op, struct buf *out)
{
	if (!strncmp(op->tolerance, "ULP", 3))
		buf_printf(out, "within %s ulp of the correctly rounded "
		    "result", op->tolerance + 3);
	else if (!strcmp(op->tolerance, "ABS"))
		buf_puts(out, "within 1e-6, float64 1e-15, of the larger of 1 "
		    "and the result");
	else if (!strcmp(op->tolerance, "REL"))
		buf_puts(out, "within 2^-24, float64 2^-53, of the sum of "
		    "magnitudes for each addition in a row (k / 8 + 3 for "
		    "k up to 2048)");
	else if (!strcmp(op->tolerance, "MEAN"))
		buf_puts(out, "within 2^-24, float64 2^-53, of the mean of "
		    "magnitudes for each addition in a row (k / 8 + 3 for "
		    "k up to 2048)");
	else
		buf_puts(out, "exact");
}

/* Separated by blanks; `-` for none. */
static void
put_dtypes(unsigned dtypes, struct buf *out)
{
	const char *before = "";

	for (unsigned d = 1; d < N_DTYPES; d++) {
		if (!(dtypes & 1u << d))
			continue;
		buf_printf(out, "%s%s", before, dtype_name((enum dtype)d));
		before = " ";
	}
	if (!dtypes)
		buf_putc(out, '-');
}

static void
put_names(const struct kv_slot *s, struct buf *out)
{
	for (; s; s = s->next)
		buf_printf(out, "%s%s%s", s->name, s->variadic ? "..." : "",
		    s->next ? ", " : "");
}

static bool
is_attribute(const struct doc_op *op, int i)
{
	return op->op && i < op->op->nin && op_is_attr(op->op, i);
}

static void
put_params(const struct doc_op *op, struct buf *out)
{
	int i = 0;

	for (const struct kv_slot *s = op->f->reads; s; s = s->next)
		buf_printf(out, "- `%s`: `%s%s`%s\n", s->name, s->type,
		    s->variadic ? "..." : "", is_attribute(op, i++) ? ", known before the call" : "");
	for (const struct kv_slot *s = op->f->writes; s; s = s->next)
		buf_printf(out, "- result `%s`: `%s`\n", s->name, s->type);
}

/* `ONNX Exp, PyTorch exp` after `before`; nothing where neither has it. */
static void
put_elsewhere(const struct op *op, const char *before, struct buf *out)
{
	bool onnx = strcmp(op->onnx, "-") != 0;
	bool torch = strcmp(op->torch, "-") != 0;

	if (onnx || torch)
		buf_printf(out, "%s%s%s%s%s%s", before,
		    onnx ? "ONNX " : "", onnx ? op->onnx : "",
		    onnx && torch ? ", " : "", torch ? "PyTorch " : "",
		    torch ? op->torch : "");
}

static void
put_rules(const struct op *op, struct buf *out)
{
	buf_printf(out, "- kind: %s\n- dtype of the result: %s\n- shape of the "
	    "result: %s\n- accuracy: ", class_text(op), dtype_text(op),
	    shape_text_of(op));
	put_accuracy(op, out);
	put_elsewhere(op, "\n- elsewhere: ", out);
	buf_putc(out, '\n');
}

/* Back ends, or versions. */
static void
put_kernels(const struct doc_op *op, bool versions, struct buf *out)
{
	bool any = false;

	buf_puts(out, versions ? "- versions:" : "- back ends:");
	for (size_t i = 0; i < op->nkernels; i++) {
		const struct doc_kernels *k = &op->kernels[i];

		if ((k->version > 0) != versions)
			continue;
		buf_puts(out, any ? ", " : " ");
		if (versions)
			buf_printf(out, ".%lld (", (long long)k->version);
		else
			buf_printf(out, "%s (", k->author);
		put_dtypes(k->dtypes, out);
		buf_putc(out, ')');
		any = true;
	}
	buf_puts(out, any ? "\n" : " none\n");
}

static void
put_signature(const struct doc_op *op, struct buf *out)
{
	buf_printf(out, "%s(", op->f->qualified);
	put_names(op->f->reads, out);
	buf_puts(out, ") -> (");
	put_names(op->f->writes, out);
	buf_putc(out, ')');
}

void
doc_line(const struct doc_op *op, struct buf *out)
{
	unsigned dtypes = 0;

	for (size_t i = 0; i < op->nkernels; i++)
		dtypes |= op->kernels[i].dtypes;
	put_signature(op, out);
	buf_putc(out, '\t');
	put_dtypes(dtypes, out);
	buf_putc(out, '\t');
	if (*op->text) {
		buf_put(out, op->text, strcspn(op->text, "\n"));
	} else if (op->op) {
		buf_puts(out, class_text(op->op));
		put_elsewhere(op->op, "; ", out);
	}
	buf_putc(out, '\n');
}

void
doc_section(const struct doc_op *op, struct buf *out)
{
	bool abstract = op->f->kind == KV_RWIR;

	buf_printf(out, "## %s\n\n`", op->f->qualified);
	put_signature(op, out);
	buf_puts(out, "`\n\n");
	if (*op->text)
		buf_printf(out, "%s\n", op->text);
	put_params(op, out);
	if (op->op)
		put_rules(op->op, out);
	put_kernels(op, !abstract, out);
	buf_printf(out, "- source: %s:%d\n", op->file, op->f->loc.line);
}

static void
json_params(const struct doc_op *op, const char *key,
    const struct kv_slot *s, struct json *j)
{
	bool reads = s == op->f->reads;

	json_open(j, key, '[');
	for (int i = 0; s; s = s->next, i++) {
		json_open(j, NULL, '{');
		json_text(j, "name", s->name);
		json_text(j, "type", s->type);
		if (reads) {
			json_bool(j, "variadic", s->variadic);
			json_bool(j, "attribute", is_attribute(op, i));
		}
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void
json_dtypes(unsigned dtypes, struct json *j)
{
	json_open(j, "dtypes", '[');
	for (unsigned d = 1; d < N_DTYPES; d++)
		if (dtypes & 1u << d)
			json_text(j, NULL, dtype_name((enum dtype)d));
	json_close(j, ']');
}

static void
json_rules(const struct op *op, struct json *j)
{
	struct buf accuracy = { 0 };

	put_accuracy(op, &accuracy);
	json_text(j, "class", class_text(op));
	json_text(j, "dtype", dtype_text(op));
	json_text(j, "shape", shape_text_of(op));
	json_text(j, "accuracy", accuracy.p);
	json_text(j, "onnx", strcmp(op->onnx, "-") ? op->onnx : NULL);
	json_text(j, "torch", strcmp(op->torch, "-") ? op->torch : NULL);
	buf_release(&accuracy);
}

static void
json_kernels(const struct doc_op *op, bool versions, struct json *j)
{
	json_open(j, versions ? "versions" : "backends", '[');
	for (size_t i = 0; i < op->nkernels; i++) {
		const struct doc_kernels *k = &op->kernels[i];

		if ((k->version > 0) != versions)
			continue;
		json_open(j, NULL, '{');
		if (versions)
			json_number(j, "n", k->version);
		else
			json_text(j, "author", k->author);
		json_dtypes(k->dtypes, j);
		json_close(j, '}');
	}
	json_close(j, ']');
}

void
doc_json(const struct doc_op *op, struct json *j)
{
	bool abstract = op->f->kind == KV_RWIR;

	json_open(j, NULL, '{');
	json_text(j, "name", op->f->qualified);
	json_text(j, "kind", abstract ? "abstract" : "composite");
	json_text(j, "file", op->file);
	json_number(j, "line", op->f->loc.line);
	json_text(j, "text", op->text);
	json_params(op, "reads", op->f->reads, j);
	json_params(op, "writes", op->f->writes, j);
	if (op->op)
		json_rules(op->op, j);
	json_kernels(op, !abstract, j);
	json_close(j, '}');
}

void
doc_gap_line(const struct doc_op *op, const char *gap, unsigned dtypes,
    struct buf *out)
{
	buf_printf(out, "%s\t%s\t", op->f->qualified, gap);
	put_dtypes(dtypes, out);
	buf_putc(out, '\n');
}

void
doc_gap_json(const struct doc_op *op, const char *gap, unsigned dtypes,
    struct json *j)
{
	json_open(j, NULL, '{');
	json_text(j, "op", op->f->qualified);
	json_text(j, "gap", gap);
	json_dtypes(dtypes, j);
	json_close(j, '}');
}
