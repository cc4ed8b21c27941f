/* SPDX-License-Identifier: MIT */
/* What a run of the planner writes into a build folder. */
#include "gen/command.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/file.h"
#include "base/isa.h"
#include "base/sha256.h"
#include "gen/emit/image.h"
#include "gen/emit/kernel.h"
#include "gen/emit/ninja.h"
#include "gen/fresh.h"
#include "gen/ir/kvs.h"
#include "gen/released.h"
#include "ops/ops.h"
#include "space/image.h"

struct builder {
	const struct setup *setup;
	struct arena *arena;
	struct diag *diag;
	struct ninja_source *source; /* of back ends */
	size_t nsource, cap_source;
	const char **made;           /* what was written, relative */
	size_t nmade, cap_made;
};

static void
add_made(struct builder *b, const char *name)
{
	b->made = arena_grow(b->arena, b->made, b->nmade, &b->cap_made,
	    sizeof *b->made);
	b->made[b->nmade++] = name;
}

static int
write_file(struct builder *b, const char *name, const void *p, size_t n)
{
	char *path = setup_path(b->setup, b->arena, name);
	int bad = file_update(path, p, n, NULL);

	if (bad && errno == ENOENT)
		bad = make_parents(path) || file_update(path, p, n, NULL);
	if (bad)
		return diag_env(b->diag, (struct loc){ path, 0, 0 },
		    "cannot write");
	add_made(b, name);
	return 0;
}

/* Removes files of a folder that are not in the map `keep`. */
static void
remove_stale(struct builder *b, const char *folder, const char *suffix,
    const struct map *keep)
{
	char *path = setup_path(b->setup, b->arena, folder);
	char **name;
	size_t n;

	if (dir_list(b->arena, path, suffix, &name, &n))
		return;
	for (size_t i = 0; i < n; i++)
		if (!map_get(keep, arena_printf(b->arena, "%s/%s", folder,
		    name[i])))
			unlink(path_join(b->arena, path, name[i]));
}

static void
add_source(struct builder *b, const char *source, const char *stem)
{
	b->source = arena_grow(b->arena, b->source, b->nsource,
	    &b->cap_source, sizeof *b->source);
	b->source[b->nsource++] = (struct ninja_source){ source, stem };
}

/* `backends/deepx%2Fmiaobyte.add` */
static const char *
backend_stem(struct builder *b, const char *author, const char *op)
{
	return arena_printf(b->arena, "backends/%s", name_escape(b->arena,
	    arena_printf(b->arena, "deepx/%s·%s", author, op)));
}

/*
 * Sources of an op's vector back end: float32 and float64 have their own, the
 * halves share one and all others too, so that a build compiles few; of an op
 * that names its output's dtype each dtype T has its own. i: from 0 to SOURCES
 * - 1. Its stem, and the dtypes of its entries; NULL when the op has no such
 * source.
 */
enum { SOURCES = N_DTYPES };

struct vector {
	enum dtype t, named;
};

static const char *
named_source(struct builder *b, const struct op *op, int i,
    struct vector out[N_DTYPES], int *n)
{
	enum dtype from = (enum dtype)i;

	for (enum dtype t = DT_BOOL; t < N_DTYPES && op_takes(op, from); t++)
		if (op_gives(op, t))
			out[(*n)++] = (struct vector){ from, t };
	return !*n ? NULL : arena_printf(b->arena, "%s,%s",
	    backend_stem(b, "miaobyte", op->name), dtype_name(from));
}

static const char *
vector_source(struct builder *b, const struct op *op, int i,
    struct vector out[N_DTYPES], int *n)
{
	static const char *const words[] = { "float32", "float64", "half",
		"int" };

	*n = 0;
	if (!op_has_vec(op) || op->cls == OP_REDUCE)
		return NULL;
	if (op->dtype_rule == OP_DTYPE_NAMED)
		return named_source(b, op, i, out, n);
	for (enum dtype t = DT_BOOL; t < N_DTYPES && i < 4; t++)
		if (op_takes(op, t) && i == (!dtype_is_float(t) ? 3 :
		    dtype_is_half(t) ? 2 : t == DT_FLOAT64))
			out[(*n)++] = (struct vector){ t, DT_NONE };
	return !*n ? NULL : arena_printf(b->arena, "%s,%s",
	    backend_stem(b, "miaobyte", op->name), words[i]);
}

/* Back ends that are the template `map` around one vector function. */
static void
list_vector_ops(struct builder *b)
{
	struct vector entry[N_DTYPES];
	int n;

	for (size_t k = 0; k < op_count; k++)
		for (int i = 0; i < SOURCES; i++) {
			const char *stem = vector_source(b, &op_table[k], i,
			    entry, &n);

			if (stem)
				add_source(b, arena_printf(b->arena, "%s.c",
				    stem), stem);
		}
}

