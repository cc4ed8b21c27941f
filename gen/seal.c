/* SPDX-License-Identifier: MIT */
#include "gen/seal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/sha256.h"
#include "cache/conf.h"
#include "cache/scan.h"
#include "cache/spawn.h"
#include "gen/emit/publish.h"
#include "gen/ir/kvs.h"
#include "ops/ops.h"
#include "space/manifest.h"

struct sealer {
	const struct setup *setup;
	struct arena *arena;
	struct diag *diag;
	struct catalog backends, kernels;
	struct manifest manifest;
	struct kvs_row *built;
	size_t nbuilt;
};

/* The one entry of a fused kernel's object. */
static const struct backend *
entry_of(struct sealer *s, const char *object)
{
	for (size_t i = 0; i < s->kernels.n; i++)
		if (!strcmp(s->kernels.backend[i].object, object))
			return &s->kernels.backend[i];
	if (catalog_read(&s->kernels, s->setup->cache, object, s->diag))
		return NULL;
	return &s->kernels.backend[s->kernels.n - 1];
}

static const Action *
action_of(const Artifact *a, const Registration *r)
{
	for (uint32_t i = 0; i < a->n_actions; i++)
		if (ir_id_eq(&a->actions[i].id, &r->action))
			return &a->actions[i];
	BUG("%s: a registration of no action", a->unit);
}

static int
add_row(struct sealer *s, const Artifact *a, const Registration *r)
{
	const Action *action = action_of(a, r);
	const StateBuilt *built = BuildState_as_StateBuilt(action->state);
	char object[65], shape[65];
	const struct backend *e;

	hex_encode(object, built->object.b, 32);
	hex_encode(shape, r->shape_hash.b, 32);
	e = entry_of(s, arena_strdup(s->arena, object));
	if (!e)
		return -1;
	if (strcmp(e->dtype, r->dtype) || strcmp(e->cls, r->cls) ||
	    strcmp(e->isa, action->isa))
		return diag_error(s->diag, (struct loc){ action->receipt, 0,
		    0 }, "the object's entry is %s %s %s; planned was %s %s "
		    "%s; remove the receipt and run ninja again", e->dtype,
		    e->cls, e->isa, r->dtype, r->cls, action->isa);
	manifest_add(&s->manifest, &(struct manifest_row){
		.opcode = r->opcode, .base = r->base,
		.version = (int64_t)r->version,
		.dtype = dtype_of(str_of(r->dtype)), .pattern = r->pattern,
		.guard = r->guard, .cls = r->cls, .isa = action->isa,
		.author = "aot", .outdims = r->outdims, .alias = e->alias,
		.scratch = e->scratch, .scratch_n = e->scratch_n,
		.object = object, .entry = e->entry, .shapehash = shape,
		.cert = "" });
	return 0;
}

static int
seal_artifact(struct sealer *s, const struct kvs_row *row)
{
	struct session session = { .build = s->setup->build,
		.cache = s->setup->cache };
	struct snapshot planned, built;
	const Artifact *a;
	int bad = 0;

	if (snapshot_open(&Artifact_type, row->bytes, &row->digest, s->arena,
	    &planned, s->diag))
		return -1;
	if (pass_run(&artifact_seal, &planned, &session, s->arena, &built,
	    s->diag)) {
		snapshot_release(&planned);
		return -1;
	}
	a = built.root;
	for (uint32_t i = 0; i < a->n_registrations; i++)
		bad |= add_row(s, a, &a->registrations[i]);
	s->built[s->nbuilt++] = (struct kvs_row){ .unit = row->unit,
		.level = "built", .digest = built.digest,
		.bytes = built.bytes };
	snapshot_release(&planned);
	snapshot_release(&built);
	return bad;
}

/* `dtype==int32` where an attribute of the op names what the entry gives. */
static const char *
guard_of(struct sealer *s, const struct backend *b)
{
	const struct op *op = op_find(b->opcode);
	enum dtype named = op ? op_entry_named(op, b->langtypes) : DT_NONE;
	struct str attr;

	if (named == DT_NONE)
		return "";
	attr = op_param(op, op_naming(op));
	return arena_printf(s->arena, "%.*s==%s", (int)attr.n, attr.p,
	    dtype_name(named));
}

/* A row for every back end: its operands by the op's signature. */
static void
add_backends(struct sealer *s)
{
	for (size_t i = 0; i < s->backends.n; i++) {
		const struct backend *b = &s->backends.backend[i];

		manifest_add(&s->manifest, &(struct manifest_row){
			.opcode = b->opcode, .base = b->base, .version = 0,
			.dtype = dtype_of(str_of(b->dtype)), .pattern = "",
			.guard = guard_of(s, b), .cls = b->cls, .isa = b->isa,
			.author = b->author, .outdims = "",
			.alias = b->alias, .scratch = b->scratch,
			.scratch_n = b->scratch_n, .object = b->object,
			.entry = b->entry, .shapehash = "", .cert = "" });
	}
}

/* Every object is scanned for instructions above its isa. */
static int
scan_all(struct sealer *s)
{
	const struct manifest *m = &s->manifest;
	struct scan_item *item = arena_array(s->arena, m->n, sizeof *item);
	struct conf conf;

	if (conf_read(&conf, s->arena, s->setup->kvobj_conf, s->diag) ||
	    conf_cache(&conf, NULL, s->diag))
		return -1;
	for (size_t i = 0; i < m->n; i++)
		item[i] = (struct scan_item){ .digest = m->row[i].object,
			.isa = m->row[i].isa };
	return scan_objects(&conf, item, m->n, s->diag);
}

