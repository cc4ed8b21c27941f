/* SPDX-License-Identifier: MIT */
/*
 * Calls deepx·softmax of a compiled library from C:
 *
 *	cc softmax.c $(pkg-config --cflags --libs kvaot) -o softmax
 *	./softmax out/lib
 */
#include <kvaot.h>
#include <stdio.h>
#include <stdlib.h>

static char err[512];

/* Every function returns 0, or a negative code and a line of text in err. */
static void
must(int code)
{
	if (code == KVAOT_OK)
		return;
	fprintf(stderr, "%s\n", err);
	exit(1);
}

int
main(int argc, char **argv)
{
	float x[2][3] = { { 1, 2, 3 }, { 0, 0, 0 } }, y[2][3];
	int64_t axis = -1;
	struct kvaotTensor in[2] = {
		{ .size = sizeof(in[0]), .dtype = KVAOT_FLOAT32, .rank = 2,
		    .dim = { 2, 3 }, .data = x },
		{ .size = sizeof(in[0]), .dtype = KVAOT_INT64, .data = &axis },
	};
	struct kvaotTensor out = { .size = sizeof(out) };
	const void *from[2] = { x, NULL }; /* the axis is bound */
	void *to[1] = { y };
	struct kvaotLib *lib;
	const struct kvaotFn *softmax;
	struct kvaotBound *bound;
	int i, j;

	must(kvaotOpen(argc > 1 ? argv[1] : NULL, NULL, &lib, err, sizeof(err)));
	must(kvaotFind(lib, "deepx:softmax", &softmax, err, sizeof(err)));
	must(kvaotShapes(softmax, in, 2, &out, 1, err, sizeof(err)));
	printf("softmax of 2x3 gives %lldx%lld\n", (long long)out.dim[0],
	    (long long)out.dim[1]);

	/* Bind once, run often: a run costs little more than the kernel. */
	must(kvaotBind(softmax, in, 2, &bound, err, sizeof(err)));
	must(kvaotRun(bound, from, to, err, sizeof(err)));
	for (i = 0; i < 2; i++) {
		for (j = 0; j < 3; j++)
			printf("%s%.4f", j ? " " : "", y[i][j]);
		putchar('\n');
	}
	kvaotUnbind(bound);
	kvaotClose(lib);
	return 0;
}
