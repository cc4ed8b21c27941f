/* SPDX-License-Identifier: MIT */
/*
 * ONNX Runtime as a peer: its Softmax op, called through the C interface of a
 * libonnxruntime.so.1 that is opened while the program runs.
 */
#ifndef BENCH_ORT_H
#define BENCH_ORT_H

#include <stdint.h>

struct ort;

/* Opens the library and an environment. Whatever does not work is fatal: the
 * file, or what ONNX Runtime says of it, is named. */
struct ort *ort_open(const char *path);
void ort_close(struct ort *);

struct ort_softmax;

/*
 * Softmax along the last axis of `in` (rows x n float32) into `out`; both
 * belong to the caller and stay where they are until the release.
 */
struct ort_softmax *ort_softmax_new(struct ort *, int threads, int64_t rows,
    int64_t n, const float *in, float *out);
void ort_softmax_run(struct ort_softmax *);
void ort_softmax_free(struct ort_softmax *);

#endif
