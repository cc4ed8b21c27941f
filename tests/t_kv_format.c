/* SPDX-License-Identifier: MIT */
#include "tests/t_kv.h"

#include "kv/format.h"
#include "kv/token.h"
#include "tests/t_kv_program.h"

Suite *kv_format_suite(void);

/* The formatted text in the arena. */
static struct str
format(struct str text)
{
	struct buf out = { 0 };
	struct str made;

	if (kv_format(kv_parse(&arena, "f.kv", text, &diag), &out, &diag))
		ck_abort_msg("%s\n%.*s", diag.item[0].text, (int)text.n,
		    text.p);
	made = (struct str){ arena_strndup(&arena, out.p ? out.p : "", out.n),
		out.n };
	buf_release(&out);
	return made;
}

static void
gives(const char *text, const char *want)
{
	struct str made = format(str_of(text));

	ck_assert_str_eq(made.p, want);
	made = format(made);
	ck_assert_str_eq(made.p, want);
}

/* Statements of a function. */
static void
body_is(const char *text, const char *want)
{
	gives(arena_printf(&arena, "rwfunc f(){%s}", text),
	    arena_printf(&arena, "rwfunc f() -> () {\n%s}\n", want));
}

/* Positions and source texts are what formatting changes. */
static bool
is_position(const char *key)
{
	size_t n = strlen(key);

	return strstr(key, "/‥lines") || strstr(key, "/‥cols") ||
	    (n > 4 && strcmp(key + n - 4, ".src") == 0);
}

static const char *
next_key(const struct space *s, size_t *it, const struct value **v)
{
	const char *key;

	while ((key = space_next(s, "", it, v)) && is_position(key))
		;
	return key;
}

static void
same_layout(const struct space *a, const struct space *b, const char *text)
{
	const struct value *v, *w;
	size_t i = 0, j = 0;
	const char *k, *l;

	do {
		k = next_key(a, &i, &v);
		l = next_key(b, &j, &w);
		if (!k || !l)
			break;
		ck_assert_msg(strcmp(k, l) == 0, "%s, %s\n%s", k, l, text);
		ck_assert_msg(strcmp(v->langtype, w->langtype) == 0 &&
		    v->n == w->n && memcmp(v->body, w->body, v->n) == 0,
		    "%s\n%s", k, text);
	} while (true);
	ck_assert_msg(!k && !l, "%s", text);
}

static struct comment *
comments_of(struct str text)
{
	struct comment *list = NULL;
	size_t n;

	token_scan(&arena, "f.kv", text, &diag, &n, &list);
	return list;
}

/* Without carriage returns, which do not stay. */
static const char *
comment_text(const struct comment *c)
{
	char *text = arena_strndup(&arena, c->text.p, c->text.n), *to = text;
	const char *p;

	for (p = text; *p; p++)
		if (*p != '\r')
			*to++ = *p;
	*to = '\0';
	return text;
}

/* Whatever the text is: stable, the same rows, every comment in order. */
static void
check_text(struct str text)
{
	struct str once = format(text), twice = format(once);
	struct space *one = space_new(), *two = space_new();
	const struct comment *a, *b;

	ck_assert_msg(str_eq(once, twice), "%s---\n%s---\n%s", text.p, once.p,
	    twice.p);
	a = comments_of(text);
	b = comments_of(once);
	for (; a && b; a = a->next, b = b->next)
		ck_assert_str_eq(comment_text(a), comment_text(b));
	ck_assert_msg(!a && !b, "%s---\n%s", text.p, once.p);
	if (kv_layout_text(one, "f.kv", text, &diag) ||
	    kv_layout_text(two, "f.kv", once, &diag))
		ck_abort_msg("%s\n%s", diag.item[0].text, text.p);
	same_layout(one, two, text.p);
	ck_assert_uint_gt(space_count(one), 0);
	space_free(one);
	space_free(two);
}

START_TEST(format__items)
{
	gives("lib  p{rwir a(x:any)->y:any;rwir b(x:[ 2 , . ]int8...)\n"
	    "rwfunc f(x : int64,\n  y:any)->r:any{return}\ng(1);g( 2 )\n"
	    "lib q/r { }}\nh()",
	    "lib p {\n"
	    "\trwir a(x:any) -> (y:any)\n"
	    "\trwir b(x:[2,.]int8...) -> ()\n"
	    "\n"
	    "\trwfunc f(x:int64, y:any) -> (r:any) {\n"
	    "\t\treturn\n"
	    "\t}\n"
	    "\n"
	    "\tg(1)\n"
	    "\tg(2)\n"
	    "\n"
	    "\tlib q/r {\n"
	    "\t}\n"
	    "}\n"
	    "\n"
	    "h()\n");
	gives("", "");
	gives("\n\n// only\n\n\n// this", "// only\n\n// this\n");
}
END_TEST

