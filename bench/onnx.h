/* SPDX-License-Identifier: MIT */
/* Models in ONNX's format, a protobuf, written by hand. */
#ifndef BENCH_ONNX_H
#define BENCH_ONNX_H

#include "base/str.h"
#include "bench/problem.h"

/*
 * An op: names of what it reads and writes, divided by ','; attributes
 * NAME=iINTEGER, NAME=fNUMBER or NAME=sTEXT, divided by ' '. The tensors of the
 * case have their letters as names; a and z are its axes, as a constant.
 */
struct onnx_node {
	const char *op, *domain, *in, *out, *attrs;
};

/* The element type of a dtype in ONNX. */
int onnx_element(enum dtype);

/* Appends a ModelProto of n nodes. */
void onnx_model(struct buf *, const struct problem *,
    const struct onnx_node *nodes, int n);

#endif
