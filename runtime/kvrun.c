/* SPDX-License-Identifier: MIT */
/* kvrun: runs a function of a library, or a .kv file over it. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fatal.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/version.h"
#include "runtime/argument.h"
#include "runtime/certify.h"
#include "runtime/cpu.h"
#include "runtime/library.h"
#include "runtime/runtime.h"

enum { LIST_MAX = 64 };

/* NAME=VALUE, split. */
struct pair {
	const char *name, *value;
};

struct options {
	struct runtime_options run;
	const char *file;
	const char *entry[LIST_MAX];
	struct pair in[LIST_MAX], out[LIST_MAX], load[LIST_MAX];
	int nentry, nin, nout, nload;
	int time; /* calls to take the median of; 0: none */
	bool digest;
	const char *certify, *verdicts;
	struct arena arena;
};

static const char help[] =
"usage: kvrun [options] FILE.kv\n"
"       kvrun [options] --entry NAME\n"
"       kvrun [--lib=DIR] [--verdicts=DIR] --certify=FILE\n"
"\n"
"Runs a .kv file over a library of kernels, or a function of the library.\n"
"In names `:` stands for `·`: deepx:softmax.\n"
"\n"
"  --lib=DIR       the library (else $KVAOT_LIB, the folder lib beside the\n"
"                  program's, the installed one)\n"
"  --entry=NAME    the function to call; may be repeated\n"
"  --space=DSN     where laid functions and values at absolute paths live: mem:,\n"
"                  the default, or fs://DIR, a folder that outlives the process\n"
"  --load F=/PATH  put the tensor of F.npy at /PATH, or each tensor T of\n"
"                  F.safetensors at /PATH/T: constants of all programs\n"
"  --in P=VALUE    value of parameter P: F.npy, rand:64x128:float32:SEED,\n"
"                  or a literal (-1, 2.5, true, [1,0], int8([1,-2]))\n"
"  --out P=F.npy   write the result P\n"
"  --digest        print the SHA-256 of each result's bytes\n"
"  --base          run functions as written, without their versions\n"
"  --strict        a call that no version fits is an error\n"
"  --trace         say on stderr which version and kernel is chosen and why\n"
"  --dump          show the outputs of every kernel on stderr\n"
"  --threads=N     threads to use (default: one a CPU)\n"
"  --isa=NAME      highest instruction set level to use\n"
"  --time=N        time of a call: the median of N, after one to warm up\n"
"  --certify=FILE  run each fused kernel against the composition it was made\n"
"                  from and write the manifest with the verdicts to FILE\n"
"  --verdicts=DIR  keep verdicts in DIR, so that none is found twice\n"
"  --help, --version\n";

static void
add_pair(struct options *o, struct pair *list, int *n, const char *option,
    const char *text)
{
	const char *eq = strchr(text, '=');

	if (!eq || eq == text || !eq[1])
		usage_error("%s expects NAME=VALUE, found %s", option, text);
	if (*n == LIST_MAX)
		usage_error("more than %d times %s", LIST_MAX, option);
	list[(*n)++] = (struct pair){
		arena_strndup(&o->arena, text, (size_t)(eq - text)), eq + 1 };
}

/* FILE=/PATH: what follows the last `=/` is the path. */
static void
add_load(struct options *o, const char *text)
{
	const char *at = strstr(text, "=/"), *next;

	while (at && (next = strstr(at + 1, "=/")))
		at = next;
	if (!at || at == text)
		usage_error("--load expects FILE=/PATH, found %s", text);
	if (o->nload == LIST_MAX)
		usage_error("more than %d times --load", LIST_MAX);
	o->load[o->nload++] = (struct pair){
		arena_strndup(&o->arena, text, (size_t)(at - text)), at + 1 };
}

static int
number(const char *option, const char *text, int most)
{
	unsigned long long n;

	if (!str_u64(str_of(text), &n) || n < 1 || n > (unsigned)most)
		usage_error("%s expects a number from 1 to %d, found %s",
		    option, most, text);
	return (int)n;
}