/* Back ends written by hand: kernels/<author>/<op>.c. vec is no author, and
 * ref is the tests' alone. */
static int
list_hand_kernels(struct builder *b)
{
	char **author, **file;
	size_t n, nfile;

	if (dir_list(b->arena, b->setup->kernels, NULL, &author, &n))
		return diag_error(b->diag, (struct loc){ b->setup->kernels, 0,
		    0 }, "cannot list: %s", strerror(errno));
	for (size_t i = 0; i < n; i++) {
		char *folder = path_join(b->arena, b->setup->kernels,
		    author[i]);

		if (!strcmp(author[i], "vec") || !strcmp(author[i], "ref") ||
		    dir_list(b->arena, folder, ".c", &file, &nfile))
			continue;
		for (size_t k = 0; k < nfile; k++)
			add_source(b, path_join(b->arena, folder, file[k]),
			    backend_stem(b, author[i], arena_strndup(b->arena,
			    file[k], strlen(file[k]) - 2)));
	}
	return 0;
}

static int
list_backends(struct builder *b)
{
	list_vector_ops(b);
	return list_hand_kernels(b);
}

static const char *
langtypes_of(struct builder *b, const struct op *op, enum dtype named)
{
	if (named != DT_NONE)
		return arena_printf(b->arena, "%s->[*]%s", op->lin,
		    dtype_name(named));
	return arena_printf(b->arena, "%s->%s", op->lin, op->lout);
}

static int
write_vector_op(struct builder *b, const struct op *op, int i,
    const struct template *t, const struct session *session)
{
	const Kernel *kernel[N_DTYPES];
	const char *langtypes[N_DTYPES];
	struct vector entry[N_DTYPES];
	int n, bad;
	const char *stem = vector_source(b, op, i, entry, &n);
	struct buf c = { 0 }, map = { 0 };

	if (!stem)
		return 0;
	for (int k = 0; k < n; k++) {
		kernel[k] = kernel_of_op(op, entry[k].t, entry[k].named,
		    b->arena);
		langtypes[k] = langtypes_of(b, op, entry[k].named);
	}
	bad = kernel_emit(kernel, n, t, session,
	    arena_printf(b->arena, "deepx/miaobyte·%s", op->name),
	    langtypes, b->arena, &c, &map, b->diag) ||
	    write_file(b, arena_printf(b->arena, "%s.c", stem), c.p, c.n);
	buf_release(&c);
	buf_release(&map);
	return bad ? -1 : 0;
}

static int
write_vector_ops(struct builder *b)
{
	struct session session = { 0 };
	struct fusion_rules rules;
	const struct template *t;
	int bad = 0;

	map_init(&session.places, b->arena);
	if (rules_read(&rules, b->arena, b->setup->templates, b->diag))
		return -1;
	t = rules_template(&rules, "map");
	for (size_t k = 0; k < op_count; k++)
		for (int i = 0; i < SOURCES; i++)
			bad |= write_vector_op(b, &op_table[k], i, t,
			    &session);
	return bad;
}

int
build_backends(const struct setup *setup, struct arena *arena,
    struct diag *diag)
{
	struct builder b = { .setup = setup, .arena = arena, .diag = diag };
	const char *const *isas = setup->isas;
	struct buf out = { 0 };
	struct map keep;
	int bad;

	if (list_backends(&b) || write_vector_ops(&b))
		return -1;
	map_init(&keep, arena);
	for (size_t i = 0; i < b.nmade; i++)
		map_set(&keep, b.made[i], &b);
	for (size_t i = 0; i < b.nsource; i++)
		for (const char *const *isa = isas; *isa; isa++)
			map_set(&keep, arena_printf(arena, "%s.%s.ok",
			    b.source[i].stem, *isa), &b);
	remove_stale(&b, "backends", NULL, &keep);
	ninja_backends(b.source, b.nsource, b.made, b.nmade, isas, &out);
	bad = write_file(&b, "backends.ninja", out.p, out.n);
	buf_release(&out);
	return bad;
}

/* Whether every back end has its receipt. */
static bool
backends_built(struct builder *b)
{
	/* A build folder of its own takes those of the library. */
	const char *const *isas = b->setup->own_graph ? isa_local() :
	    b->setup->isas;

	for (size_t i = 0; i < b->nsource; i++)
		for (const char *const *isa = isas; *isa; isa++) {
			const char *base = strrchr(b->source[i].stem, '/') + 1;

			if (!file_exists(arena_printf(b->arena, "%s/%s.%s.ok",
			    b->setup->backends, base, *isa)))
				return false;
		}
	return true;
}

