/* SPDX-License-Identifier: MIT */
/* OpenBLAS: what author cblas calls, without the runtime around it. */
#include <stdio.h>
#include <stdlib.h>

#include "base/blas.h"
#include "base/fatal.h"
#include "bench/buffer.h"
#include "bench/peer.h"

struct job {
	const struct blas_library *blas;
	const struct problem *p;
	void *out;
};

static void *
openblas_open(const char *folder, int threads, char why[PEER_WHY])
{
	struct blas_library *b = calloc(1, sizeof *b);
	char text[BLAS_WHY];

	(void)folder;
	if (!b)
		fatal("out of memory");
	if (blas_open(b, text)) {
		snprintf(why, PEER_WHY, "%.*s", PEER_WHY - 1, text);
		free(b);
		return NULL;
	}
	if (b->set_threads)
		b->set_threads(threads);
	return b;
}

static void *
openblas_prepare(void *peer, const struct problem *p)
{
	struct job *j;

	if (p->kind != CASE_matmul)
		return NULL;
	j = calloc(1, sizeof *j);
	if (!j)
		fatal("out of memory");
	*j = (struct job){ peer, p, buffer_new(problem_bytes(p, 'F')) };
	return j;
}

static void
openblas_run(void *job)
{
	const struct job *j = job;
	const struct problem *p = j->p;
	int m = (int)p->rows, n = (int)p->n, k = (int)p->k;

	if (p->dtype == DT_FLOAT64)
		j->blas->dgemm(BLAS_ROW_MAJOR, BLAS_NO_TRANS, BLAS_NO_TRANS, m,
		    n, k, 1, p->left, k, p->right, n, 0, j->out, n);
	else
		j->blas->sgemm(BLAS_ROW_MAJOR, BLAS_NO_TRANS, BLAS_NO_TRANS, m,
		    n, k, 1, p->left, k, p->right, n, 0, j->out, n);
}

static void
openblas_fetch(void *job, const void *out[MAX_OUTPUTS])
{
	const struct job *j = job;

	out[0] = j->out;
}

static void
openblas_drop(void *job)
{
	struct job *j = job;

	buffer_free(j->out);
	free(j);
}

const struct peer peer_blas = { "OpenBLAS", openblas_open, openblas_prepare,
	openblas_run, openblas_fetch, openblas_drop };