/* One line of library.sealed. */
static int
put_sealed(struct sealer *s, const char *name, struct buf *out)
{
	char *path = setup_path(s->setup, s->arena, name);
	char hex[SHA256_HEX + 1];

	if (sha256_file(path, hex))
		return diag_error(s->diag, (struct loc){ path, 0, 0 },
		    "cannot read: %s", strerror(errno));
	buf_printf(out, "%s\t%s\n", hex, name);
	return 0;
}

/* The list of what is published, with digests: `stamp` compares it, so that
 * what gets lost or damaged is published again. */
static int
write_sealed(struct sealer *s)
{
	char *sealed = setup_path(s->setup, s->arena, "library.sealed");
	struct buf out = { 0 };
	int bad;

	bad = put_sealed(s, "lib/current/image", &out) ||
	    put_sealed(s, "lib/current/manifest", &out);
	for (size_t i = 0; !bad && i < s->manifest.n; i++)
		buf_printf(&out, "%s\tlib/obj/%s.so\n",
		    s->manifest.row[i].object, s->manifest.row[i].object);
	if (!bad && file_update(sealed, out.p, out.n, NULL))
		bad = diag_env(s->diag, (struct loc){ sealed, 0, 0 },
		    "cannot write");
	buf_release(&out);
	return bad ? -1 : 0;
}

static bool
has_versions(const struct manifest *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->row[i].version > 0)
			return true;
	return false;
}

/* Runs `kvrun --certify` on the staged library; what it says goes on. */
static int
run_certify(struct sealer *s, const char *staged, const char *certified)
{
	const char *exe = exe_dir(s->arena);
	char *kvrun = path_join(s->arena, exe ? exe : ".", "kvrun");
	char *argv[] = { kvrun, arena_printf(s->arena, "--certify=%s",
	    certified), arena_printf(s->arena, "--lib=%s", staged),
	    arena_printf(s->arena, "--verdicts=%s/verdicts",
	    s->setup->cache), NULL };
	struct buf said = { 0 };
	/* What it certifies may need the BLAS library that the user names. */
	int status = spawn_run(".", argv, "KVAOT_BLAS", &said);

	if (said.n)
		fprintf(stderr, "%s", said.p);
	buf_release(&said);
	if (!status)
		return 0;
	return diag_error(s->diag, (struct loc){ kvrun, 0, 0 }, "cannot "
	    "certify the library: %s", status < 0 ? strerror(errno) :
	    arena_printf(s->arena, "it ended with status %d", status));
}

/* Takes the manifest with verdicts in place of the one without. */
static int
certify(struct sealer *s, struct str image)
{
	char *staged = setup_path(s->setup, s->arena, "staged");
	char *certified = setup_path(s->setup, s->arena, "certified");
	struct manifest with;
	struct str text;

	if (!has_versions(&s->manifest))
		return 0;
	if (remove_tree(staged))
		return diag_env(s->diag, (struct loc){ staged, 0, 0 },
		    "cannot remove");
	if (publish(staged, image, &s->manifest, s->setup->cache, s->diag) ||
	    run_certify(s, staged, certified))
		return -1;
	if (file_read(s->arena, certified, &text) || remove_tree(staged))
		return diag_error(s->diag, (struct loc){ certified, 0, 0 },
		    "cannot read it and remove %s: %s", staged,
		    strerror(errno));
	if (manifest_decode(&with, text.p, text.n, certified, s->diag))
		return -1;
	manifest_release(&s->manifest);
	s->manifest = with;
	return 0;
}

static int
write_results(struct sealer *s)
{
	char *image = setup_path(s->setup, s->arena, "image");
	struct str bytes;

	if (file_read(s->arena, image, &bytes))
		return diag_error(s->diag, (struct loc){ image, 0, 0 },
		    "cannot read: %s", strerror(errno));
	if (kvs_write(setup_path(s->setup, s->arena, "built.kvs"), s->built,
	    s->nbuilt, s->diag) || certify(s, bytes) || publish(setup_path(s->setup, s->arena,
	    "lib"), bytes, &s->manifest, s->setup->cache, s->diag))
		return -1;
	return write_sealed(s);
}

int
seal_run(const struct setup *setup, struct arena *arena, struct diag *diag)
{
	struct sealer s = { .setup = setup, .arena = arena, .diag = diag };
	struct kvs_row *row;
	size_t n;
	int bad = 0;

	catalog_init(&s.backends, arena);
	catalog_init(&s.kernels, arena);
	manifest_init(&s.manifest);
	if (kvs_read(setup_path(setup, arena, "ir.kvs"), arena, &row, &n,
	    diag))
		return -1;
	s.built = arena_array(arena, n, sizeof *s.built);
	bad = catalog_load(&s.backends, setup->backends, setup->cache, diag);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(row[i].level, "artifact"))
			bad |= seal_artifact(&s, &row[i]);
	add_backends(&s);
	if (!bad)
		bad = scan_all(&s) || write_results(&s);
	manifest_release(&s.manifest);
	return bad ? -1 : 0;
}
