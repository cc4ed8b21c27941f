/* SPDX-License-Identifier: MIT */
#include "tests/t_kv_program.h"

#include <stdbool.h>
#include <stddef.h>

struct program {
	struct buf *out;
	uint64_t state;
	int comments, names, loops;
};

static void put_int(struct program *, int depth);
static void put_block(struct program *, int depth);

/* splitmix64 */
static unsigned
below(struct program *p, unsigned n)
{
	uint64_t z = p->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (unsigned)((z ^ z >> 31) % n);
}

static void
block_comment(struct program *p)
{
	static const char *const form[] = { "/*c%d*/", "/* c%d\n\t  x */",
		"/* c%d /* in */ */", "/* c%d */" };

	buf_printf(p->out, form[below(p, 4)], ++p->comments);
}

/* Between two tokens of a line. */
static void
blank(struct program *p)
{
	static const char *const form[] = { "", "", "", " ", " ", "  ", "\t" };
	unsigned i = below(p, 60);

	if (i < 2)
		block_comment(p);
	else
		buf_puts(p->out, form[i % 7]);
}

/* Between two words. */
static void
space(struct program *p)
{
	buf_puts(p->out, " ");
	blank(p);
}

/* Between two statements, or around a block's content. */
static void
line_end(struct program *p)
{
	blank(p);
	switch (below(p, 9)) {
	case 0:
		buf_puts(p->out, ";");
		break;
	case 1:
		buf_printf(p->out, " // c%d \t\n", ++p->comments);
		break;
	case 2:
		buf_puts(p->out, "\n\n \n");
		break;
	case 3:
		buf_printf(p->out, "\n  // c%d\n", ++p->comments);
		break;
	case 4:
		buf_printf(p->out, "\n\n// c%d\n\n", ++p->comments);
		break;
	case 5:
		buf_puts(p->out, "\r\n");
		break;
	case 6:
		buf_puts(p->out, "\n");
		block_comment(p);
		buf_puts(p->out, "\n");
		break;
	default:
		buf_puts(p->out, "\n");
		break;
	}
}

static void
put(struct program *p, const char *text)
{
	blank(p);
	buf_puts(p->out, text);
	blank(p);
}

/* A parameter: of an unknown type, so it fits everywhere. */
static void
put_param(struct program *p)
{
	static const char *const names[] = { "pa", "pb", "größe" };

	put(p, names[below(p, 3)]);
}

static void
put_string(struct program *p)
{
	static const char *const form[] = { "\"s\\n\\\"\"", "\"two\nlines\"",
		"r\"raw\\\"", "r#\"a\"b\"#", "'it'", "\"// no comment\"",
		"\"é\"" };

	put(p, form[below(p, 7)]);
}

/* The arguments of a call, or the elements of an array. */
static void
put_list(struct program *p, int depth, bool strings)
{
	unsigned n = !strings + below(p, 3), i;

	for (i = 0; i < n; i++) {
		if (i > 0)
			put(p, ",");
		if (strings && below(p, 6) == 0)
			put_string(p);
		else
			put_int(p, depth);
	}
}

static void
put_call(struct program *p, int depth)
{
	static const char *const names[] = { "calla", "m/n·callb", "callc.1",
		"/lib/q·calld" };

	put(p, names[below(p, 4)]);
	buf_puts(p->out, "(");
	put_list(p, depth, true);
	put(p, ")");
}

static void
put_leaf(struct program *p)
{
	static const char *const form[] = { "0", "17", "-5", "9000000000",
		"/u/v·w", "'12'", "'/u/w'" };

	if (below(p, 2))
		put_param(p);
	else
		put(p, form[below(p, 7)]);
}

static void
put_paren(struct program *p, void (*fn)(struct program *, int), int depth)
{
	put(p, "(");
	fn(p, depth);
	put(p, ")");
}

/* An integer as far as anybody can know. */
static void
put_int(struct program *p, int depth)
{
	static const char *const op[] = { "+", "-", "×", "÷", "%", "<<", ">>",
		"&", "^", "|" };
	static const char *const prefix[] = { "-", "+", "-", "+" };

	if (depth == 0) {
		put_leaf(p);
		return;
	}
	switch (below(p, 7)) {
	case 0:
		put_leaf(p);
		break;
	case 1:
		put_paren(p, put_int, depth - 1);
		break;
	case 2:
		put(p, prefix[below(p, 4)]);
		put_paren(p, put_int, depth - 1);
		break;
	case 3:
		put_call(p, depth - 1);
		break;
	case 4:
		put_param(p);
		buf_puts(p->out, "[");
		put_int(p, depth - 1);
		put(p, "]");
		break;
	default:
		put_int(p, depth - 1);
		put(p, op[below(p, 10)]);
		put_int(p, depth - 1);
		break;
	}
}

static void
put_bool(struct program *p, int depth)
{
	static const char *const compare[] = { "<", ">", "<=", ">=", "≤", "≥",
		"==", "!=", "≠" };

	if (depth == 0 || below(p, 4) == 0) {
		put(p, below(p, 2) ? "true" : "false");
	} else if (below(p, 2)) {
		put(p, "(");
		put_int(p, depth - 1);
		put(p, compare[below(p, 9)]);
		put_int(p, depth - 1);
		put(p, ")");
	} else if (below(p, 3) == 0) {
		put(p, "!");
		put_paren(p, put_bool, depth - 1);
	} else {
		put_bool(p, depth - 1);
		put(p, below(p, 2) ? "&&" : "||");
		put_bool(p, depth - 1);
	}
}

static void
put_variable(struct program *p)
{
	buf_printf(p->out, "v%u", below(p, 9));
}