static int
write_snapshots(struct builder *b, const struct plan *p)
{
	struct kvs_row *row = arena_array(b->arena, UNIT_LEVELS * p->units.n,
	    sizeof *row);
	size_t n = 0;

	for (size_t i = 0; i < p->units.n; i++) {
		const struct unit *u = p->units.entry[i].value;

		for (size_t k = 0; k < UNIT_LEVELS; k++) {
			struct unit_level l = unit_level(u, k);

			if (l.snap)
				row[n++] = (struct kvs_row){ .unit = p->units.entry[i].key,
					.level = l.name,
					.digest = l.snap->digest,
					.bytes = l.snap->bytes };
		}
	}
	add_made(b, "ir.kvs");
	return kvs_write(setup_path(b->setup, b->arena, "ir.kvs"), row, n,
	    b->diag);
}

static int
write_kernels(struct builder *b, const struct plan *p)
{
	struct map keep;

	map_init(&keep, b->arena);
	for (size_t i = 0; i < p->session.texts.n; i++) {
		const struct map_entry *e = &p->session.texts.entry[i];
		const struct str *text = e->value;

		map_set(&keep, e->key, b);
		if (write_file(b, e->key, text->p, text->n))
			return -1;
	}
	for (size_t i = 0; i < p->units.n; i++) {
		const struct unit *u = p->units.entry[i].value;
		const Artifact *a = u->artifact.root;

		for (uint32_t k = 0; a && k < a->n_actions; k++)
			map_set(&keep, a->actions[k].receipt, b);
	}
	remove_stale(b, "kernels", NULL, &keep);
	return 0;
}

static int
write_pending(struct builder *b, const struct plan *p)
{
	struct versions pending;
	struct buf out = { 0 };
	int bad;

	versions_init(&pending, b->arena);
	released_pending(p, b->setup->folder != NULL, &pending);
	versions_encode(&pending, &out);
	bad = write_file(b, "versions.pending", out.p, out.n);
	buf_release(&out);
	return bad;
}

static int
write_image(struct builder *b, struct plan *p)
{
	struct buf out = { 0 };
	int bad;

	if (image_build(p))
		return -1;
	image_encode(p->space, &out);
	bad = write_file(b, "image", out.p, out.n);
	buf_release(&out);
	return bad;
}

static int
write_graph(struct builder *b, const struct plan *p, bool complete)
{
	bool own = b->setup->own_graph;
	struct buf out = { 0 };
	int bad;

	ninja_kernels(p, own, complete, &out);
	bad = write_file(b, "kernels.ninja", out.p, out.n);
	buf_clear(&out);
	if (own && !bad) {
		ninja_own(exe_dir(b->arena), b->setup->kvobj_conf, &out);
		bad = write_file(b, "build.ninja", out.p, out.n);
	}
	buf_release(&out);
	return bad;
}

/* One line a run that planned something. */
static int
write_log(struct builder *b, const struct plan *p)
{
	char *path = setup_path(b->setup, b->arena, "planner.log");
	char *line = arena_printf(b->arena, "planned %zu units, %zu kernels\n",
	    p->units.n, p->session.texts.n / 2);
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	size_t n = strlen(line);
	int bad = fd < 0 || write(fd, line, n) != (ssize_t)n;

	if (fd >= 0)
		bad |= close(fd);
	return bad ? diag_env(b->diag, (struct loc){ path, 0, 0 },
	    "cannot write") : 0;
}

static int
plan_all(struct builder *b, const char *key)
{
	struct plan_paths paths;
	struct plan plan = { 0 };
	int bad;

	setup_plan_paths(b->setup, &paths);
	bad = plan_run(&plan, &paths, LEVEL_ARTIFACT, b->arena, b->diag) ||
	    write_snapshots(b, &plan) || write_kernels(b, &plan) ||
	    write_pending(b, &plan) || write_image(b, &plan) ||
	    write_log(b, &plan) || write_graph(b, &plan, true);
	plan_release(&plan);
	if (!bad && fresh_write(b->setup, b->arena, key, b->made, b->nmade))
		bad = diag_env(b->diag, (struct loc){ b->setup->build, 0, 0 },
		    "cannot write plan.key");
	return bad ? -1 : 0;
}

int
build_plan(const struct setup *setup, struct arena *arena, struct diag *diag)
{
	struct builder b = { .setup = setup, .arena = arena, .diag = diag };
	struct plan none = { 0 };
	char key[SHA256_HEX + 1];

	if (list_backends(&b))
		return -1;
	if (!backends_built(&b)) {
		map_init(&none.session.texts, arena);
		if (setup->own_graph)
			return diag_error(diag, (struct loc){ setup->backends,
			    0, 0 }, "back ends are not built; run ninja in the "
			    "folder of this program first");
		return write_graph(&b, &none, false);
	}
	if (fresh_key(setup, arena, key))
		return diag_error(diag, (struct loc){ setup->build, 0, 0 },
		    "cannot read what the plan depends on: %s",
		    strerror(errno));
	return fresh_is(setup, arena, key) ? 0 : plan_all(&b, key);
}
