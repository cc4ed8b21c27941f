/* SPDX-License-Identifier: MIT */
/* What is said of a text, and where: kvlang.md 3.9 and 5.2. */
#include "tests/t_kv.h"

Suite *kv_message_suite(void);

struct message {
	const char *text, *want;
};

/* The first item of a level in the order of places. */
static void
first_is(const char *text, enum diag_level level, const char *want)
{
	const struct diag_item *first = NULL, *item;
	size_t i;

	diag_release(&diag);
	diag_init(&diag);
	lay(text);
	for (i = 0; i < diag.n; i++) {
		item = &diag.item[i];
		if (item->level == level && (!first ||
		    item->loc.line < first->loc.line ||
		    (item->loc.line == first->loc.line &&
		    item->loc.col < first->loc.col)))
			first = item;
	}
	ck_assert_msg(first != NULL, "nothing said of: %s", text);
	ck_assert_str_eq(arena_printf(&arena, "%d:%d: %s", first->loc.line,
	    first->loc.col, first->text), want);
	ck_assert_str_eq(first->loc.file, "f.kv");
}

static void
errors_are(const struct message *m, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		first_is(m[i].text, DIAG_ERROR, m[i].want);
		ck_assert_uint_eq(space_count(space), 0);
	}
}

/* Statements of a function whose parameters have known types. */
static void
bodies_say(const struct message *m, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		first_is(arena_printf(&arena, "lib p { rwfunc f(i:int64, "
		    "u:uint8, d:float64, b:bool, s:[]char/utf32, "
		    "a:[2,3]float64, y:any) -> (r:any) {\n%s\n} }",
		    m[i].text), DIAG_ERROR, m[i].want);
}

#define COUNT(list) (sizeof(list) / sizeof(list[0]))

START_TEST(message__control)
{
	static const struct message list[] = {
		{ "rwfunc f() {\n\tbreak\n}", "2:2: break outside loop" },
		{ "rwfunc f() {\n\tcontinue\n}", "2:2: continue outside loop" },
		{ "rwfunc f() {\n return 42\n}", "2:2: return cannot take a "
		    "value — use write-params for output" },
		{ "rwfunc f() {\n while (true) { break 1 }\n}",
		    "2:17: break cannot take a value" },
		{ "if (true) { }", "1:1: top-level if is not supported — wrap "
		    "in a rwfunc" },
		{ "lib p {\n while (true) { } }", "2:2: top-level while is "
		    "not supported — wrap in a rwfunc" },
		{ "for (x in y) { }", "1:1: top-level for is not supported — "
		    "wrap in a rwfunc" },
		{ "x:\n{ g() }", "1:1: top-level label is not supported — "
		    "wrap in a rwfunc" },
		{ "rwfunc f() {\n if (true) {\n g()\n", "4:1: expected RBRACE "
		    "to close the if of line 2, got the end of the file" },
		{ "rwfunc f() {\n if true { }\n}", "2:5: expected LPAREN "
		    "before the condition, got IDENT \"true\"" },
		{ "rwfunc f() {\n if (true { }\n}", "2:11: expected RPAREN "
		    "after the condition, got LBRACE \"{\"" },
		{ "rwfunc f() {\n else { }\n}",
		    "2:2: else without an if before it" },
		{ "rwfunc f() {\n for (x of y) { }\n}", "2:9: expected IDENT "
		    "\"in\" after the variable of the for, got IDENT \"of\"" },
		{ "rwfunc f() {\n for (/x in y) { }\n}", "2:7: a for needs a "
		    "plain variable, as in for (x in a)" },
	};

	errors_are(list, COUNT(list));
}
END_TEST

