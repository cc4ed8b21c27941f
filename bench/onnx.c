/* SPDX-License-Identifier: MIT */
#include "bench/onnx.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"

/* Constants of onnx.proto. */
enum { IR_VERSION = 9, OPSET = 20, CONTRIBUTED = 1, ELEMENT_FLOAT = 1,
	ELEMENT_INT64 = 7, ELEMENT_DOUBLE = 11, ATTRIBUTE_FLOAT = 1,
	ATTRIBUTE_INT = 2, ATTRIBUTE_STRING = 3 };

/* Wire types of protobuf. */
enum { VARINT = 0, BYTES = 2, FIXED32 = 5 };

int
onnx_element(enum dtype dtype)
{
	return dtype == DT_FLOAT64 ? ELEMENT_DOUBLE :
	    dtype == DT_INT64 ? ELEMENT_INT64 : ELEMENT_FLOAT;
}

/* Protobuf's numbers: 7 bits a byte, the lowest first. */
static void
put_varint(struct buf *b, uint64_t v)
{
	for (; v > 127; v >>= 7)
		buf_putc(b, (char)((v & 127) | 128));
	buf_putc(b, (char)v);
}

static void
put_number(struct buf *b, unsigned field, uint64_t v)
{
	put_varint(b, field << 3 | VARINT);
	put_varint(b, v);
}

static void
put_bytes(struct buf *b, unsigned field, struct str s)
{
	put_varint(b, field << 3 | BYTES);
	put_varint(b, s.n);
	buf_put(b, s.p, s.n);
}

static void
put_text(struct buf *b, unsigned field, const char *s)
{
	put_bytes(b, field, str_of(s));
}

static void
put_message(struct buf *b, unsigned field, struct buf *inner)
{
	put_bytes(b, field, buf_str(inner));
	buf_release(inner);
	*inner = (struct buf){ 0 };
}

/* ValueInfoProto: a name and a tensor type. */
static void
put_value(struct buf *b, unsigned field, const struct problem *p, char letter)
{
	bool index = letter == 'r' || letter == 'c';
	struct buf extent = { 0 }, shape = { 0 }, tensor = { 0 };
	struct buf type = { 0 }, value = { 0 };
	int64_t dim[2];
	int rank = problem_dims(p, letter, dim);

	for (int i = 0; i < rank; i++) {
		put_number(&extent, 1, (uint64_t)dim[i]);
		put_message(&shape, 1, &extent);
	}
	put_number(&tensor, 1, (uint64_t)onnx_element(index ? DT_INT64 :
	    p->dtype));
	put_message(&tensor, 2, &shape);
	put_message(&type, 1, &tensor);
	put_bytes(&value, 1, (struct str){ &letter, 1 });
	put_message(&value, 2, &type);
	put_message(b, field, &value);
}

/* TensorProto: an int64 vector of one element. */
static void
put_axis(struct buf *b, unsigned field, const char *name, int64_t axis)
{
	struct buf tensor = { 0 }, data = { 0 };

	put_number(&tensor, 1, 1);
	put_number(&tensor, 2, ELEMENT_INT64);
	put_varint(&data, (uint64_t)axis);
	put_message(&tensor, 7, &data);
	put_text(&tensor, 8, name);
	put_message(b, field, &tensor);
}

/* AttributeProto of NAME=LETTER VALUE. */
static void
put_attribute(struct buf *b, unsigned field, struct str text)
{
	const char *equal = memchr(text.p, '=', text.n), *from = equal + 2;
	struct str value = { from, (size_t)(text.p + text.n - from) };
	struct buf a = { 0 };
	float f = strtof(from, NULL);

	put_bytes(&a, 1, (struct str){ text.p, (size_t)(equal - text.p) });
	switch (equal[1]) {
	case 'i':
		put_number(&a, 3, (uint64_t)strtoll(from, NULL, 10));
		put_number(&a, 20, ATTRIBUTE_INT);
		break;
	case 'f':
		put_varint(&a, 2 << 3 | FIXED32);
		buf_put(&a, &f, sizeof f);
		put_number(&a, 20, ATTRIBUTE_FLOAT);
		break;
	case 's':
		put_bytes(&a, 4, value);
		put_number(&a, 20, ATTRIBUTE_STRING);
		break;
	default:
		BUG("attribute %.*s", (int)text.n, text.p);
	}
	put_message(b, field, &a);
}

static void
put_node(struct buf *b, unsigned field, const struct onnx_node *node)
{
	struct buf n = { 0 };
	struct str rest, part;

	for (rest = str_of(node->in); str_next(&rest, ',', &part);)
		put_bytes(&n, 1, part);
	for (rest = str_of(node->out); str_next(&rest, ',', &part);)
		put_bytes(&n, 2, part);
	put_text(&n, 4, node->op);
	for (rest = str_of(node->attrs); str_next(&rest, ' ', &part);)
		put_attribute(&n, 5, part);
	put_text(&n, 7, node->domain);
	put_message(b, field, &n);
}

static void
put_opset(struct buf *b, const char *domain, uint64_t version)
{
	struct buf opset = { 0 };

	put_text(&opset, 1, domain);
	put_number(&opset, 2, version);
	put_message(b, 8, &opset);
}

void
onnx_model(struct buf *b, const struct problem *p,
    const struct onnx_node *nodes, int n)
{
	struct buf graph = { 0 };

	for (int i = 0; i < n; i++)
		put_node(&graph, 1, &nodes[i]);
	put_text(&graph, 2, "g");
	for (int i = 0; i < n; i++) {
		if (strchr(nodes[i].in, 'a'))
			put_axis(&graph, 5, "a", -1);
		if (strchr(nodes[i].in, 'z'))
			put_axis(&graph, 5, "z", 0);
	}
	for (const char *c = p->row->inputs; *c; c++)
		if (problem_input(p, *c))
			put_value(&graph, 11, p, *c);
	for (const char *c = p->row->outputs; *c; c++)
		put_value(&graph, 12, p, *c);
	put_number(b, 1, IR_VERSION);
	put_message(b, 7, &graph);
	put_opset(b, "", OPSET);
	put_opset(b, "com.microsoft", CONTRIBUTED);
}
