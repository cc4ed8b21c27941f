/* SPDX-License-Identifier: MIT */
/*
 * numpy and PyTorch, by way of a Python that runs within this process and works
 * on the same memory. Where there is a form with outputs of ours it is taken. A
 * call costs about a microsecond, which shows at small shapes.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fatal.h"
#include "base/str.h"
#include "bench/buffer.h"
#include "bench/peer.h"

#define PYTHON_HOME "debian/usr"
#define PYTHON_FILE "debian/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0"

/*
 * numpy_case and torch_case give None for what they do not have, else what is
 * to be timed and what makes the outputs besides.
 */
static const char script[] =
"import ctypes, numpy\n"
"\n"
"def tensor(address, kind, *dim):\n"
"    kind = numpy.dtype(kind)\n"
"    size = kind.itemsize * int(numpy.prod(dim))\n"
"    bytes = (ctypes.c_byte * size).from_address(address)\n"
"    return numpy.frombuffer(bytes, kind).reshape(dim)\n"
"\n"
"def tensors(dtype, rows, n, x, y, g, b, outs, out, more):\n"
"    dims = {'F': (rows, n), 'f': (rows, n), 'R': (rows,), 'C': (n,)}\n"
"    ins = [tensor(a, dtype, *d) if a else None for a, d in\n"
"           ((x, (rows, n)), (y, (rows, n)), (g, (n,)), (b, (n,)))]\n"
"    return ins + [tensor(a, 'int64' if o in 'rc' else dtype,\n"
"                         *dims[o if o in dims else o.upper()])\n"
"                  for o, a in zip(outs, (out, more))]\n"
"\n"
"def numpy_case(case, *args):\n"
"    x, y, g, b, o = tensors(*args)[:5]\n"
"    def chain():\n"
"        numpy.add(x, y, out=o)\n"
"        numpy.multiply(o, g, out=o)\n"
"        numpy.add(o, b, out=o)\n"
"        numpy.maximum(o, 0, out=o)\n"
"    run = {\n"
"        'bcast_add': lambda: numpy.add(x, b, out=o),\n"
"        'chain': chain,\n"
"        'argmax': lambda: numpy.argmax(x, -1, out=o),\n"
"        'argmax_axis0': lambda: numpy.argmax(x, 0, out=o),\n"
"        'sum': lambda: numpy.sum(x, -1, out=o),\n"
"        'sum_axis0': lambda: numpy.sum(x, 0, out=o),\n"
"    }.get(case)\n"
"    return run and (run, run)\n"
"\n"
"def torch_threads(threads):\n"
"    global torch\n"
"    import torch\n"
"    torch.set_grad_enabled(False)\n"
"    torch.set_num_threads(threads)\n"
"\n"
"def torch_case(case, *args):\n"
"    args = [None if a is None else torch.from_numpy(a)\n"
"            for a in tensors(*args)]\n"
"    x, y, g, b, o = args[:5]\n"
"    s = args[-1]\n"
"    gelu, silu = torch._C._nn.gelu, torch._C._nn.silu\n"
"    norm = torch.nn.functional.layer_norm\n"
"    def rmsnorm():\n"
"        r = torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5)\n"
"        return x * r * g\n"
"    def silu_mul():\n"
"        silu(x, out=o)\n"
"        torch.mul(o, y, out=o)\n"
"    def bias_gelu():\n"
"        torch.add(x, b, out=o)\n"
"        gelu(o, out=o)\n"
"    def chain():\n"
"        torch.add(x, y, out=o)\n"
"        o.mul_(g).add_(b).relu_()\n"
"    last = tuple(x.shape[-1:])\n"
"    made = {\n"
"        'layernorm': lambda: norm(x, last, g, b, 1e-5),\n"
"        'rmsnorm': rmsnorm,\n"
"        'add_layernorm': lambda: norm(torch.add(x, y, out=s), last, g, b,\n"
"                                      1e-5),\n"
"    }.get(case)\n"
"    if made:\n"
"        return made, lambda: o.copy_(made())\n"
"    run = {\n"
"        'softmax': lambda: torch.softmax(x, -1, out=o),\n"
"        'gelu': lambda: gelu(x, out=o),\n"
"        'gelutanh': lambda: gelu(x, approximate='tanh', out=o),\n"
"        'silu_mul': silu_mul,\n"
"        'bias_gelu': bias_gelu,\n"
"        'bcast_add': lambda: torch.add(x, b, out=o),\n"
"        'chain': chain,\n"
"        'argmax': lambda: torch.argmax(x, -1, out=o),\n"
"        'argmax_axis0': lambda: torch.argmax(x, 0, out=o),\n"
"        'sum': lambda: torch.sum(x, -1, out=o),\n"
"        'sum_axis0': lambda: torch.sum(x, 0, out=o),\n"
"    }.get(case)\n"
"    return run and (run, run)\n";

/* Objects of Python; all are kept by reference counts. */
typedef struct object object;

struct python {
	object *make; /* numpy_case or torch_case */
};

struct job {
	object *pair, *run, *fetch;
	void *out[MAX_OUTPUTS];
};