START_TEST(message__tokens)
{
	static const struct message list[] = {
		{ "x = a\xef\xbb\xbf" "b", "1:5: a byte order mark within the text; "
		    "remove it" },
		{ "x = 7up", "1:5: invalid numeric literal \"7up\": expected "
		    "decimal digits, as in 12 or 1.5e-3" },
		{ "x = 0x10", "1:5: invalid numeric literal \"0x10\": "
		    "expected decimal digits, as in 12 or 1.5e-3" },
		{ "x = '5a'", "1:5: '5a' is no number; in double quotes it is "
		    "a string" },
		{ "x = '/'", "1:5: '/' is no path; in double quotes it is a "
		    "string" },
		{ "x = 'a", "1:5: unterminated string literal: expected a "
		    "closing '" },
		{ "x = null", "1:5: there is no null; write None" },
		{ "x = 1 * 2", "1:7: '*' is no infix operator; write × to "
		    "multiply" },
		{ "x = 1 / 2", "1:7: '/' is no infix operator; write ÷ to "
		    "divide" },
		{ "x = 1 ! 2", "1:7: '!' is a prefix: expected an infix "
		    "operator, a ',' or the end of the expression" },
		{ "x = 1 +", "1:8: expected an expression, got the end of the "
		    "file" },
		{ "x = < 1", "1:5: expected an expression, got OPERATOR "
		    "\"<\"" },
		{ "x = a[]", "1:6: expected an index between [ and ]" },
		{ "1 -> 2", "1:6: expected IDENT as the name of a write slot, "
		    "got LITERAL \"2\" — did you put two instructions on the "
		    "same line?" },
		{ "1 -> x g(x)", "1:8: unexpected token \"g\" after the write "
		    "slots — did you put two instructions on the same line? "
		    "Each needs a line of its own, or ';'" },
		{ "a[0]:int64 = 1", "1:5: unexpected token COLON \":\" after "
		    "an element of \"a\"" },
		{ "x = /u/‥pc", "1:5: \"/u/‥pc\": names that start with ‥ "
		    "belong to the system; choose another path" },
		{ "x = [1, \"s\"]", "1:9: compact array [...] cannot hold "
		    "variable-length string element \"s\"; write one variable "
		    "for each string" },
		{ "", "0:0: no executable code found: expected a lib, a "
		    "rwfunc or a statement" },
	};

	errors_are(list, COUNT(list));
}
END_TEST

/* What the language has and this version lacks: one error each. */
START_TEST(message__not_supported_yet)
{
	static const struct message list[] = {
		{ "struct P { x:float64=0.0 }", "1:1: struct is not supported "
		    "yet; write tensors as separate parameters" },
		{ "x = p·y", "1:5: member access is not supported yet; write "
		    "a plain variable" },
		{ "x = g()·y", "1:8: member access is not supported yet; "
		    "write a plain variable" },
		{ "x = p·*k", "1:6: this kind of member access is not "
		    "supported yet; write a plain variable" },
		{ "p·y = 1", "1:2: writing to a member of \"p\" is not "
		    "supported yet; write the whole variable" },
		{ "x = P{y=1}", "1:5: a struct literal is not supported yet; "
		    "write separate variables" },
		{ "x = {1, 2}", "1:5: a literal in braces is not supported "
		    "yet; write an array literal [ … ]" },
		{ "x = {}", "1:5: a literal in braces is not supported yet; "
		    "write an array literal [ … ]" },
		{ "x = &y", "1:5: the address of a variable is not supported "
		    "yet; write the variable" },
		{ "x = *y", "1:5: a dereference is not supported yet; write "
		    "the variable" },
		{ "x = /u/x[1]", "1:9: indexing an absolute path is not "
		    "supported yet; write a copy of it to a variable" },
		{ "/u/x[1] = 2", "1:5: indexing an absolute path is not "
		    "supported yet; write the whole value" },
		{ "lib p { rwfunc f(x:*int64) { } }", "1:20: address types "
		    "are not supported yet; write the value type int64" },
		{ "lib p { rwfunc f(x:int64·any) { } }", "1:20: map types are "
		    "not supported yet; write an array type such as "
		    "[]float64" },
		{ "lib p { rwfunc f(x:/lib/P) { } }", "1:20: struct types are "
		    "not supported yet; write one parameter for each member" },
	};
	size_t i;

	errors_are(list, COUNT(list));
	for (i = 0; i < COUNT(list); i++) {
		diag_release(&diag);
		diag_init(&diag);
		lay(list[i].text);
		ck_assert_msg(diag.errors == 1, "%s", list[i].text);
	}
}
END_TEST

