/* SPDX-License-Identifier: MIT */
#include "runtime/certify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"
#include "runtime/corpus.h"
#include "runtime/infer.h"
#include "runtime/resolve.h"

#define FIRST_LINE "kvverdict 1\n"

/* How a child ends whose compositions need what this machine lacks. */
enum { ISAS = 16, LACKING = 2 };

struct certifier {
	struct arena arena;
	struct diag *diag;
	const char *lib, *verdicts;
	struct manifest *m;        /* of the first runtime's library */
	struct runtime *rt[ISAS];  /* one a level that runs here */
	int nrt;
	char backends[SHA256_HEX + 1]; /* digest of their rows */
	FILE *null;
};

/* Rows of one version, next to each other in the manifest; a letter each:
 * p(assed), f(ailed), u(ntested). */
struct group {
	struct certifier *c;
	struct manifest_row *row;
	size_t n;
	const char *name; /* P·F.N */
	char *letter;
	bool *ran;
	bool lacking; /* the composition needs what this machine lacks */
};

/* A kernel is about to run; rows of the other runtimes are other copies. */
static void
note_row(void *ctx, const struct manifest_row *m)
{
	struct group *g = ctx;
	size_t i;

	for (i = 0; i < g->n; i++) {
		const struct manifest_row *r = &g->row[i];

		if (!strcmp(r->opcode, m->opcode) && r->dtype == m->dtype &&
		    !strcmp(r->pattern, m->pattern) &&
		    !strcmp(r->guard, m->guard) && !strcmp(r->isa, m->isa))
			g->ran[i] = true;
	}
}

static int
call(struct runtime *rt, const char *name, const struct func *f,
    struct cell *const *in, struct cell **out)
{
	struct diag quiet;
	int bad;

	diag_init(&quiet);
	bad = runtime_call(rt, name, in, f->nread, out, f->nwrite, &quiet);
	diag_release(&quiet);
	return bad;
}

static bool
same_values(struct cell *const *a, struct cell *const *b, int n)
{
	for (int i = 0; i < n; i++) {
		const struct value *x = cell_value(a[i]);
		const struct value *y = cell_value(b[i]);

		if (!x != !y || (x && (strcmp(x->langtype, y->langtype) ||
		    x->n != y->n || memcmp(x->body, y->body, x->n))))
			return false;
	}
	return true;
}

static void
drop(struct runtime *rt, struct cell **c, int n)
{
	while (n > 0)
		runtime_release(rt, c[--n]);
}

/* Runs the base, then the version, on the same reads. What the base refuses
 * says nothing. */
static void
compare(struct group *g, struct runtime *rt, const struct func *f,
    struct cell *const *in)
{
	struct cell *a[MATCH_OUTS * 4] = { 0 }, *b[MATCH_OUTS * 4] = { 0 };
	bool same = false;
	size_t i;

	if (f->nwrite > MATCH_OUTS * 4)
		return;
	if (call(rt, g->row[0].base, f, in, a)) {
		g->lacking |= runtime_environment(rt);
		return;
	}
	memset(g->ran, 0, g->n * sizeof(*g->ran));
	if (!call(rt, g->name, f, in, b)) {
		same = same_values(a, b, f->nwrite);
		drop(rt, b, f->nwrite);
	}
	drop(rt, a, f->nwrite);
	for (i = 0; i < g->n; i++) {
		if (g->ran[i] && !same)
			g->letter[i] = 'f';
		else if (g->ran[i] && g->letter[i] == 'u')
			g->letter[i] = 'p';
	}
}

static void
run_case(struct group *g, struct runtime *rt, struct func *f, enum dtype t,
    int number)
{
	struct arena a = { 0 };
	int n = f->nread + f->nwrite, i;
	struct value *v = arena_array(&a, (size_t)n + 1, sizeof(*v));
	const struct value **args = arena_array(
	    &a, (size_t)n + 1, sizeof(*args));
	struct cell **in = arena_array(
	    &a, (size_t)f->nread + 1, sizeof(*in));
	char why[BIND_WHY];

	if (!corpus_fill(&rt->lib, f, t, number, &a, v)) {
		for (i = 0; i < f->nread; i++)
			args[i] = &v[i];
		if (!resolve_check(f, args, f->nread, f->nwrite, why) &&
		    !infer_fits(rt, f, args, why)) {
			for (i = 0; i < f->nread; i++)
				in[i] = runtime_value(rt, &v[i]);
			compare(g, rt, f, in);
			drop(rt, in, f->nread);
		}
	}
	arena_release(&a);
}

