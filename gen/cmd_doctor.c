/* SPDX-License-Identifier: MIT */
#include "gen/command.h"

#include <string.h>

#include "base/fatal.h"
#include "base/json.h"
#include "gen/doctor.h"

static void
put_text(const struct findings *f, struct buf *out)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct finding *x = &f->item[i];

		buf_printf(out, "%-8s %-10s %s", finding_word(x->status),
		    x->check, x->text);
		if (x->todo)
			buf_printf(out, "; %s", x->todo);
		buf_putc(out, '\n');
	}
}

static void
put_json(const struct findings *f, struct buf *out)
{
	struct json j = { .out = out };

	json_open(&j, NULL, '[');
	for (size_t i = 0; i < f->n; i++) {
		const struct finding *x = &f->item[i];

		json_open(&j, NULL, '{');
		json_text(&j, "check", x->check);
		json_text(&j, "status", finding_word(x->status));
		json_text(&j, "text", x->text);
		json_text(&j, "todo", x->todo);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	buf_putc(out, '\n');
}

static int
run_doctor(int argc, char **argv)
{
	struct arena arena = { 0 };
	const char *lib = NULL, *v;
	struct buf out = { 0 };
	bool as_json = false;
	struct findings f;
	int code = EXIT_OK;

	for (int i = 1; i < argc; i++) {
		if ((v = option_value(argc, argv, &i, "--lib")))
			lib = v;
		else if (!strcmp(argv[i], "--json"))
			as_json = true;
		else
			usage_error("doctor: unexpected argument `%s`",
			    argv[i]);
	}
	doctor_look(&f, setup_home(&arena), lib, &arena);
	if (as_json)
		put_json(&f, &out);
	else
		put_text(&f, &out);
	command_print(&out);
	for (size_t i = 0; i < f.n; i++)
		if (f.item[i].status == FINDING_PROBLEM)
			code = EXIT_REFUSED;
	arena_release(&arena);
	return code;
}

const struct command command_doctor = {
	"doctor", "[OPTIONS]", "check this installation",
	"Prints a line a check: ok, warning or problem, what was looked at, and what\n"
	"to do. Checks the settings, compiler and linker, the cache and the space it\n"
	"has, the bytes of the toolchain, the library and all its objects, the CPU,\n"
	"the floating-point control register, and OpenBLAS, for matmul. Exit 1 when\n"
	"there is a problem.\n\n"
	"  --lib=DIR       the library (else $KVAOT_LIB, the folder lib beside the\n"
	"                  program's, the installed one)\n"
	"  --json          print an array of objects\n",
	run_doctor,
};