START_TEST(message__names)
{
	static const struct message list[] = {
		{ "m:\"int64\" = 1", "1:3: expected a type such as float64 or "
		    "[2,3]float32, got LITERAL \"\"int64\"\"" },
		{ "rwfunc f(a:int64) {\n for (a in [1]) { }\n}", "2:7: func f: "
		    "read param \"a\" cannot be used as write slot (read "
		    "params are read-only)" },
		{ "rwfunc f(a:[]int64) {\n a[0] = 1\n}", "2:2: func f: read "
		    "param \"a\" cannot be used as write slot (read params "
		    "are read-only)" },
		{ "rwfunc f(a:any...) {\n b = a\n}", "2:6: variadic param "
		    "\"a\" can only be passed on, as the last argument of a "
		    "call" },
		{ "rwfunc f(a:any..., b:any) { }", "1:10: func f: variadic "
		    "param \"a\" must be the last read-param" },
		{ "rwfunc f() -> (a:any...) { }", "1:16: func f: write-param "
		    "\"a\" cannot be variadic" },
		{ "rwfunc f() {\n x: { }\n x: { }\n}", "3:2: label \"x\" is "
		    "used twice; the first is in line 2" },
		{ "rwfunc f() {\n _x: { }\n}", "2:2: label \"_x\": labels "
		    "that start with _ are the compiler's own; choose "
		    "another" },
		{ "rwfunc f() {\n while (true) {\n break\n g()\n }\n}", "4:2: "
		    "statements after break are never executed; remove them" },
		{ "1 -> true", "1:6: \"true\" is a value and no name; choose "
		    "another" },
		{ "rwfunc f(None:any) { }", "1:10: \"None\" is a value and no "
		    "name; choose another" },
		{ "rwfunc sqrt(a:any) { }", "1:8: function \"sqrt\" shadows "
		    "builtin \"sqrt\" — wrap in 'lib pkg { }' or rename" },
		{ "rwfunc f() {\n a + 1\n}", "2:2: this does nothing: "
		    "expected a call, `value -> name`, `name = value` or "
		    "`name:type`" },
		{ "rwfunc f(x:flaot32) { }", "1:12: func f: param \"x\": "
		    "unknown type — valid: bool, int8 … int64, uint8 … "
		    "uint64, float16 … float64, bfloat16, char/utf8, any, "
		    "with [dims] before and | between (got \"flaot32\"); did you mean "
		    "float32?" },
		{ "x:[]string = 1", "1:3: write \"x\": unknown type "
		    "\"[]string\"; did you mean []char/utf32?" },
		{ "x:int64|[2]floot64 = 1", "1:3: write \"x\": unknown type "
		    "\"int64|[2]floot64\"; did you mean float64?" },
		{ "x:[*,?]int8 = 1", "1:3: write \"x\": unknown type "
		    "\"[*,?]int8\"; between [ and ] go lengths and ., and at "
		    "most one of ? * +" },
		{ "x:qqqq = 1", "1:3: write \"x\": unknown type \"qqqq\"" },
	};

	errors_are(list, COUNT(list));
}
END_TEST

