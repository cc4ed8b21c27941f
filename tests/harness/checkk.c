/* SPDX-License-Identifier: MIT */
/*
 * checkk: runs back ends against the plain kernels of author ref for the same op
 * and dtype, within the tolerance of ops/, or measures them. Each row runs in a
 * child, so that a crash is one red line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/json.h"
#include "include/kvaot.h"
#include "runtime/cpu.h"
#include "tests/harness/harness.h"
#include "tests/harness/rows.h"

static const char help[] =
"usage: checkk --lib DIR --ref DIR [options] [OP...]\n"
"       checkk --objects DIR --ref DIR [options] [OP...]\n"
"       checkk --bench --lib DIR --ref DIR [--elements N] [--json] [OP...]\n"
"\n"
"Runs every back end (or those of these ops), at every instruction set level\n"
"of this CPU, against the reference kernels: all sizes, shapes, offsets and\n"
"special values, between guard pages, in one piece and several.\n"
"\n"
"  --lib DIR      back ends of a published library\n"
"  --objects DIR  back ends of all objects (*.so) in a folder\n"
"  --ref DIR      objects of kernels/ref\n"
"  --cases N      at most about N cases a row, chosen by the seed [all]\n"
"  --case N       only this case of each row\n"
"  --seed N       other data, shapes and choice of cases [1]\n"
"  --seconds N    of CPU that a row may take [120]\n"
"  --bench        print what a call takes, against the reference\n"
"  --elements N   in tensors that are measured [65536]\n"
"  --json         print what was measured as JSON\n"
"\n"
"Exit 0 when all rows passed, 1 when one failed or there was none.\n";

struct options {
	const char *lib, *objects, *ref;
	unsigned long long cases, only, seed, seconds, elements;
	bool one, bench, json;
};

/* Shared with the children: what they say, what they measured. */
struct shared {
	char note[NOTE];
	struct measured m;
};

/* In a child: checks or measures the row and ends. */
_Noreturn static void
run_row(struct row *r, const struct options *o, struct shared *s)
{
	/* A kernel that never returns ends by a signal too. */
	struct rlimit most = { o->seconds, o->seconds };

	setrlimit(RLIMIT_CPU, &most);
	cpu_enter();
	if (o->bench) {
		place_init(r, ((o->elements + 4096) * 24 + 4095) / 4096 * 4096);
		measure_row(r, (int64_t)o->elements, &s->m);
		_exit(EXIT_OK);
	}
	place_init(r, ROOM);
	if (r->lib)
		refuse_overlaps(r);
	r->limit = o->cases ? (long)o->cases : INT32_MAX;
	r->only = o->one ? (long)o->only : -1;
	cases_run(r);
	snprintf(r->note, NOTE, "%ld of %ld cases", r->cases, r->total);
	_exit(EXIT_OK);
}

/* Whether the row passed; signal: by which its child ended, or 0. */
static bool
passes(struct row *r, const struct options *o, struct shared *s, int *signal)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	*s = (struct shared){ 0 };
	r->note = s->note;
	*signal = 0;
	if (*r->why) {
		snprintf(s->note, NOTE, "%s", r->why);
		return false;
	}
	pid = fork();
	if (pid < 0)
		fatal("cannot start a process");
	if (pid == 0)
		run_row(r, o, s);
	if (waitpid(pid, &status, 0) != pid)
		fatal("lost a process");
	if (WIFSIGNALED(status))
		*signal = WTERMSIG(status);
	return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_OK;
}

static void
say_checked(FILE *to, const struct row *r, bool ok, int signal)
{
	fprintf(to, "%s %s %s %s: %s", ok ? "ok  " : "FAIL", r->m->opcode,
	    dtype_name(r->dtype), r->m->isa, r->note);
	if (signal)
		fprintf(to, ": killed by signal %d", signal);
	putc('\n', to);
}

static void
say_measured(const struct row *r, const struct measured *m)
{
	/* The dot in an opcode has two bytes. */
	printf("%-33s %-8s %-10s %10.0f %9.3f %8.2f %8.2f\n", r->m->opcode,
	    dtype_name(r->dtype), r->m->isa, m->ns,
	    m->ns / (double)m->elements, (double)m->bytes / m->ns,
	    m->ref_ns / m->ns);
}

