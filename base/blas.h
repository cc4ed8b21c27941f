/* SPDX-License-Identifier: MIT */
/* The BLAS library of this machine, opened only when it is asked for. */
#ifndef BASE_BLAS_H
#define BASE_BLAS_H

enum { BLAS_WHY = 600 };

/*
 * file: its path. config: what OpenBLAS says of itself, NULL for another BLAS.
 * sgemm, dgemm: cblas_sgemm and cblas_dgemm. set_threads: how many threads a
 * call uses from now on; NULL for a library that cannot be told. All of it is
 * valid until the process ends.
 */
struct blas_library {
	const char *file, *config;
	void (*sgemm)(int order, int transa, int transb, int m, int n, int k,
	    float alpha, const float *a, int lda, const float *b, int ldb,
	    float beta, float *c, int ldc);
	void (*dgemm)(int order, int transa, int transb, int m, int n, int k,
	    double alpha, const double *a, int lda, const double *b, int ldb,
	    double beta, double *c, int ldc);
	void (*set_threads)(int);
};

/* Values of order and of transa, transb, as cblas.h has them. */
enum { BLAS_ROW_MAJOR = 101, BLAS_NO_TRANS = 111 };

/*
 * Opens the library that $KVAOT_BLAS names, and only that one; without it the
 * first of libopenblas.so.0, libopenblas.so and libblas.so.3 that has the
 * functions of cblas. -1 with the reason and what to do.
 */
int blas_open(struct blas_library *, char why[BLAS_WHY]);

#endif