START_TEST(format__instructions)
{
	body_is("a=1;2->b;f(a,b)->c,d:int8;(e,g)=f()\nh:int64\nm[1,a]=b\n"
	    "b->m[ a ]\n(a)->b\n/u/x=/u/x·y\nprintln( )",
	    "\ta = 1\n"
	    "\t2 -> b\n"
	    "\tf(a, b) -> (c, d:int8)\n"
	    "\t(e, g) = f()\n"
	    "\th:int64\n"
	    "\tm[1, a] = b\n"
	    "\tb -> m[a]\n"
	    "\ta -> b\n"
	    "\t/u/x = /u/x·y\n"
	    "\tprintln()\n");
}
END_TEST

START_TEST(format__only_needed_parentheses)
{
	body_is("x=(a+b)+c;x=a+(b+c);x=(a×b)+c;x=a×(b+c);x=-(a+b);x=-(-a)\n"
	    "x=-(5);x=- 5;x=(a)[(b)];x=(a+b)[0];x=(-5)[0];x=!(a&&b)||(!c)\n"
	    "x=√2.0;x=√(a+b);x=√(a)+b;x=(a|b)&c;x=a-(-1);x=((a<b)==(c<d))",
	    "\tx = a + b + c\n"
	    "\tx = a + (b + c)\n"
	    "\tx = a × b + c\n"
	    "\tx = a × (b + c)\n"
	    "\tx = -(a + b)\n"
	    "\tx = --a\n"
	    "\tx = -(5)\n"
	    "\tx = -5\n"
	    "\tx = a[b]\n"
	    "\tx = (a + b)[0]\n"
	    "\tx = (-5)[0]\n"
	    "\tx = !(a && b) || !c\n"
	    "\tx = √(2.0)\n"
	    "\tx = √(a + b)\n"
	    "\tx = √(a) + b\n"
	    "\tx = a | b & c\n"
	    "\tx = a - -1\n"
	    "\tx = a < b == c < d\n");
}
END_TEST

START_TEST(format__literals_stay_as_written)
{
	body_is("x=[1.50,2e5 , -0.0];x=\"a\\tb\n\";x=r#\"a\"b\"#;x='12'\n"
	    "x='/u v';x=true;x=None;x:[3]bool=[true ... ];x:[2]int8=[ ]",
	    "\tx = [1.50, 2e5, -0.0]\n"
	    "\tx = \"a\\tb\n\"\n"
	    "\tx = r#\"a\"b\"#\n"
	    "\tx = '12'\n"
	    "\tx = '/u v'\n"
	    "\tx = true\n"
	    "\tx = None\n"
	    "\tx:[3]bool = [true...]\n"
	    "\tx:[2]int8 = []\n");
}
END_TEST

START_TEST(format__blocks)
{
	body_is("a();if(a){b()}else  if(c){d()}\nelse{e()};g()\n"
	    "while(a){break};for(x:int8 in [1,2]){continue}\n"
	    "l:\n{h()};for(x in y){if(z){}}",
	    "\ta()\n"
	    "\n"
	    "\tif (a) {\n"
	    "\t\tb()\n"
	    "\t} else if (c) {\n"
	    "\t\td()\n"
	    "\t} else {\n"
	    "\t\te()\n"
	    "\t}\n"
	    "\n"
	    "\tg()\n"
	    "\twhile (a) {\n"
	    "\t\tbreak\n"
	    "\t}\n"
	    "\tfor (x:int8 in [1, 2]) {\n"
	    "\t\tcontinue\n"
	    "\t}\n"
	    "\n"
	    "\tl: {\n"
	    "\t\th()\n"
	    "\t}\n"
	    "\n"
	    "\tfor (x in y) {\n"
	    "\t\tif (z) {\n"
	    "\t\t}\n"
	    "\t}\n");
}
END_TEST

START_TEST(format__one_empty_line_is_kept)
{
	body_is("\n\n\na()\n\n\n\nb()\n// c\n\n\n// d\ne()\n\n\n",
	    "\ta()\n\n\tb()\n\t// c\n\n\t// d\n\te()\n");
}
END_TEST