/* Picoseconds, for a number of our JSON is whole. */
static void
json_measured(struct json *j, const struct row *r, const struct measured *m)
{
	json_open(j, NULL, '{');
	json_text(j, "opcode", r->m->opcode);
	json_text(j, "dtype", dtype_name(r->dtype));
	json_text(j, "isa", r->m->isa);
	json_number(j, "elements", m->elements);
	json_number(j, "bytes", m->bytes);
	json_number(j, "call_ps", (long long)(m->ns * 1e3));
	json_number(j, "ref_call_ps", (long long)(m->ref_ns * 1e3));
	json_close(j, '}');
}

/* All rows; how many failed. */
static size_t
run_rows(struct rows *rows, const struct options *o, struct json *j)
{
	struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	size_t failed = 0;

	if (s == MAP_FAILED)
		fatal("no memory");
	for (size_t i = 0; i < rows->n; i++) {
		struct row *r = &rows->row[i];
		int signal;
		bool ok = passes(r, o, s, &signal);

		failed += !ok;
		if (!o->bench || !ok)
			say_checked(o->bench ? stderr : stdout, r, ok, signal);
		else if (o->json)
			json_measured(j, r, &s->m);
		else
			say_measured(r, &s->m);
	}
	munmap(s, sizeof *s);
	return failed;
}

static int
check(struct rows *rows, const struct options *o)
{
	size_t failed;

	printf("seed %llu\n", o->seed);
	failed = run_rows(rows, o, NULL);
	printf("%zu passed, %zu failed, %zu not for this CPU\n",
	    rows->n - failed, failed, rows->skipped);
	return failed || !rows->n ? EXIT_REFUSED : EXIT_OK;
}

static int
bench(struct rows *rows, const struct options *o)
{
	struct buf text = { 0 };
	struct json j = { .out = &text };
	size_t failed;

	if (o->json)
		json_open(&j, NULL, '[');
	else
		printf("%-32s %-8s %-10s %10s %9s %8s %8s\n", "opcode", "dtype",
		    "isa", "ns/call", "ns/elem", "GB/s", "x ref");
	failed = run_rows(rows, o, &j);
	if (o->json) {
		json_close(&j, ']');
		printf("%.*s\n", (int)text.n, text.p);
	}
	buf_release(&text);
	return failed || !rows->n ? EXIT_REFUSED : EXIT_OK;
}

static unsigned long long
number(const char *name, const char *value, unsigned long long most)
{
	unsigned long long n;

	if (!value || !str_u64(str_of(value), &n) || n > most)
		usage_error("%s: expected a number up to %llu, found %s", name,
		    most, value ? value : "no more");
	return n;
}

/* Option i of the arguments; how many arguments it takes. */
static int
take_option(struct options *o, char **arg)
{
	const char *name = arg[0], *value = arg[1];

	if (strcmp(name, "--bench") == 0)
		return o->bench = true;
	if (strcmp(name, "--json") == 0)
		return o->json = true;
	if (strcmp(name, "--cases") == 0)
		o->cases = number(name, value, 1 << 30);
	else if (strcmp(name, "--case") == 0)
		o->one = true, o->only = number(name, value, 1 << 30);
	else if (strcmp(name, "--seed") == 0)
		o->seed = number(name, value, UINT64_MAX);
	else if (strcmp(name, "--seconds") == 0)
		o->seconds = number(name, value, 1 << 30);
	else if (strcmp(name, "--elements") == 0)
		o->elements = number(name, value, 1 << 28);
	else if (value && strcmp(name, "--lib") == 0)
		o->lib = value;
	else if (value && strcmp(name, "--objects") == 0)
		o->objects = value;
	else if (value && strcmp(name, "--ref") == 0)
		o->ref = value;
	else
		usage_error("expected an option with its value, found %s",
		    name);
	return 2;
}

int
main(int argc, char **argv)
{
	struct options o = { .seed = 1, .seconds = 120,
		.elements = 65536 };
	struct rows rows = { 0 };
	int i = 1, rc;

	fatal_program("checkk");
	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		fputs(help, stdout);
		return EXIT_OK;
	}
	while (i < argc && argv[i][0] == '-')
		i += take_option(&o, argv + i);
	if (!o.ref || !o.lib == !o.objects || (o.json && !o.bench) ||
	    (o.bench && o.elements == 0))
		usage_error("expected --ref, one of --lib and --objects, --json "
		    "only with --bench, and elements to measure");
	rows_find(&rows, o.lib, o.objects, o.ref, argv + i, argc - i);
	for (size_t k = 0; k < rows.n; k++)
		rows.row[k].seed = data_mix(o.seed) ^ rows.row[k].seed;
	rc = o.bench ? bench(&rows, &o) : check(&rows, &o);
	rows_release(&rows);
	return rc;
}