/* All cases of a version on all levels; g->letter is filled. */
static void
run_version(struct group *g)
{
	bool todo[N_DTYPES] = { 0 };
	size_t i;

	for (i = 0; i < g->n; i++)
		todo[g->row[i].dtype] = true;
	for (int r = 0; r < g->c->nrt; r++) {
		struct runtime *rt = g->c->rt[r];
		struct func *f;
		struct diag quiet;

		diag_init(&quiet);
		rt->diag = &quiet;
		rt->opt.ran = note_row;
		rt->opt.ran_ctx = g;
		f = funcs_get(&rt->funcs, g->name, &quiet);
		for (int t = 0; f && t < N_DTYPES; t++)
			for (int k = 0; todo[t] && k < corpus_cases(); k++)
				run_case(g, rt, f, (enum dtype)t, k);
		diag_release(&quiet);
	}
}

/* In a child, whose end by a signal is a verdict too. */
static int
run_apart(struct group *g)
{
	int fd[2], status;
	size_t got = 0;
	pid_t pid;

	if (pipe(fd) || (pid = fork()) < 0)
		return diag_error(g->c->diag, no_loc, "cannot start a process "
		    "to certify %s: %s", g->name, strerror(errno));
	if (pid == 0) {
		run_version(g);
		_exit(file_write_fd(fd[1], g->letter, g->n) ? 1 :
		    g->lacking ? LACKING : 0);
	}
	close(fd[1]);
	while (got < g->n) {
		ssize_t n = read(fd[0], g->letter + got, g->n - got);

		if (n <= 0)
			break;
		got += (size_t)n;
	}
	close(fd[0]);
	if (waitpid(pid, &status, 0) != pid)
		return diag_error(g->c->diag, no_loc, "cannot wait for the "
		    "process that certifies %s: %s", g->name, strerror(errno));
	g->lacking = WIFEXITED(status) && WEXITSTATUS(status) == LACKING;
	if (g->lacking)
		memset(g->letter, 'u', g->n);
	else if (got < g->n || !WIFEXITED(status) || WEXITSTATUS(status))
		memset(g->letter, 'f', g->n);
	return 0;
}

/* Column by column what decides a verdict about the row. */
static void
hash_row(struct sha256 *h, const struct manifest_row *r)
{
	struct buf b = { 0 };

	buf_printf(&b, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%lld\n", r->opcode,
	    (int)r->dtype, r->pattern, r->guard, r->isa, r->outdims,
	    r->object, (long long)r->entry);
	sha256_add(h, b.p, b.n);
	buf_release(&b);
}

static void
hash_text(struct sha256 *h, const struct library *l, const char *name,
    const char *key)
{
	struct buf path = { 0 };
	const struct value *v;

	buf_printf(&path, "/lib/%s/‥%s", name, key);
	v = library_get((struct library *)l, path.p);
	if (v)
		sha256_add(h, v->body, v->n);
	sha256_add(h, "\n", 1);
	buf_release(&path);
}

/* The file of a verdict: by corpus, levels of this CPU, composition, kernels. */
static char *
verdict_path(const struct group *g)
{
	struct certifier *c = g->c;
	char hex[SHA256_HEX + 1];
	unsigned char raw[SHA256_LEN];
	struct sha256 h;
	size_t i;

	if (!c->verdicts)
		return NULL;
	sha256_init(&h);
	sha256_add(&h, CORPUS_NAME "\n", strlen(CORPUS_NAME) + 1);
	for (int r = 0; r < c->nrt; r++)
		sha256_add(&h, c->rt[r]->isa->name,
		    strlen(c->rt[r]->isa->name) + 1);
	sha256_add(&h, c->backends, SHA256_HEX);
	hash_text(&h, &c->rt[0]->lib, g->row[0].base, "program");
	hash_text(&h, &c->rt[0]->lib, g->name, "base");
	hash_text(&h, &c->rt[0]->lib, g->name, "fusedfrom");
	for (i = 0; i < g->n; i++)
		hash_row(&h, &g->row[i]);
	sha256_done(&h, raw);
	hex_encode(hex, raw, sizeof(raw));
	return arena_printf(&c->arena, "%s/%.2s/%s", c->verdicts, hex, hex);
}

/* A file that is not as it was written counts as none. */
static bool
read_verdict(struct group *g, const char *path)
{
	size_t head = strlen(FIRST_LINE);
	struct str text;

	if (!path || file_read(&g->c->arena, path, &text) ||
	    text.n != head + g->n + 1 || !str_starts(text, FIRST_LINE) ||
	    text.p[text.n - 1] != '\n' ||
	    strspn(text.p + head, "pfu") != g->n)
		return false;
	memcpy(g->letter, text.p + head, g->n);
	return true;
}

