/* SPDX-License-Identifier: MIT */
#include "gen/command.h"

#include <stdio.h>
#include <string.h>

#include "base/fatal.h"
#include "base/json.h"
#include "gen/published.h"

/* What a row must be; NULL, -1 and DT_NONE: anything. */
struct filter {
	const char *op, *author;
	long long version;
	enum dtype dtype;
};

/* Both names of a row count: deepx·add finds its back ends, deepx·softmax its
 * kernels. */
static bool
row_is(const struct manifest_row *r, const char *op)
{
	return !strcmp(r->opcode, op) || !strcmp(r->base, op);
}

static bool
row_passes(const struct manifest_row *r, const struct filter *f)
{
	return (!f->op || row_is(r, f->op)) &&
	    (!f->author || !strcmp(r->author, f->author)) &&
	    (f->version < 0 || r->version == f->version) &&
	    (f->dtype == DT_NONE || r->dtype == f->dtype);
}

static const char *
or_dash(const char *s)
{
	return *s ? s : "-";
}

static void
put_row(const struct manifest_row *r, struct buf *out)
{
	buf_printf(out, "%s\t%lld\t%s\t%s\t%s\t%s\t%s\t%s\t%.12s\t%s\n",
	    r->opcode, (long long)r->version, dtype_name(r->dtype),
	    or_dash(r->pattern), or_dash(r->guard), or_dash(r->cls),
	    or_dash(r->isa), or_dash(r->author), r->object, or_dash(r->cert));
}

static void
put_json(const struct manifest_row *r, struct json *j)
{
	char alias[24];

	snprintf(alias, sizeof alias, "%llx", (unsigned long long)r->alias);
	json_open(j, NULL, '{');
	json_text(j, "opcode", r->opcode);
	json_text(j, "base", r->base);
	json_number(j, "n", r->version);
	json_text(j, "dtype", dtype_name(r->dtype));
	json_text(j, "pattern", r->pattern);
	json_text(j, "guard", r->guard);
	json_text(j, "class", r->cls);
	json_text(j, "isa", r->isa);
	json_text(j, "author", r->author);
	json_text(j, "outdims", r->outdims);
	json_text(j, "alias", alias);
	json_number(j, "scratch", r->scratch);
	json_number(j, "scratch_n", r->scratch_n);
	json_text(j, "object", r->object);
	json_number(j, "entry", r->entry);
	json_text(j, "shapehash", r->shapehash);
	json_text(j, "cert", r->cert);
	json_close(j, '}');
}

static bool
knows_op(const struct manifest *m, const char *op)
{
	for (size_t i = 0; i < m->n; i++)
		if (row_is(&m->row[i], op))
			return true;
	return false;
}

static void
list(const struct manifest *m, const struct filter *f, bool as_json,
    struct diag *diag)
{
	struct buf out = { 0 };
	struct json j = { .out = &out };

	if (f->op && !knows_op(m, f->op)) {
		diag_error(diag, no_loc, "the library has no rows of `%s`",
		    f->op);
		return;
	}
	if (as_json)
		json_open(&j, NULL, '[');
	for (size_t i = 0; i < m->n; i++) {
		if (!row_passes(&m->row[i], f))
			continue;
		if (as_json)
			put_json(&m->row[i], &j);
		else
			put_row(&m->row[i], &out);
	}
	if (as_json) {
		json_close(&j, ']');
		buf_putc(&out, '\n');
	}
	command_print(&out);
}

static long long
version_of(const char *text)
{
	long long n;

	if (!str_i64(str_of(text), &n) || n < 0)
		usage_error("ls: --n expects a number from 0, found `%s`",
		    text);
	return n;
}

static enum dtype
dtype_typed(const char *text)
{
	enum dtype d = dtype_of(str_of(text));

	if (d == DT_NONE)
		usage_error("ls: `%s` is no dtype", text);
	return d;
}

static int
run_ls(int argc, char **argv)
{
	struct filter f = { .version = -1, .dtype = DT_NONE };
	const char *lib = NULL, *folder, *v;
	struct arena arena = { 0 };
	bool as_json = false;
	struct manifest m;
	struct diag diag;
	int code;

	for (int i = 1; i < argc; i++) {
		if ((v = option_value(argc, argv, &i, "--lib")))
			lib = v;
		else if ((v = option_value(argc, argv, &i, "--op")))
			f.op = name_typed(&arena, v);
		else if ((v = option_value(argc, argv, &i, "--n")))
			f.version = version_of(v);
		else if ((v = option_value(argc, argv, &i, "--dtype")))
			f.dtype = dtype_typed(v);
		else if ((v = option_value(argc, argv, &i, "--author")))
			f.author = v;
		else if (!strcmp(argv[i], "--json"))
			as_json = true;
		else
			usage_error("ls: unexpected argument `%s`", argv[i]);
	}
	diag_init(&diag);
	if (!published_read(&m, lib, &folder, &arena, &diag)) {
		list(&m, &f, as_json, &diag);
		manifest_release(&m);
	}
	code = command_end(&diag);
	arena_release(&arena);
	return code;
}

const struct command command_ls = {
	"ls", "[OPTIONS]", "list the kernels of a published library",
	"Prints a line a row of the manifest, TAB-separated, `-` for an empty column:\n"
	"opcode, version (0: a back end), dtype, pattern, guard, class, isa, author,\n"
	"the first digits of the object's digest, certificate.\n\n"
	"  --op=NAME       only of this op, e.g. deepx:softmax or deepx:softmax.1.k0\n"
	"  --n=N           only of this version; 0: back ends\n"
	"  --dtype=NAME    only of this element type\n"
	"  --author=NAME   only by this author; generated kernels are by aot\n"
	"  --lib=DIR       the library (else $KVAOT_LIB, the folder lib beside the\n"
	"                  program's, the installed one)\n"
	"  --json          print an array of objects with all columns\n\n"
	"Example: kvaot ls --op=deepx:softmax --dtype=float32\n",
	run_ls,
};