static bool
take_flag(struct options *o, const char *arg)
{
	if (strcmp(arg, "--base") == 0)
		o->run.base = true;
	else if (strcmp(arg, "--strict") == 0)
		o->run.strict = true;
	else if (strcmp(arg, "--trace") == 0)
		o->run.trace = true;
	else if (strcmp(arg, "--dump") == 0)
		o->run.dump = true;
	else if (strcmp(arg, "--digest") == 0)
		o->digest = true;
	else
		return false;
	return true;
}

static bool
take_option(struct options *o, const char *name, const char *value)
{
	if (strcmp(name, "--lib") == 0)
		o->run.lib = value;
	else if (strcmp(name, "--space") == 0)
		o->run.space = value;
	else if (strcmp(name, "--certify") == 0)
		o->certify = value;
	else if (strcmp(name, "--verdicts") == 0)
		o->verdicts = value;
	else if (strcmp(name, "--isa") == 0)
		o->run.isa = value;
	else if (strcmp(name, "--threads") == 0)
		o->run.threads = number(name, value, 1024);
	else if (strcmp(name, "--time") == 0)
		o->time = number(name, value, 1000000);
	else if (strcmp(name, "--in") == 0)
		add_pair(o, o->in, &o->nin, name, value);
	else if (strcmp(name, "--out") == 0)
		add_pair(o, o->out, &o->nout, name, value);
	else if (strcmp(name, "--load") == 0)
		add_load(o, value);
	else if (strcmp(name, "--entry") == 0 && o->nentry < LIST_MAX)
		o->entry[o->nentry++] = name_typed(&o->arena, value);
	else
		return false;
	return true;
}

/* Handles argv[i] and returns how many arguments it took. */
static int
take_argument(struct options *o, char **argv, int i)
{
	const char *arg = argv[i], *eq = strchr(arg, '=');
	const char *name = arg;

	if (arg[0] != '-') {
		if (o->file)
			usage_error("one file at a time, found %s and %s",
			    o->file, arg);
		o->file = arg;
		return 1;
	}
	if (take_flag(o, arg))
		return 1;
	if (eq)
		name = arena_strndup(&o->arena, arg, (size_t)(eq - arg));
	if (eq && take_option(o, name, eq + 1))
		return 1;
	if (!eq && argv[i + 1] && take_option(o, name, argv[i + 1]))
		return 2;
	usage_error("unknown option, or one without its value: %s", arg);
}

static void
parse_options(struct options *o, int argc, char **argv)
{
	char why[200];
	int i;

	for (i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0) {
			fputs(help, stdout);
			exit(EXIT_OK);
		}
		if (strcmp(argv[i], "--version") == 0) {
			puts("kvrun " KVAOT_VERSION);
			exit(EXIT_OK);
		}
	}
	for (i = 1; i < argc;)
		i += take_argument(o, argv, i);
	if (o->certify && (o->file || o->nentry || o->run.isa ||
	    o->run.space || o->nload))
		usage_error("--certify runs all kernels: no FILE.kv, --entry, "
		    "--isa, --space or --load with it");
	if (o->run.space && strcmp(o->run.space, "mem:") &&
	    !str_starts(str_of(o->run.space), "fs://"))
		usage_error("--space expects mem: or fs://DIR, found %s",
		    o->run.space);
	if (o->verdicts && !o->certify)
		usage_error("--verdicts needs --certify");
	if (!o->certify && !o->file && o->nentry == 0)
		usage_error("nothing to run: expected FILE.kv or --entry");
	if (!cpu_isa(o->run.isa, why))
		usage_error("--isa: %s", why);
}

_Noreturn static void
stop(struct diag *d, int code)
{
	fflush(stdout);
	diag_print(d, stderr, 0);
	exit(code);
}

/* A call failed. */
_Noreturn static void
failed(const struct runtime *rt, struct diag *d)
{
	stop(d, runtime_environment(rt) ? EXIT_ENV : EXIT_REFUSED);
}

static void
load_files(struct runtime *rt, struct options *o, struct diag *d)
{
	for (int i = 0; i < o->nload; i++)
		runtime_load(rt, o->load[i].name, o->load[i].value, d);
	if (d->errors)
		stop(d, d->env ? EXIT_ENV : EXIT_REFUSED);
}

/* Lays the file over the library; without --entry its bare statements run, or
 * its function test. */