START_TEST(message__calls)
{
	static const struct message list[] = {
		{ "add(i) -> r", "2:1: TypeError: binary op requires 2 "
		    "inputs, got 1 (add)" },
		{ "max(i) -> r", "2:1: TypeError: max expects at least 2 "
		    "args, got 1" },
		{ "int8(i, i) -> r", "2:1: TypeError: int8 expects 1 args, "
		    "got 2" },
		{ "r = xv·at(a)", "2:5: TypeError: xv·at expects at least 2 args, got "
		    "1" },
		{ "int64·add(i, i) -> r, t", "2:1: TypeError: int64·add expects 1 "
		    "writes, got 2" },
		{ "println(i) -> r", "2:1: println has no result; write it "
		    "as a statement of its own" },
		{ "p·f(i) -> r", "2:1: TypeError: p·f expects 7 args, got 1" },
		{ "/lib/p·f(i) -> r", "2:1: TypeError: p·f expects 7 args, got 1" },
		{ "f(u, u, d, b, s, a, y) -> r", "2:3: TypeError: p·f arg 1 "
		    "(i): expected int64, got uint8" },
		{ "f(i, u, d, b, s, a[0, 1], y) -> r", "2:18: TypeError: p·f "
		    "arg 6 (a): expected [2,3]float64, got float64" },
		{ "c:[3,2]float64 = []\nf(i, u, d, b, s, c, y) -> r", "3:18: "
		    "TypeError: p·f arg 6 (a): expected [2,3]float64, got "
		    "[3,2]float64" },
		{ "f(i, u, d, None, s, a, y) -> r", "2:12: TypeError: p·f arg "
		    "4 (b): expected bool, got None" },
		{ "f(i, u, d, b, \"s\", a, y) -> (r, t)", "2:1: TypeError: p·f expects 1 "
		    "writes, got 2" },
		{ "f(i, u, d, b, d + 1, a, y) -> r", "2:15: TypeError: p·f "
		    "arg 5 (s): expected []char/utf32, got float64" },
	};

	bodies_say(list, COUNT(list));
	first_is("lib p {\n rwir o(x:int64, y:[*]int8...) -> (z:any)\n"
	    "g:int8 = 1\no(1, g, 2) -> z }", DIAG_ERROR, "4:9: TypeError: p·o "
	    "arg 3 (y): expected [*]int8, got int64");
	first_is("lib p {\n rwir o(x:int64, y:int8...) -> (z:any)\n"
	    "o() -> z }", DIAG_ERROR, "3:1: TypeError: p·o expects at least 1 args, got "
	    "0");
}
END_TEST

START_TEST(message__operands)
{
	static const struct message list[] = {
		{ "r = i + b", "2:9: TypeError: expected numeric, got bool" },
		{ "r = s + i", "2:5: TypeError: expected numeric, got "
		    "char/utf32" },
		{ "r = 1 + \"a\"", "2:9: TypeError: expected numeric, got "
		    "char/utf32" },
		{ "r = i × a", "2:10: TypeError: expected numeric, got "
		    "[2,3]float64; mul works on single numbers, ops on whole "
		    "tensors are deepx·add and others" },
		{ "r = d % 2", "2:5: TypeError: expected integer, got "
		    "float64" },
		{ "r = b & b", "2:5: TypeError: expected integer, got bool" },
		{ "r = -u", "2:6: TypeError: cannot negate unsigned uint8" },
		{ "r = √s", "2:8: TypeError: expected numeric, got "
		    "char/utf32" },
		{ "r = None + 1", "2:5: TypeError: None in arithmetic" },
		{ "r = i < None", "2:9: TypeError: None in comparison" },
		{ "r = i < b", "2:5: TypeError: cannot compare int64 with "
		    "bool" },
		{ "r = i == s", "2:5: TypeError: cannot compare int64 with "
		    "char/utf32" },
		{ "r = b && i", "2:10: TypeError: expected bool, got int64" },
		{ "r = !i", "2:6: TypeError: expected bool, got int64" },
		{ "r = int8(None)", "2:10: TypeError: cannot cast None" },
		{ "r = bool(i)", "2:10: TypeError: expected bool, got "
		    "int64" },
		{ "r = max(i, s)", "2:12: TypeError: max/min requires "
		    "numeric, got int64 and char/utf32" },
		{ "r = min(b, 1, 2)", "2:9: TypeError: max/min requires "
		    "numeric, got bool and int64" },
		{ "r = max(1, d, b)", "2:15: TypeError: max/min requires "
		    "numeric, got float64 and bool" },
		{ "r = max(y, s)", "2:12: TypeError: max/min requires "
		    "numeric, got char/utf32" },
		{ "r = max(i, None)", "2:12: TypeError: None in arithmetic" },
	};

	bodies_say(list, COUNT(list));
}
END_TEST

