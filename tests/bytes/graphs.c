/* SPDX-License-Identifier: MIT */
/* Random graphs by their base against their version. */
#include "tests/bytes/graph.h"

#include <string.h>

#include "base/fatal.h"
#include "base/isa.h"

enum { REFERENCE, FUSED, THREADS, LOW, LOW_BASE, N_SIDES };

struct bench {
	struct side side[N_SIDES];
	int sides;
	uint64_t seed;
	long versions; /* graphs that have one */
	long calls, fused, refused;
};

void
graphs_print(const struct bytes_options *opt)
{
	long n, i;
	struct buf b = { 0 };
	struct graph g;

	buf_puts(&b, graph_helpers);
	bytes_range(opt, 100, &i, &n);
	for (; i < n; i++) {
		graph_make(&g, opt->seed, i);
		graph_print(&g, &b);
		graph_release(&g);
	}
	if (fwrite(b.p, 1, b.n, stdout) != b.n || fflush(stdout))
		fatal("cannot write the graphs: %m");
	buf_release(&b);
}

static void
open_sides(struct bench *b, const char *lib)
{
	const char *low = isa_table[0].name;

	b->sides = isa_best() == &isa_table[0] ? LOW : N_SIDES;
	side_open(&b->side[REFERENCE], lib, NULL, 1, true, false);
	side_open(&b->side[FUSED], lib, NULL, 1, false, false);
	side_open(&b->side[THREADS], lib, NULL, 2, false, false);
	b->side[THREADS].mxcsr = MXCSR_ODD;
	if (b->sides < N_SIDES)
		return;
	side_open(&b->side[LOW], lib, low, 1, false, false);
	side_open(&b->side[LOW_BASE], lib, low, 2, true, false);
}

/* Another base shape for a further call; its rank stays where it is part of
 * the parameters' types. */
static void
vary_base(struct rng *r, const struct graph *g, struct shape *base)
{
	static const int64_t lengths[] = { 0, 1, 7, 8, 9, 64, 2047, 2049,
		4097 };
	int i;

	*base = g->base;
	if (g->kind < GRAPH_OPEN)
		return;
	if (g->kind == GRAPH_ANY || g->any_rank)
		base->rank = 1 + (int)rng_below(r, rng_one_in(r, 4) ? 7 : 4);
	for (i = 0; i < base->rank; i++)
		base->dim[i] = rng_one_in(r, 30) ? 0 : 1 +
		    rng_below(r, base->rank > 4 ? 3 : 6);
	if (rng_one_in(r, 2))
		base->dim[base->rank - 1] = lengths[rng_below(r, 9)];
}

/* The arguments of one call; how many. */
static int
make_inputs(struct rng *r, const struct graph *g, struct arena *a,
    struct value *in)
{
	enum dtype dtype = rng_one_in(r, 2) ? g->dtype : graph_other(g->dtype);
	struct shape scalar = { 0 }, vector = { .rank = 1 }, base, s;
	int64_t *axis = arena_alloc(a, sizeof(*axis));
	int i, n = g->nparam;

	vary_base(r, g, &base);
	for (i = 0; i < n; i++) {
		enum dtype t = g->var[i].dtype;

		form_shape(&g->form[i], &base, &s);
		/* A scalar may have another dtype than the tensors. */
		if (g->kind == GRAPH_ANY)
			t = rng_one_in(r, s.rank ? 40 : 3) ?
			    graph_other(dtype) : dtype;
		/* Some calls do not broadcast: all must say so. */
		if (g->kind == GRAPH_ANY && s.rank > 0 && rng_one_in(r, 40))
			s.dim[s.rank - 1] += 1;
		in[i] = data_tensor(r, a, t, &s, -1);
	}
	*axis = g->axis;
	if (g->kind >= GRAPH_OPEN)
		*axis = rng_one_in(r, 2) ? -1 : rng_one_in(r, 2) ?
		    base.rank - 1 : rng_below(r, base.rank);
	if (g->use_axis)
		in[n++] = value_tensor(a, DT_INT64, &scalar, axis);
	vector.dim[0] = base.rank;
	if (g->use_shape)
		in[n++] = value_tensor(a, DT_INT64, &vector, memcpy(
		    arena_alloc(a, sizeof(base.dim)), base.dim,
		    sizeof(base.dim)));
	return n;
}