/* One to three slots; no two are the same variable. */
static void
put_slots(struct program *p)
{
	unsigned n = 1 + (below(p, 4) == 0) + (below(p, 8) == 0), i;
	bool paren = n > 1 && below(p, 2);

	if (paren)
		put(p, "(");
	for (i = 0; i < n; i++) {
		if (i > 0)
			put(p, ",");
		buf_printf(p->out, "w%d", ++p->names);
		if (below(p, 5) == 0)
			put(p, ":any");
	}
	if (paren)
		put(p, ")");
}

/* A declared slot with a literal of its type. */
static void
put_declared(struct program *p)
{
	static const char *const form[] = {
		":[ 2 , 2 ]float64 = [1, 2.50, 3e2, -4]",
		":[2,.]int8=[[1,2],[3,-4]]", ":[3]bool = [true...]",
		":[2]float32=[]", ":float32 = 1.50", ":[]char/utf8 = \"x\"",
		":any=None", ":int64|float64", ":[*]any" };

	buf_printf(p->out, "t%d%s", ++p->names, form[below(p, 9)]);
}

static void
put_instruction(struct program *p)
{
	switch (below(p, 6)) {
	case 0:
		put_call(p, 2);
		break;
	case 1:
		put_slots(p);
		put(p, "=");
		put_int(p, 3);
		break;
	case 2:
		put_int(p, 3);
		put(p, "->");
		put_slots(p);
		break;
	case 3:
		put_declared(p);
		break;
	case 4:
		put_variable(p);
		buf_puts(p->out, "[");
		put_int(p, 1);
		put(p, "]");
		put(p, "=");
		put_int(p, 2);
		break;
	default:
		put(p, "[");
		put_list(p, 1, false);
		put(p, "] ->");
		put_variable(p);
		break;
	}
}

static void
put_if(struct program *p, int depth)
{
	bool more = true;

	buf_puts(p->out, "if");
	put_paren(p, put_bool, 2);
	put_block(p, depth);
	while (more && below(p, 2)) {
		if (below(p, 3) == 0)
			line_end(p);
		else
			blank(p);
		buf_puts(p->out, "else");
		more = below(p, 2);
		if (more) {
			space(p);
			buf_puts(p->out, "if");
			put_paren(p, put_bool, 1);
		}
		put_block(p, depth);
	}
}

static void
put_loop(struct program *p, int depth)
{
	p->loops++;
	if (below(p, 2)) {
		buf_puts(p->out, "while");
		put_paren(p, put_bool, 2);
	} else {
		buf_puts(p->out, "for");
		put(p, "(");
		put_variable(p);
		space(p);
		buf_puts(p->out, "in");
		space(p);
		put_param(p);
		put(p, ")");
	}
	put_block(p, depth);
	p->loops--;
}

static void
put_stmt(struct program *p, int depth)
{
	unsigned kind = depth == 0 ? 9 : below(p, 10);

	if (kind == 0) {
		put_if(p, depth - 1);
	} else if (kind == 1) {
		put_loop(p, depth - 1);
	} else if (kind == 2) {
		buf_printf(p->out, "l%d:", ++p->names);
		if (below(p, 2))
			line_end(p);
		put_block(p, depth - 1);
	} else {
		put_instruction(p);
	}
}

/* Statements in braces, the last perhaps one that leaves. */
static void
put_block(struct program *p, int depth)
{
	static const char *const leave[] = { "return", "break", "continue" };
	unsigned n = below(p, 5);

	put(p, "{");
	while (n-- > 0) {
		line_end(p);
		put_stmt(p, depth);
	}
	line_end(p);
	if (below(p, 6) == 0) {
		buf_puts(p->out, leave[p->loops ? below(p, 3) : 0]);
		line_end(p);
	}
	buf_puts(p->out, "}");
}

static void
put_params(struct program *p, bool declared)
{
	put(p, "(");
	buf_puts(p->out, "pa:any");
	put(p, ",");
	if (below(p, 3) == 0)
		buf_printf(p->out, "\n // c%d\n", ++p->comments);
	buf_puts(p->out, "pb : any ,größe:[ * ]any|int64");
	if (declared && below(p, 2))
		buf_puts(p->out, "...");
	put(p, ")");
}

static void
put_function(struct program *p)
{
	bool declared = below(p, 3) == 0;

	buf_puts(p->out, declared ? "rwir" : "rwfunc");
	space(p);
	buf_printf(p->out, "f%d", ++p->names);
	put_params(p, declared);
	if (below(p, 2)) {
		put(p, "->");
		buf_puts(p->out, below(p, 2) ? "( )" : "(r:any, s:[]int8)");
	} else if (below(p, 2)) {
		put(p, "->");
		buf_puts(p->out, "r:any");
	}
	if (!declared)
		put_block(p, 3);
}

static void
put_bare(struct program *p)
{
	buf_printf(p->out, "calle(%d", ++p->names);
	put(p, ")");
}

static void
put_items(struct program *p, int depth)
{
	unsigned n = 1 + below(p, 3);

	while (n-- > 0) {
		line_end(p);
		if (depth > 0 && below(p, 3) == 0) {
			buf_printf(p->out, "lib k%d", ++p->names);
			put(p, "{");
			put_items(p, depth - 1);
			buf_puts(p->out, "}");
		} else if (below(p, 3) == 0 || depth == 2) {
			put_bare(p);
		} else {
			put_function(p);
		}
	}
	line_end(p);
}

void
random_program(struct buf *out, uint64_t seed)
{
	struct program p = { .out = out, .state = seed };

	/* A lib first: a rwir stands in one. */
	buf_puts(out, "lib first {");
	put_items(&p, 1);
	buf_puts(out, "}");
	put_items(&p, 2);
}