static void
lay_file(struct runtime *rt, struct options *o, struct diag *d)
{
	const char **entry;
	struct str text;
	size_t n, i;

	if (file_read(&o->arena, o->file, &text))
		fatal("cannot read %s: %m", o->file);
	if (runtime_lay(rt, o->file, text, &entry, &n, d))
		stop(d, EXIT_REFUSED);
	if (o->nentry > 0)
		return;
	if (n > LIST_MAX)
		fatal("%s has more than %d parts to run", o->file, LIST_MAX);
	for (i = 0; i < n; i++)
		o->entry[o->nentry++] = entry[i];
	if (n == 0 && runtime_has(rt, "test"))
		o->entry[o->nentry++] = "test";
	if (o->nentry == 0)
		fprintf(stderr, "kvrun: %s has neither bare statements nor "
		    "a function `test`; name one with --entry\n", o->file);
	if (o->nentry == 0)
		exit(EXIT_REFUSED);
}

static void
put_parameters(struct buf *b, const struct runtime_signature *s, int from,
    int to)
{
	int i;

	for (i = from; i < to; i++)
		buf_printf(b, "%s%s:%s", i > from ? ", " : "", s->name[i],
		    s->type[i]);
}

/* Where an argument's name does not fit the parameters, or one lacks. */
_Noreturn static void
wrong_parameter(const char *entry, const struct runtime_signature *s,
    const char *option, const char *name, const char *what)
{
	struct buf b = { 0 };

	buf_printf(&b, "%s(", entry);
	put_parameters(&b, s, 0, s->nread);
	buf_puts(&b, ") -> (");
	put_parameters(&b, s, s->nread, s->nread + s->nwrite);
	fprintf(stderr, "kvrun: %s %s=…: %s; the parameters are %s)\n", option,
	    name, what, b.p);
	buf_release(&b);
	exit(EXIT_REFUSED);
}

static int
find_param(const struct runtime_signature *s, int from, int to,
    const char *name)
{
	int i;

	for (i = from; i < to; i++) {
		if (strcmp(s->name[i], name) == 0)
			return i - from;
	}
	return -1;
}

/* A number for a scalar parameter takes its type, as a literal in a slot of that
 * type would; what does not fit stays, and the call refuses it. */
static void
fit_scalar(struct arena *a, const char *type, struct value *v)
{
	enum dtype to = dtype_of(str_of(type));
	uint64_t there = 0;
	void *body;

	if (v->shape.rank || to == DT_NONE || v->dtype == to ||
	    !argument_fits(to, &there, v->dtype, v->body))
		return;
	body = arena_alloc(a, dtype_size(to));
	memcpy(body, &there, dtype_size(to));
	*v = value_tensor(a, to, &v->shape, body);
}

static struct cell **
read_inputs(struct runtime *rt, struct options *o,
    const struct runtime_signature *s, struct diag *d)
{
	struct cell **in = arena_array(
	    &o->arena, (size_t)s->nread + 1, sizeof(struct cell *));
	struct value v;
	int i, at;

	for (i = 0; i < o->nin; i++) {
		at = find_param(s, 0, s->nread, o->in[i].name);
		if (at < 0 || in[at])
			wrong_parameter(o->entry[0], s, "--in", o->in[i].name,
			    at < 0 ? "no such parameter" : "given twice");
		if (argument_value(&o->arena, o->in[i].value, &v, d))
			stop(d, EXIT_REFUSED);
		fit_scalar(&o->arena, s->type[at], &v);
		in[at] = runtime_value(rt, &v);
		if (!in[at])
			fatal("no memory for --in %s", o->in[i].name);
	}
	for (i = 0; i < s->nread; i++) {
		if (!in[i])
			wrong_parameter(o->entry[0], s, "--in", s->name[i],
			    "this parameter has no value");
	}
	return in;
}

static void
write_outputs(struct options *o, const struct runtime_signature *s,
    struct cell **out)
{
	char hex[SHA256_HEX + 1];
	const struct value *v;
	int i;

