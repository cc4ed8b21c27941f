/* SPDX-License-Identifier: MIT */
#include "gen/command.h"

#include <errno.h>
#include <string.h>

#include "base/fatal.h"
#include "base/file.h"
#include "gen/doc.h"
#include "gen/published.h"
#include "kv/near.h"

struct options {
	const char *build, *lib, *file;
	const char **name; /* only these; none: all */
	size_t n;
	bool gaps, list, json;
};

static void
parse(struct options *o, int argc, char **argv, struct arena *arena)
{
	const char *v;

	o->name = arena_array(arena, (size_t)argc, sizeof *o->name);
	for (int i = 1; i < argc; i++) {
		if ((v = option_value(argc, argv, &i, "--build")))
			o->build = v;
		else if ((v = option_value(argc, argv, &i, "--lib")))
			o->lib = v;
		else if ((v = option_value(argc, argv, &i, "-o")))
			o->file = v;
		else if (!strcmp(argv[i], "--gaps"))
			o->gaps = true;
		else if (!strcmp(argv[i], "--list"))
			o->list = true;
		else if (!strcmp(argv[i], "--json"))
			o->json = true;
		else if (argv[i][0] == '-')
			usage_error("doc: unexpected argument `%s`", argv[i]);
		else
			o->name[o->n++] = name_typed(arena, argv[i]);
	}
	if (o->list && (o->gaps || o->json))
		usage_error("doc: --list goes with neither --gaps nor --json");
}

static bool
is_asked(const struct options *o, const struct doc_op *op)
{
	for (size_t i = 0; i < o->n; i++)
		if (!strcmp(o->name[i], op->f->qualified))
			return true;
	return o->n == 0;
}

/* -1 with an error for each name that the library has not. */
static int
check_names(const struct options *o, const struct doc *doc, struct diag *diag)
{
	int bad = 0;

	for (size_t i = 0; i < o->n; i++) {
		struct near near = { .word = o->name[i] };
		bool found = false;

		for (size_t k = 0; k < doc->n && !found; k++) {
			found = !strcmp(doc->op[k]->f->qualified, o->name[i]);
			near_try(&near, doc->op[k]->f->qualified);
		}
		if (!found)
			bad = diag_error(diag, no_loc, "the library has no op "
			    "`%s`%s%s%s", o->name[i], near.best ?
			    "; did you mean " : "", near.best ? near.best : "",
			    near.best ? "?" : "");
	}
	return bad;
}

static void
put_op(const struct options *o, const struct doc_op *op, struct json *j)
{
	unsigned dtypes;
	const char *gap;

	if (!o->gaps) {
		if (o->json) {
			doc_json(op, j);
			return;
		}
		if (o->list) {
			doc_line(op, j->out);
			return;
		}
		if (j->out->n > 0)
			buf_putc(j->out, '\n');
		doc_section(op, j->out);
		return;
	}
	gap = doc_gap(op, &dtypes);
	if (gap && o->json)
		doc_gap_json(op, gap, dtypes, j);
	else if (gap)
		doc_gap_line(op, gap, dtypes, j->out);
}

static void
put_doc(const struct options *o, const struct doc *doc, struct buf *out)
{
	struct json j = { .out = out };

	if (o->json)
		json_open(&j, NULL, '[');
	else if (!o->gaps && !o->list && !o->n)
		buf_puts(out, "# Ops of the library\n");
	for (size_t i = 0; i < doc->n; i++)
		if (is_asked(o, doc->op[i]))
			put_op(o, doc->op[i], &j);
	if (o->json) {
		json_close(&j, ']');
		buf_putc(out, '\n');
	}
}

static void
write_doc(const struct options *o, struct buf *out)
{
	if (!o->file) {
		command_print(out);
		return;
	}
	if (file_write(o->file, out->p, out->n, false))
		fatal("cannot write %s: %s", o->file, strerror(errno));
	buf_release(out);
}

/* The rows that go with the sources: NULL for those of this installation. */
static const char *
find_lib(const struct options *o, struct arena *arena)
{
	return o->lib || !o->build ? o->lib :
	    path_join(arena, o->build, "lib");
}

static void
make_doc(const struct options *o, struct arena *arena, struct diag *diag)
{
	struct buf out = { 0 };
	struct setup setup;
	struct manifest m;
	struct doc doc;
	const char *folder;

	if (setup_read(&setup, o->build ? o->build : setup_home(arena), arena,
	    diag) || published_read(&m, find_lib(o, arena), &folder, arena,
	    diag))
		return;
	if (!doc_read(&doc, &setup, &m, arena, diag) &&
	    !check_names(o, &doc, diag)) {
		put_doc(o, &doc, &out);
		write_doc(o, &out);
	}
	manifest_release(&m);
}

static int
run_doc(int argc, char **argv)
{
	struct arena arena = { 0 };
	struct options o = { 0 };
	struct diag diag;
	int code;

	parse(&o, argc, argv, &arena);
	diag_init(&diag);
	make_doc(&o, &arena, &diag);
	code = command_end(&diag);
	arena_release(&arena);
	return code;
}

const struct command command_doc = {
	"doc", "[OPTIONS] [NAME...]", "print the reference of a library's ops",
	"Prints a section of Markdown for each op, or for those named: signature,\n"
	"comments of the source, types, what the result is and how exact, who\n"
	"provides it, and its versions.\n\n"
	"  --list       print a catalog instead, a line each, TAB-separated:\n"
	"               signature, dtypes that have kernels, what it is\n"
	"  --gaps       print a line for each op that lacks something instead,\n"
	"               TAB-separated: op, gap, dtypes. Gap `plain`: kernels of plain\n"
	"               source only, no vector code and no template; `none`: no back\n"
	"               end at all\n"
	"  --json       print one JSON array\n"
	"  -o FILE      write to FILE\n"
	"  --build=DIR  the ops of this build folder, not of this installation\n"
	"  --lib=DIR    the published library (else that of --build, $KVAOT_LIB, the\n"
	"               folder lib beside the program's, the installed one)\n\n"
	"Examples: kvaot doc deepx:softmax\n"
	"          kvaot doc --list | grep norm\n"
	"          kvaot doc --gaps\n",
	run_doc,
};
