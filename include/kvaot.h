/* SPDX-License-Identifier: MIT */
/*
 * libkvaot: calls the functions of a compiled library on plain pointers.
 *
 *	kvaotOpen(path, NULL, &lib, err, sizeof(err));
 *	kvaotFind(lib, "deepx:softmax", &fn, err, sizeof(err));
 *	kvaotBind(fn, in, 2, &bound, err, sizeof(err));
 *	kvaotRun(bound, ptr_in, ptr_out, err, sizeof(err));
 *
 * Results. A function that can fail returns 0 or a negative KVAOT_ code and
 * then writes one line of text, UTF-8 and ended by NUL, into err (err_cap bytes
 * with the NUL; err may be NULL). It says what was expected, what was found
 * and where. After a failure the out parameter is not set. The library never
 * prints. It never ends the process but in one case: when malloc has no memory
 * for its own bookkeeping (not for tensors), with a line on stderr and exit 3.
 *
 * Memory. Tensors are the caller's: contiguous, row-major, aligned to one
 * element, and they must stay until the call returns. Nothing of them is copied
 * except small integer inputs (see kvaotBind). Texts and structs given to a
 * function are read before it returns. Extents are in elements.
 *
 * Threads. All functions may be called from any number of threads at once,
 * with the same library, function and bound call too. Only kvaotClose and
 * kvaotUnbind need that nobody uses the handle any more. kvaotRun takes no
 * lock. Calls leave the floating-point control register as they found it and
 * compute with rounding to nearest and denormals, whatever it says. After fork
 * the child may go on with all handles; loops then run on its one thread.
 *
 * Matrix products of author cblas call OpenBLAS, which is opened when the first
 * one is bound. It has threads of its own and one number of them for the
 * process: a call sets the one of its kvaot library (1 with the hook par), so
 * that calls through libraries with different ones wait for each other; a
 * program that calls OpenBLAS too must set its own again. A fork waits until no
 * product runs.
 *
 * Life. A bound call keeps its library alive, so handles may be closed in any
 * order. Machine code once mapped stays until the process ends; a kernel that
 * several libraries hold is mapped once.
 *
 * To swap a library while it is in use: open the new one beside the old one,
 * find and bind the same functions, switch the pointers that your threads read
 * (atomically), wait until no call that read the old pointer runs, then
 * kvaotUnbind and kvaotClose the old ones. `current` of a library's folder is
 * followed once, in kvaotOpen: publishing over it changes no open library.
 *
 * Structs begin with their size, so that programs and libraries of different
 * age understand each other: set it to sizeof of the struct, and what you do
 * not know to zero.
 */
#ifndef KVAOT_H
#define KVAOT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef KVAOT_API
#define KVAOT_API __attribute__((visibility("default")))
#endif

/* What a function returns. */
enum {
	KVAOT_OK = 0,
	KVAOT_REFUSED = -1, /* what the caller gave: names, tensors, pointers */
	KVAOT_LIBRARY = -2, /* a file of the library is absent or damaged, or
			     * there is no BLAS library that a kernel needs */
	KVAOT_MEMORY = -3,  /* no memory for values in between or scratch */
	KVAOT_FAILED = -4,  /* a kernel found e.g. a division by zero */
};

/* Element types. A string is none: what reads one, as deepx·todtype does, is
 * called by a function that has it as a literal. */
enum {
	KVAOT_BOOL = 1, /* a byte, 0 or 1 */
	KVAOT_INT8,
	KVAOT_INT16,
	KVAOT_INT32,
	KVAOT_INT64,
	KVAOT_UINT8,
	KVAOT_UINT16,
	KVAOT_UINT32,
	KVAOT_UINT64,
	KVAOT_FLOAT32,
	KVAOT_FLOAT64,
	KVAOT_FLOAT16,
	KVAOT_BFLOAT16,
};

enum { KVAOT_MAX_RANK = 8, KVAOT_MAX_IN = 64, KVAOT_MAX_OUT = 16 };

/* Flags of kvaotOptions. */
enum {
	KVAOT_BASE = 1,   /* run functions as written, without their versions */
	KVAOT_STRICT = 2, /* a call that no version fits is refused */
};

struct kvaotLib;
struct kvaotFn;
struct kvaotBound;

/*
 * How a library is opened; a zeroed one (with its size) is the default.
 *
 * isa      highest instruction set level to use; NULL: the best of this CPU.
 * threads  how many threads may share the work of one call; 0 and 1: only the
 *          calling one. Without par the library starts threads - 1 of its own.
 * ctx      given to the hooks, which may be called from any thread.
 * alloc, release
 *          memory of at least 64 bytes alignment for values between kernels and
 *          scratch on the calling thread; NULL from alloc makes the call fail
 *          with KVAOT_MEMORY. Both or none; none: aligned_alloc and free.
 * log      gets a line (without line end) for what is opened and for each
 *          decision of a bind: version, kernel, why. The line is the
 *          library's. The hook may call kvaot functions.
 * par      runs piece(job, i) once for each i in [0, n), in any order and on
 *          any threads, and returns when all have returned. For at most
 *          `threads` threads at a time; set it to what your pool has.
 */