	for (i = 0; i < o->nout; i++) {
		int at = find_param(s, s->nread, s->nread + s->nwrite,
		    o->out[i].name);

		v = runtime_body(out[at]);
		if (!v || v->dtype == DT_NONE)
			wrong_parameter(o->entry[0], s, "--out",
			    o->out[i].name, "it holds no tensor");
		if (argument_write(o->out[i].value, v))
			fatal("cannot write %s: %m", o->out[i].value);
	}
	for (i = 0; i < s->nwrite && o->digest; i++) {
		v = runtime_body(out[i]);
		if (!v)
			continue;
		sha256_hex(v->body, v->n, hex);
		printf("digest: %s %s\n", s->name[s->nread + i], hex);
	}
}

static double
now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int
by_time(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
release_all(struct runtime *rt, struct cell **c, int n)
{
	while (n > 0)
		runtime_release(rt, c[--n]);
}

/* The results of the last call stay in out. */
static void
time_calls(struct runtime *rt, struct options *o,
    const struct runtime_signature *s, struct cell **in, struct cell **out,
    struct diag *d)
{
	double *us = arena_array(&o->arena, (size_t)o->time, sizeof(*us));
	int i, n = o->time;

	for (i = 0; i < n; i++) {
		release_all(rt, out, s->nwrite);
		us[i] = now_us();
		if (runtime_call(rt, o->entry[0], in, s->nread, out,
		    s->nwrite, d))
			failed(rt, d);
		us[i] = now_us() - us[i];
	}
	qsort(us, (size_t)n, sizeof(*us), by_time);
	printf("time: %.1f us (median of %d)\n",
	    n % 2 ? us[n / 2] : (us[n / 2 - 1] + us[n / 2]) / 2, n);
}

static void
run_entry(struct runtime *rt, struct options *o, struct diag *d)
{
	struct runtime_signature s;
	struct cell **in, **out;
	int i;

	if (runtime_signature(rt, o->entry[0], &s, d))
		stop(d, EXIT_REFUSED);
	for (i = 0; i < o->nout; i++) {
		if (find_param(&s, s.nread, s.nread + s.nwrite,
		    o->out[i].name) < 0)
			wrong_parameter(o->entry[0], &s, "--out",
			    o->out[i].name, "no such result");
	}
	in = read_inputs(rt, o, &s, d);
	out = arena_array(
	    &o->arena, (size_t)s.nwrite + 1, sizeof(struct cell *));
	if (runtime_call(rt, o->entry[0], in, s.nread, out, s.nwrite, d))
		failed(rt, d);
	if (o->time > 0)
		time_calls(rt, o, &s, in, out, d);
	write_outputs(o, &s, out);
	release_all(rt, out, s.nwrite);
	release_all(rt, in, s.nread);
}

static void
run_all(struct runtime *rt, struct options *o, struct diag *d)
{
	int i;

	if (o->nentry == 1) {
		run_entry(rt, o, d);
		return;
	}
	if (o->nin || o->nout || o->time || o->digest)
		usage_error("--in, --out, --time and --digest need exactly "
		    "one --entry");
	for (i = 0; i < o->nentry; i++) {
		if (runtime_call(rt, o->entry[i], NULL, 0, NULL, 0, d))
			failed(rt, d);
	}
}

static int
certify(struct options *o, struct diag *d)
{
	int bad = certify_library(o->run.lib, o->certify, o->verdicts, d);

	diag_print(d, stderr, 0);
	diag_release(d);
	arena_release(&o->arena);
	return bad ? EXIT_ENV : EXIT_OK;
}

int
main(int argc, char **argv)
{
	struct options o = { 0 };
	struct runtime *rt;
	struct diag d;
	const char *tried;

	fatal_program("kvrun");
	diag_init(&d);
	o.run.out = stdout;
	o.run.err = stderr;
	parse_options(&o, argc, argv);
	o.run.lib = library_find(&o.arena, o.run.lib, &tried);
	if (!o.run.lib)
		fatal("no library: expected --lib, $KVAOT_LIB or one of %s; "
		    "build one with `ninja -C out`", tried);
	if (o.certify)
		return certify(&o, &d);
	rt = runtime_open(&o.run, &d);
	if (!rt)
		stop(&d, EXIT_ENV);
	load_files(rt, &o, &d);
	if (o.file)
		lay_file(rt, &o, &d);
	run_all(rt, &o, &d);
	runtime_close(rt);
	diag_release(&d);
	arena_release(&o.arena);
	if (fflush(stdout) || ferror(stdout))
		fatal("cannot write standard output: %m");
	return EXIT_OK;
}