START_TEST(format__comments_of_functions_and_libs)
{
	gives("// file\n\n// lib\nlib p { // open\n// alone\n\n"
	    "// doc\nrwfunc f(a:int64, // first\n b:int64 /* second */) -> ("
	    ") { // body\n // last\n} // end\n// bottom\n} // done\n// eof",
	    "// file\n"
	    "\n"
	    "// lib\n"
	    "lib p { // open\n"
	    "\t// alone\n"
	    "\n"
	    "\t// doc\n"
	    "\t// first\n"
	    "\t/* second */\n"
	    "\trwfunc f(a:int64, b:int64) -> () { // body\n"
	    "\t\t// last\n"
	    "\t} // end\n"
	    "\n"
	    "\t// bottom\n"
	    "} // done\n"
	    "\n"
	    "// eof\n");
}
END_TEST

START_TEST(format__comments_of_statements)
{
	body_is("\n// lead\na(/* in */) // trail  \n/* x */ b() /* y */; c() /"
	    "* z */\n// apart\nif (/* cond */ a) { // then\n} // mid\nelse /* "
	    "e */ { d() } // after\n",
	    "\t// lead\n"
	    "\ta() /* in */ // trail\n"
	    "\t/* x */\n"
	    "\tb() /* y */\n"
	    "\tc() /* z */\n"
	    "\n"
	    "\t// apart\n"
	    "\t/* cond */\n"
	    "\tif (a) { // then\n"
	    "\t} else {\n"
	    "\t\t// mid\n"
	    "\t\t/* e */\n"
	    "\t\td()\n"
	    "\t} // after\n");
}
END_TEST

START_TEST(format__refuses_errors)
{
	struct buf out = { 0 };

	ck_assert_int_eq(kv_format(kv_parse(&arena, "f.kv", str_of("x = ("),
	    &diag), &out, &diag), -1);
	ck_assert_uint_eq(out.n, 0);
	ck_assert_str_eq(diag.item[diag.n - 1].text,
	    "a file with errors is not formatted");
}
END_TEST

START_TEST(format__random_programs)
{
	struct buf text = { 0 };
	int seed;

	for (seed = _i * 200; seed < (_i + 1) * 200; seed++) {
		buf_clear(&text);
		random_program(&text, (uint64_t)seed);
		check_text(buf_str(&text));
		tear_down();
		set_up();
	}
	buf_release(&text);
}
END_TEST

static bool
is_refused(const char *path, struct str text)
{
	struct diag own;
	bool bad;

	diag_init(&own);
	bad = kv_vet(kv_parse(&arena, path, text, &own), &own) != 0;
	diag_release(&own);
	return bad;
}

/* Every .kv file of the tree but those that layout refuses. */
START_TEST(format__files)
{
	static const char *const folder[] = { "../lib", "../tutorial",
		"golden", "language", "messages",
		"ops", "../doc", "../bench" };
	struct str text;
	char **path;
	size_t i, j, n, files = 0, refused = 0;

	for (i = 0; i < sizeof(folder) / sizeof(folder[0]); i++) {
		const char *dir = tests_path(folder[i]);

		if (dir_walk(&arena, dir, ".kv", &path, &n))
			continue;
		for (j = 0; j < n; j++) {
			ck_assert_int_eq(file_read(&arena, path_join(&arena,
			    dir, path[j]), &text), 0);
			if (is_refused(path[j], text)) {
				refused++;
				continue;
			}
			check_text(text);
			files++;
		}
	}
	ck_assert_uint_ge(files, 120);
	ck_assert_uint_le(refused, 20);
}
END_TEST

Suite *
kv_format_suite(void)
{
	Suite *s = suite_create("kv_format");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, format__items);
	tcase_add_test(tc, format__instructions);
	tcase_add_test(tc, format__only_needed_parentheses);
	tcase_add_test(tc, format__literals_stay_as_written);
	tcase_add_test(tc, format__blocks);
	tcase_add_test(tc, format__one_empty_line_is_kept);
	tcase_add_test(tc, format__comments_of_functions_and_libs);
	tcase_add_test(tc, format__comments_of_statements);
	tcase_add_test(tc, format__refuses_errors);
	tcase_add_loop_test(tc, format__random_programs, 0, 10);
	tcase_add_test(tc, format__files);
	suite_add_tcase(s, tc);
	return s;
}