struct kvaotOptions {
	uint32_t size;
	uint32_t flags;
	const char *isa;
	int32_t threads;
	int32_t reserved;
	void *ctx;
	void *(*alloc)(void *ctx, size_t n);
	void (*release)(void *ctx, void *p, size_t n);
	void (*log)(void *ctx, const char *line);
	void (*par)(void *ctx, int64_t n,
	    void (*piece)(void *job, int64_t i), void *job);
};

/*
 * A tensor: rank 0 is a scalar; dim[0] is the outermost extent. data may be
 * NULL where only dtype and dims are asked for. An array of tensors has the
 * size of its first one throughout.
 */
struct kvaotTensor {
	uint32_t size;
	int32_t dtype;
	int32_t rank;
	int32_t reserved;
	int64_t dim[KVAOT_MAX_RANK];
	void *data;
};

/* A parameter: type is the langtype, e.g. "[*]float32|[*]float64". */
struct kvaotParam {
	const char *name, *type;
};

/* param holds nin reads, then nout writes. All texts are the library's. */
struct kvaotSignature {
	uint32_t size;
	uint32_t nin, nout, reserved;
	const char *name;
	const struct kvaotParam *param;
};

/* "0.1" */
KVAOT_API const char *kvaotVersion(void);

/*
 * Opens a library: path is its folder (with the link `current`), or the file
 * `image` of one publication with its manifest beside it and obj/ there or one
 * folder up; NULL: $KVAOT_LIB, the folder lib beside the program's, or the
 * installed one. Reads and checks image and manifest; maps no kernel yet.
 * options may be NULL. Give the handle to kvaotClose.
 */
KVAOT_API int kvaotOpen(const char *path, const struct kvaotOptions *options,
    struct kvaotLib **lib, char *err, uint32_t err_cap);

/* Ends the use of a library and of the functions found in it. NULL: nothing. */
KVAOT_API void kvaotClose(struct kvaotLib *lib);

/*
 * The function or back end of a name: "deepx·softmax", "deepx·softmax.1" (this
 * version), "deepx/miaobyte·add"; `:` may stand for `·`. It belongs to the
 * library. An abstract op ("deepx·add") is refused with the back ends that the
 * library has for it.
 */
KVAOT_API int kvaotFind(struct kvaotLib *lib, const char *name,
    const struct kvaotFn **fn, char *err, uint32_t err_cap);

/* Parameters of a function; set out->size before. Valid while the library is
 * open. */
KVAOT_API int kvaotDescribe(const struct kvaotFn *fn,
    struct kvaotSignature *out, char *err, uint32_t err_cap);

/*
 * What a call would give: dtype and dims of each result, for inputs of which
 * data may be NULL, except integers that decide about shapes (axis, dims). Set
 * the size of each out; its data is left alone. Maps no kernel.
 */
KVAOT_API int kvaotShapes(const struct kvaotFn *fn,
    const struct kvaotTensor *in, uint32_t nin, struct kvaotTensor *out,
    uint32_t nout, char *err, uint32_t err_cap);

/*
 * Calls a function: in[i].data is read, out[j].data gets the result, of the
 * dtype and dims that kvaotShapes says. What is decided for these dtypes, dims
 * and small integers is kept for the next call (for the first 64 kinds of call
 * of a function). Overlap as for kvaotRun.
 */
KVAOT_API int kvaotCall(const struct kvaotFn *fn, const struct kvaotTensor *in,
    uint32_t nin, const struct kvaotTensor *out, uint32_t nout, char *err,
    uint32_t err_cap);

/*
 * Decides all about calls with inputs of these dtypes and dims: version,
 * kernels, which are mapped now, and memory. An integer or bool input of at
 * most 64 bytes with data is fixed: its value is copied and may decide (axis,
 * keepdims, dims). Data of other inputs is not looked at. Give the result to
 * kvaotUnbind.
 */
KVAOT_API int kvaotBind(const struct kvaotFn *fn, const struct kvaotTensor *in,
    uint32_t nin, struct kvaotBound **bound, char *err, uint32_t err_cap);

/* Dtype and dims of result i; set out->size before, out->data is left alone. */
KVAOT_API int kvaotResult(const struct kvaotBound *bound, uint32_t i,
    struct kvaotTensor *out, char *err, uint32_t err_cap);

/*
 * Runs a bound call: in[i] and out[j] point to the tensors. The pointer of a
 * fixed input may be NULL, else it must point to the value it had; that of a
 * tensor without elements may be NULL. Refused: another NULL, a pointer not
 * aligned to an element, and overlap: results may not overlap each other, and
 * one may overlap an input only when both are the very same memory and the
 * kernel that writes it allows that.
 */
KVAOT_API int kvaotRun(const struct kvaotBound *bound, const void *const *in,
    void *const *out, char *err, uint32_t err_cap);

/* NULL: nothing. */
KVAOT_API void kvaotUnbind(struct kvaotBound *bound);

#ifdef __cplusplus
}
#endif

#endif