START_TEST(message__conditions_and_elements)
{
	static const struct message list[] = {
		{ "if (i) { }", "2:5: TypeError: branch condition must be "
		    "bool, got int64" },
		{ "while (None) { }", "2:8: TypeError: None in branch "
		    "condition" },
		{ "r = i[0]", "2:5: TypeError: xv·at requires a compact "
		    "array, got int64" },
		{ "r = a[0]", "2:5: IndexError: xv·at: 2-dim array needs 2 "
		    "indices, got 1" },
		{ "r = a[0, d]", "2:10: TypeError: expected integer, got "
		    "float64" },
		{ "c = a\nc[0] = 1.0", "3:1: IndexError: xv·set: 2-dim array "
		    "needs 2 indices, got 1" },
		{ "for (x in i) { }", "2:11: TypeError: for requires a "
		    "compact array, got int64" },
		{ "for (x in b) { }", "2:11: TypeError: for requires a "
		    "compact array, got bool" },
		{ "for (x in a) { r = x && b }", "2:20: TypeError: expected "
		    "bool, got float64" },
		{ "string·concat(i, b) -> r", "2:16: TypeError: string·concat "
		    "requires strings, got int64 and bool" },
		{ "r = [i, d]", "2:9: TypeError: array: mixed kinds int64 and "
		    "float64; convert one, as in float64(x)" },
		{ "r = [s, i]", "2:6: TypeError: a compact array [...] cannot "
		    "hold char/utf32" },
		{ "r = [i, None]", "2:9: TypeError: a compact array [...] "
		    "cannot hold None" },
		{ "x:[2,2]int64 = [i, 1, 2]", "2:16: write \"x\": declared "
		    "[2,2]int64 but the array has 3 elements" },
		{ "x = [i...]", "2:5: [v...] needs a declared type with a "
		    "numeric kind and all dims known, as in x:[2,3]float32 = "
		    "[v...]" },
	};

	bodies_say(list, COUNT(list));
}
END_TEST

START_TEST(message__warnings)
{
	static const struct message list[] = {
		{ "count = 1\nx = cuont", "2:5: \"cuont\" is read but was "
		    "never assigned; did you mean count?" },
		{ "prinln(1)", "1:1: \"prinln\" is not in this file; did you "
		    "mean println?" },
		{ "lib p { rwfunc softmax() { }\nsofmax() }", "2:1: "
		    "\"sofmax\" is not in this file; did you mean "
		    "softmax?" },
		{ "lib p { rwfunc add(a:any, b:any) { }\nadd(1, 2) -> x }",
		    "2:1: \"add\" is the language's own op here; write p·add "
		    "for the function" },
		{ "x:float32 = g()\ny = 1\ny -> z:float32", "3:6: \"z\" is "
		    "declared float32 but is given int64; convert it first, "
		    "or declare that" },
		{ "lib p { rwfunc k.2() { } }", "1:16: function \"k.2\" has "
		    "the form of version 2 of \"k\"; choose another name" },
	};
	size_t i;

	for (i = 0; i < COUNT(list); i++)
		first_is(list[i].text, DIAG_WARN, list[i].want);
	first_is("rwfunc f() { }", DIAG_INFO, "1:8: rwfunc outside lib block "
	    "— registering under /lib/f; consider wrapping in 'lib pkgname "
	    "{ }'");
	first_is("lib lib { rwfunc f() { } }", DIAG_INFO, "1:1: package name "
	    "\"lib\" expands to /lib/lib/ — consider a different name");
}
END_TEST

/* What looks suspicious and is right: nothing is said. */
START_TEST(message__nothing_without_certainty)
{
	static const char *const list[] = {
		"lib p { rwfunc f(c:bool, x:any, y:int32|float32, z:[*]int8) "
		"-> (r:any) {\n r = x + 1\n r = y + 1\n r = z + 1\n r = -x\n"
		" if (x) { }\n r = x[0, 1]\n r = x == None\n f(x, y, y, x)\n"
		" r = \"a\" + \"b\"\n r = \"a\" < \"b\"\n r = y % 2\n} }",
		"lib p { rwfunc f(c:bool) -> (r:any) {\n x = None\n"
		" while (c) {\n  x = 1\n  r = x + last\n  last = 1\n }\n} }",
		"lib p { rwfunc f(c:bool, a:[]int64) -> (r:any) {\n"
		" for (x in a) { if (c) { r = best } else { best = x } }\n} }",
		"lib p { rwfunc f(a:any...) { g(1, a)\n println(a) } }",
	};
	size_t i;

	for (i = 0; i < COUNT(list); i++) {
		ck_assert_int_eq(lay(list[i]), 0);
		if (diag.n)
			ck_abort_msg("%s: %s", list[i], diag.item[0].text);
	}
}
END_TEST

