/* SPDX-License-Identifier: MIT */
#include "gen/trial.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/file.h"
#include "gen/progress.h"
#include "space/npy.h"
#include "space/text.h"

#define CALLS "21" /* how many the time is the median of */

/* What belongs to one example. */
struct job {
	const struct trial *t;
	const struct kv_func *f;
	const struct kv_example *ex;
	struct value *base; /* its results */
	struct trial_result result;
};

static char *
file_of(const struct trial *t, const char *kind, size_t i)
{
	return arena_printf(t->arena, "%s/%s%zu.npy", t->dir, kind, i);
}

static void
write_inputs(const struct job *job)
{
	for (size_t i = 0; i < job->f->nreads; i++) {
		const char *path = file_of(job->t, "in", i);
		struct buf bytes = { 0 };

		npy_encode(&job->ex->reads[i], &bytes);
		if (file_write(path, bytes.p, bytes.n, false))
			fatal("cannot write %s: %s", path, strerror(errno));
		buf_release(&bytes);
	}
}

/* The name that a version is called by. */
static const char *
name_of(const struct job *job, int64_t version)
{
	return version ? arena_printf(job->t->arena, "%s.%lld",
	    job->f->qualified, (long long)version) : job->f->qualified;
}

static char **
command_of(const struct job *job, int64_t version)
{
	const struct trial *t = job->t;
	const struct kv_func *f = job->f;
	char **argv = arena_array(t->arena, 2 * (f->nreads + f->nwrites) + 6,
	    sizeof *argv);
	size_t n = 0, i = 0;

	argv[n++] = arena_strdup(t->arena, t->kvrun);
	argv[n++] = arena_printf(t->arena, "--lib=%s", t->lib);
	argv[n++] = arena_printf(t->arena, "--entry=%s", name_of(job, version));
	argv[n++] = arena_strdup(t->arena, "--time=" CALLS);
	if (!version)
		argv[n++] = arena_strdup(t->arena, "--base");
	for (const struct kv_slot *s = f->reads; s; s = s->next) {
		argv[n++] = arena_strdup(t->arena, "--in");
		argv[n++] = arena_printf(t->arena, "%s=%s", s->name,
		    file_of(t, "in", i++));
	}
	i = 0;
	for (const struct kv_slot *s = f->writes; s; s = s->next) {
		argv[n++] = arena_strdup(t->arena, "--out");
		argv[n++] = arena_printf(t->arena, "%s=%s", s->name,
		    file_of(t, "out", i++));
	}
	argv[n] = NULL;
	return argv;
}

/* What the last line "time: X us …" says; what a function prints itself may
 * look like one and comes before it. */
static long long
time_in(struct str text)
{
	struct str line;
	double us = 0;

	while (str_next(&text, '\n', &line))
		if (str_starts(line, "time: "))
			us = strtod(line.p + 6, NULL);
	return llround(us * 1000);
}

/* Its first error, on one line. */
static const char *
error_in(struct str text, int code, struct arena *arena)
{
	struct str line;

	while (str_next(&text, '\n', &line))
		if (str_starts(line, "error: ") || str_starts(line, "kvrun: "))
			return arena_strndup(arena, line.p + 7, line.n - 7);
	return arena_printf(arena, "kvrun ends with %d", code);
}

static bool
fits_not(const struct job *job, int64_t version, struct str text)
{
	const char *said = arena_printf(job->t->arena,
	    "RuntimeError: no kernel of %s.k", name_of(job, version));

	return version && memmem(text.p, text.n, said, strlen(said));
}

static void
problem(struct job *job, const char *text)
{
	if (!job->result.problem)
		job->result.problem = text;
}

static struct trial_run *
add_run(struct job *job, int64_t version)
{
	struct trial_result *r = &job->result;

	r->run = arena_grow(job->t->arena, r->run, r->n, &r->cap,
	    sizeof *r->run);
	r->run[r->n] = (struct trial_run){ .version = version };
	return &r->run[r->n++];
}