/* The trace line that says why a version does not fit though it must: nothing
 * is left open in graphs of known shapes, without a parameter for an axis and
 * without a call of a version, and every version has kernels. */
static const char *
unexpected_fallback(const struct graph *g, const struct side *side,
    const char *name)
{
	bool open = g->kind >= GRAPH_OPEN || g->use_axis || g->calls_version;
	const char *line;
	char start[80];

	snprintf(start, sizeof(start), "trace: %s.1 does not fit: ", name);
	line = strstr(side->err_text, start);
	if (!line || (open && strncmp(line + strlen(start), "NameError", 9)))
		return NULL;
	return line;
}

static bool
check_choice(struct bench *b, const struct graph *g, const struct side *side,
    const char *name, const char *what)
{
	const char *line = unexpected_fallback(g, side, name);
	char chosen[80];

	if (line) {
		printf("%.*s\n    in %s\n", (int)strcspn(line, "\n"), line,
		    what);
		return false;
	}
	snprintf(chosen, sizeof(chosen), "trace: %s -> %s.1 ", name, name);
	b->fused += strstr(side->err_text, chosen) != NULL;
	return true;
}

static bool
run_call(struct bench *b, const struct graph *g, const char *name,
    const struct value *in, int nin, const char *what)
{
	struct outcome want, o;
	bool good = true;
	int i;

	outcome_call(&want, &b->side[REFERENCE], name, in, nin);
	b->calls++;
	b->refused += want.rc != 0;
	if (want.rc && g->kind < GRAPH_OPEN) {
		printf("%s\n    in %s\n", want.error, what);
		good = false;
	}
	for (i = FUSED; i < b->sides && good; i++) {
		outcome_call(&o, &b->side[i], name, in, nin);
		good = !outcome_compare(&o, &want, what);
		if (i == FUSED)
			good = good && check_choice(
			    b, g, &b->side[i], name, what);
		outcome_release(&o);
	}
	outcome_release(&want);
	return good;
}

static bool
run_graph(struct bench *b, long number)
{
	static const int calls[] = { 1, 3, 6, 10 };
	struct value in[PARAMS_MAX + 2];
	char name[24], what[120], version[28];
	struct arena arena;
	struct graph g;
	struct rng r = { b->seed + (uint64_t)number * 31 };
	bool good = true;
	int i, n;

	graph_make(&g, b->seed, number);
	snprintf(name, sizeof(name), "g%ld", number);
	snprintf(version, sizeof(version), "%s.1", name);
	b->versions += runtime_has(b->side[FUSED].rt, version);
	for (i = 0; i < calls[g.kind] && good; i++) {
		snprintf(what, sizeof(what), "graph --seed=%llu --only=%ld, "
		    "call %d", (unsigned long long)b->seed, number, i);
		arena_init(&arena);
		n = make_inputs(&r, &g, &arena, in);
		good = run_call(b, &g, name, in, n, what);
		arena_release(&arena);
	}
	graph_release(&g);
	return good;
}

void
graphs_test(const struct bytes_options *opt, struct tally *tally)
{
	long n, i;
	struct bench b = { .seed = opt->seed };

	open_sides(&b, opt->lib);
	bytes_range(opt, 100, &i, &n);
	for (; i < n && tally->failed < FAILURES_MAX; i++)
		tally_add(tally, run_graph(&b, i));
	printf("graphs: seed %llu, %ld graphs, %ld with a version, %ld calls, "
	    "%ld choices of a version, %ld refused by all\n",
	    (unsigned long long)opt->seed, tally->passed + tally->failed,
	    b.versions, b.calls, b.fused, b.refused);
	if (opt->only < 0 && n >= 100)
		tally_add(tally, b.versions > n / 2 && b.fused > n / 2 &&
		    b.refused < b.calls / 4);
	for (i = 0; i < b.sides; i++)
		side_close(&b.side[i]);
}