static void *handle;
static object *scope; /* the names of the script */
static object *(*call)(object *fn, object *args);
static object *(*call_with)(object *fn, const char *types, ...);
static object *(*name_of)(object *dict, const char *name);
static object *(*item_of)(object *tuple, ptrdiff_t);
static void (*release)(object *);
static void (*print_error)(void);

static void
bind(void *fn, const char *name)
{
	*(void **)fn = dlsym(handle, name);
	if (!*(void **)fn)
		fatal("Python has no %s", name);
}

static void
start(void)
{
	void (*initialise)(int);
	object *(*import)(const char *), *(*names)(object *), *done;
	object *(*evaluate)(const char *, int, object *, object *);
	enum { FILE_INPUT = 257 };

	bind(&initialise, "Py_InitializeEx");
	bind(&import, "PyImport_AddModule");
	bind(&names, "PyModule_GetDict");
	bind(&evaluate, "PyRun_String");
	bind(&call, "PyObject_CallObject");
	bind(&call_with, "PyObject_CallFunction");
	bind(&name_of, "PyDict_GetItemString");
	bind(&item_of, "PyTuple_GetItem");
	bind(&release, "Py_DecRef");
	bind(&print_error, "PyErr_Print");
	initialise(0);
	scope = names(import("__main__"));
	done = evaluate(script, FILE_INPUT, scope, scope);
	if (!done) {
		print_error();
		fatal("numpy cannot be loaded by Python");
	}
	release(done);
}

/* Whether Python runs now. */
static bool
started(const char *folder, char why[PEER_WHY])
{
	struct buf path = { 0 };

	if (handle)
		return true;
	buf_printf(&path, "%s/%s", folder, PYTHON_HOME);
	if (setenv("PYTHONHOME", path.p, 1))
		fatal("cannot set PYTHONHOME: %m");
	buf_clear(&path);
	buf_printf(&path, "%s/%s", folder, PYTHON_FILE);
	handle = dlopen(path.p, RTLD_NOW | RTLD_GLOBAL);
	buf_release(&path);
	if (!handle) {
		snprintf(why, PEER_WHY, "%s", dlerror());
		return false;
	}
	start();
	return true;
}

static struct python *
peer_of(const char *name)
{
	struct python *p = calloc(1, sizeof *p);

	if (!p)
		fatal("out of memory");
	p->make = name_of(scope, name);
	return p;
}

static void *
numpy_open(const char *folder, int threads, char why[PEER_WHY])
{
	/* It has one thread, however many others use. */
	(void)threads;
	return started(folder, why) ? peer_of("numpy_case") : NULL;
}

static void *
torch_open(const char *folder, int threads, char why[PEER_WHY])
{
	object *done;

	if (!started(folder, why))
		return NULL;
	done = call_with(name_of(scope, "torch_threads"), "(i)", threads);
	if (!done) {
		print_error();
		snprintf(why, PEER_WHY, "Python cannot load it");
		return NULL;
	}
	release(done);
	return peer_of("torch_case");
}

static unsigned long long
address(const void *p)
{
	return (unsigned long long)(uintptr_t)p;
}

static object *
called(object *fn)
{
	object *result = call(fn, NULL);

	if (!result) {
		print_error();
		fatal("a call of Python has failed");
	}
	return result;
}

static void *
python_prepare(void *peer, const struct problem *p)
{
	const struct python *py = peer;
	struct job *j = calloc(1, sizeof *j);

	if (!j)
		fatal("out of memory");
	for (int i = 0; p->row->outputs[i]; i++)
		j->out[i] = buffer_new(problem_bytes(p, p->row->outputs[i]));
	j->pair = call_with(py->make, "ssLLKKKKsKK", p->row->name,
	    dtype_name(p->dtype), (long long)p->rows, (long long)p->n,
	    address(p->x), address(p->y), address(p->g), address(p->b),
	    p->row->outputs, address(j->out[0]), address(j->out[1]));
	if (!j->pair) {
		print_error();
		fatal("Python cannot prepare %s", p->row->name);
	}
	return j;
}

static void
python_run(void *job)
{
	release(called(((struct job *)job)->run));
}

static void
python_fetch(void *job, const void *out[MAX_OUTPUTS])
{
	struct job *j = job;

	release(called(j->fetch));
	for (int i = 0; i < MAX_OUTPUTS; i++)
		out[i] = j->out[i];
}

static void
python_drop(void *job)
{
	struct job *j = job;

	release(j->pair);
	for (int i = 0; i < MAX_OUTPUTS; i++)
		buffer_free(j->out[i]);
	free(j);
}

/* None is no pair: the case is not there. */
static void *
prepared(void *peer, const struct problem *p)
{
	static object *none;
	struct job *j;

	/* Their products are those of a BLAS, which is measured itself. */
	if (p->kind == CASE_matmul)
		return NULL;
	j = python_prepare(peer, p);
	if (!none)
		bind(&none, "_Py_NoneStruct");
	if (j->pair == none) {
		python_drop(j);
		return NULL;
	}
	j->run = item_of(j->pair, 0);
	j->fetch = item_of(j->pair, 1);
	return j;
}

const struct peer peer_numpy = { "numpy", numpy_open, prepared, python_run,
	python_fetch, python_drop };
const struct peer peer_torch = { "PyTorch", torch_open, prepared, python_run,
	python_fetch, python_drop };