static int
write_verdict(const struct group *g, const char *path)
{
	char *text = arena_printf(&g->c->arena, FIRST_LINE "%.*s\n",
	    (int)g->n, g->letter);

	if (path && (make_parents(path) ||
	    file_write(path, text, strlen(text), false)))
		return diag_error(g->c->diag, (struct loc){ path, 0, 0 },
		    "cannot write the verdict: %s", strerror(errno));
	return 0;
}

static void
set_row(struct group *g, size_t i)
{
	struct manifest_row *r = &g->row[i];

	r->cert = g->letter[i] == 'p' ? "passed" :
	    g->letter[i] == 'f' ? "failed" : "untested";
	if (g->letter[i] == 'f')
		diag_warn(g->c->diag, no_loc, "%s %s %s is not used: it gives "
		    "other bytes than %s, or dies", r->opcode,
		    dtype_name(r->dtype), r->isa, r->base);
	if (g->letter[i] == 'u' && !g->lacking)
		diag_warn(g->c->diag, no_loc, "%s %s %s is not used: no input "
		    "of the corpus reaches it on this CPU", r->opcode,
		    dtype_name(r->dtype), r->isa);
}

/* The rows from the first one on that are of its version. */
static int
certify_group(struct certifier *c, struct manifest_row *row, size_t n)
{
	struct group g = { .c = c, .row = row, .n = n,
		.letter = arena_alloc(&c->arena, n + 1),
		.ran = arena_array(&c->arena, n, sizeof(bool)),
		.name = arena_printf(&c->arena, "%s.%lld", row->base,
		    (long long)row->version) };
	char *path = verdict_path(&g);

	memset(g.letter, 'u', n);
	if (!read_verdict(&g, path)) {
		if (run_apart(&g))
			return -1;
		/* On this machine as it is now; so it is not kept. */
		if (g.lacking)
			diag_warn(c->diag, no_loc, "%s is not used: %s cannot "
			    "run here without OpenBLAS; install "
			    "libopenblas0-pthread (Debian), remove "
			    "library.sealed and run ninja again", g.name,
			    row->base);
		else if (write_verdict(&g, path))
			return -1;
	}
	for (size_t i = 0; i < n; i++)
		set_row(&g, i);
	return 0;
}

static int
certify_rows(struct certifier *c)
{
	struct manifest_row *row = c->m->row;
	struct sha256 h;
	unsigned char raw[SHA256_LEN];
	size_t i, n;

	sha256_init(&h);
	for (i = 0; i < c->m->n; i++) {
		if (row[i].version == 0)
			hash_row(&h, &row[i]);
	}
	sha256_done(&h, raw);
	hex_encode(c->backends, raw, sizeof(raw));
	for (i = 0; i < c->m->n; i += n) {
		for (n = 1; i + n < c->m->n &&
		    !strcmp(row[i].base, row[i + n].base) &&
		    row[i].version == row[i + n].version; n++)
			;
		if (row[i].version > 0 && certify_group(c, &row[i], n))
			return -1;
	}
	return 0;
}

/* One runtime a level: the highest row that fits is the one that runs. */
static int
open_all(struct certifier *c)
{
	for (size_t i = 0; i < isa_count && c->nrt < ISAS; i++) {
		struct runtime_options opt = { .lib = c->lib,
			.isa = isa_table[i].name, .threads = 1, .base = true,
			.out = c->null, .err = c->null };
		struct manifest *m;

		if (!isa_runs_here(&isa_table[i]))
			continue;
		c->rt[c->nrt] = runtime_open(&opt, c->diag);
		if (!c->rt[c->nrt])
			return -1;
		/* Here each row may run, whatever was said before. */
		m = &c->rt[c->nrt++]->lib.manifest;
		for (size_t r = 0; r < m->n; r++)
			m->row[r].cert = m->row[r].version ? "passed" : "";
	}
	c->m = &c->rt[0]->lib.manifest;
	return 0;
}

int
certify_library(const char *lib, const char *out, const char *verdicts,
    struct diag *diag)
{
	struct certifier c = { .lib = lib, .verdicts = verdicts,
		.diag = diag, .null = fopen("/dev/null", "w") };
	struct buf text = { 0 };
	int bad;

	if (!c.null)
		return diag_error(diag, no_loc, "cannot open /dev/null: %s",
		    strerror(errno));
	bad = open_all(&c) || certify_rows(&c);
	if (!bad) {
		manifest_encode(c.m, &text);
		if (file_write(out, text.p, text.n, false))
			bad = diag_error(diag, (struct loc){ out, 0, 0 },
			    "cannot write: %s", strerror(errno));
	}
	buf_release(&text);
	while (c.nrt > 0)
		runtime_close(c.rt[--c.nrt]);
	fclose(c.null);
	arena_release(&c.arena);
	return bad ? -1 : 0;
}