/* The results, or NULL when there are none. */
static struct value *
call(struct job *job, int64_t version)
{
	struct arena *arena = job->t->arena;
	const char *log = path_join(arena, job->t->dir, "log");
	char **argv = command_of(job, version);
	int code = progress_run(argv, log);
	struct value *v;
	struct str text;
	struct diag diag;

	if (file_read(arena, log, &text))
		fatal("cannot read %s: %s", log, strerror(errno));
	if (code == 127 || code == EXIT_ENV)
		fatal("cannot run %s: %s", argv[0], code == 127 ?
		    "the program was not found" : error_in(text, code, arena));
	if (code && fits_not(job, version, text)) {
		add_run(job, version);
		return NULL;
	}
	if (code) {
		problem(job, arena_printf(arena, "%s: %s",
		    name_of(job, version), error_in(text, code, arena)));
		return NULL;
	}
	*add_run(job, version) = (struct trial_run){ version, true,
		time_in(text) };
	v = arena_array(arena, job->f->nwrites, sizeof *v);
	diag_init(&diag);
	for (size_t i = 0; i < job->f->nwrites; i++) {
		const char *path = file_of(job->t, "out", i);

		if (file_read(arena, path, &text))
			fatal("cannot read %s: %s", path, strerror(errno));
		if (npy_decode(arena, text.p, text.n, path, &v[i], &diag))
			BUG("kvrun wrote %s, which is no array", path);
	}
	diag_release(&diag);
	return v;
}

static double
element(const struct value *v, int64_t i)
{
	double d = 0;

	if (v->dtype == DT_FLOAT64)
		memcpy(&d, (const char *)v->body + 8 * i, 8);
	else
		dtype_convert(DT_FLOAT64, &d, v->dtype,
		    (const char *)v->body + 4 * i, 1);
	return d;
}

static bool
is_near(const struct value *got, const struct value *want)
{
	double tolerance = want->dtype == DT_FLOAT32 ? 1e-6 : 1e-12, most = 0;
	int64_t n = shape_count(&want->shape, 1);

	for (int64_t i = 0; i < n; i++)
		most = fmax(most, fabs(element(want, i)));
	for (int64_t i = 0; i < n; i++) {
		double w = element(want, i);

		/* Written so that NaN is not near. */
		if (!(fabs(element(got, i) - w) <=
		    tolerance * (fabs(w) + most)))
			return false;
	}
	return true;
}

static bool
is_same(const struct value *a, const struct value *b)
{
	return a->dtype == b->dtype && shape_eq(&a->shape, &b->shape) &&
	    a->n == b->n && !memcmp(a->body, b->body, a->n);
}

static bool
is_stated(const struct value *got, const struct value *want)
{
	if (got->dtype != want->dtype || !shape_eq(&got->shape, &want->shape))
		return false;
	return dtype_is_float(want->dtype) ? is_near(got, want) :
	    is_same(got, want);
}

/* The first result that does not agree is the problem. */
static void
compare(struct job *job, int64_t version, const struct value *got,
    const struct value *want)
{
	const struct kv_slot *s = job->f->writes;
	struct buf text = { 0 };

	for (size_t i = 0; i < job->f->nwrites; i++, s = s->next) {
		if (version ? is_same(&got[i], &want[i]) :
		    is_stated(&got[i], &want[i]))
			continue;
		buf_printf(&text, "%s: %s is %s ", name_of(job, version),
		    s->name, got[i].langtype);
		value_display(&got[i], &text);
		buf_printf(&text, ", %s %s ", version ? "the base gives" :
		    "stated is", want[i].langtype);
		value_display(&want[i], &text);
		problem(job, arena_strdup(job->t->arena, text.p));
		break;
	}
	buf_release(&text);
}

/* The lowest version above `n` that has a kernel; 0 when there is none. */
static int64_t
version_after(const struct job *job, int64_t n)
{
	const struct manifest *m = job->t->m;
	int64_t next = 0;

	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->row[i].base, job->f->qualified) &&
		    m->row[i].version > n &&
		    (!next || m->row[i].version < next))
			next = m->row[i].version;
	return next;
}

struct trial_result
trial_run(const struct trial *t, const struct kv_func *f,
    const struct kv_example *ex)
{
	struct job job = { t, f, ex, NULL, { 0 } };

	write_inputs(&job);
	job.base = call(&job, 0);
	if (job.base)
		compare(&job, 0, job.base, ex->writes);
	for (int64_t n = 0; job.base && (n = version_after(&job, n)) > 0;) {
		struct value *v = call(&job, n);

		if (v)
			compare(&job, n, v, job.base);
	}
	return job.result;
}