/* A fault in a statement hides nothing of the next one. */
START_TEST(message__parsing_goes_on)
{
	lay("rwfunc f() {\n if (1 +) {\n g(\n }\n else {\n }\n x = 1 *\n"
	    " while (true) {\n  y = [\n  break 2\n }\n for (x) { }\n"
	    " z = )\n}\nrwfunc g(a) { }");
	ck_assert_int_eq(diag.errors, 7);
}
END_TEST

/* before, n times between, after. */
static const char *
repeated(const char *before, const char *between, int n, const char *after)
{
	struct buf text = { 0 };
	const char *out;

	buf_puts(&text, before);
	while (n-- > 0)
		buf_puts(&text, between);
	buf_puts(&text, after);
	out = arena_strdup(&arena, text.p);
	buf_release(&text);
	return out;
}

START_TEST(message__limits)
{
	first_is(repeated("x = a", " + a", 500, ""), DIAG_ERROR,
	    "1:5: an expression has more than 500 levels; use more variables");
	first_is(repeated("x = ", "(", 201, "a"), DIAG_ERROR, "1:205: "
	    "expressions are nested more than 200 deep; use more variables");
	first_is(repeated("rwfunc f() {\n", "if (b) {\n", 201, ""), DIAG_ERROR,
	    "202:1: blocks are nested more than 200 deep; move some to a "
	    "function");
	first_is(repeated("rwfunc f() {\n", "if (b) { }\n", 1001, "}"),
	    DIAG_ERROR, "1002:1: a function has more than 1000 control "
	    "statements");
	first_is(repeated("lib p { rwfunc f(", "a:any, ", 1001, ") { } }"),
	    DIAG_ERROR, "1:16: func p·f: more than 1000 parameters");
	first_is(repeated("", "lib p {\n", 65, ""), DIAG_ERROR,
	    "65:1: libs are nested more than 64 deep");
	/* Each fill alone would do. */
	first_is("x:[1000,1000,10]float64 = []\ny:[1000,1000,10]float64 = []",
	    DIAG_ERROR, "2:27: write \"y\": [1000,1000,10]float64 is too large: "
	    "a file has at most 128 MiB of literals; make it with "
	    "deepx·constant");
	ck_assert_int_eq(lay("x:[1000,1000,10]float64 = []\n"), 0);
	/* One less is no fault. */
	ck_assert_int_eq(lay(repeated("rwfunc f(b:bool) { x = 1\n",
	    "if (b) {\n", 200, repeated("", "}", 201, ""))), 0);
	ck_assert_int_eq(lay(repeated("a = 1\nx = a", " + a", 499, "")), 0);
}
END_TEST

START_TEST(message__vet_says_what_layout_says)
{
	struct kv_file *f = kv_parse(&arena, "f.kv",
	    str_of("x = 1 + true"), &diag);

	ck_assert_int_eq(kv_vet(f, &diag), -1);
	ck_assert_int_eq(diag.errors, 1);
	ck_assert_str_eq(diag.item[0].text,
	    "TypeError: expected numeric, got bool");
	f = kv_parse(&arena, "f.kv", str_of("x = 1 + 2"), &diag);
	ck_assert_int_eq(kv_vet(f, &diag), 0);
}
END_TEST

Suite *
kv_message_suite(void)
{
	Suite *s = suite_create("kv_message");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, message__control);
	tcase_add_test(tc, message__tokens);
	tcase_add_test(tc, message__not_supported_yet);
	tcase_add_test(tc, message__names);
	tcase_add_test(tc, message__calls);
	tcase_add_test(tc, message__operands);
	tcase_add_test(tc, message__conditions_and_elements);
	tcase_add_test(tc, message__warnings);
	tcase_add_test(tc, message__nothing_without_certainty);
	tcase_add_test(tc, message__parsing_goes_on);
	tcase_add_test(tc, message__limits);
	tcase_add_test(tc, message__vet_says_what_layout_says);
	suite_add_tcase(s, tc);
	return s;
}
