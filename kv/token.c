/* SPDX-License-Identifier: MIT */
#include "kv/token.h"

#include <string.h>

#include "base/arena.h"

/* U+FEFF in UTF-8. */
#define MARK "\xef\xbb\xbf"

struct scan {
	struct arena *arena;
	struct diag *diag;
	const char *file;
	const char *p, *end, *line_start;
	int line;
	struct token *tok;
	size_t n, cap;
	struct comment **comment; /* where the next one is linked */
};

static const char *const names[] = {
#define TOKEN(kind, name) name,
#define KEYWORD(kind, name, spelling) name,
#include "kv/tokens.def"
#undef TOKEN
#undef KEYWORD
};

static const struct {
	enum token_kind kind;
	const char *text;
} keywords[] = {
#define TOKEN(kind, name)
#define KEYWORD(kind, name, spelling) { TOK_##kind, spelling },
#include "kv/tokens.def"
#undef TOKEN
#undef KEYWORD
};

/* Longer spellings first; what is not an operator ends identifiers too. */
static const struct {
	enum token_kind kind;
	const char *text;
} symbols[] = {
	{ TOK_ELLIPSIS, "..." },
	{ TOK_ARROW, "->" },
	{ TOK_OPERATOR, "==" }, { TOK_OPERATOR, "!=" },
	{ TOK_OPERATOR, "<=" }, { TOK_OPERATOR, ">=" },
	{ TOK_OPERATOR, "&&" }, { TOK_OPERATOR, "||" },
	{ TOK_OPERATOR, "<<" }, { TOK_OPERATOR, ">>" },
	{ TOK_ARROW, "=" },
	{ TOK_DOT, "·" },
	{ TOK_LPAREN, "(" }, { TOK_RPAREN, ")" },
	{ TOK_LBRACE, "{" }, { TOK_RBRACE, "}" },
	{ TOK_LBRACK, "[" }, { TOK_RBRACK, "]" },
	{ TOK_COMMA, "," }, { TOK_COLON, ":" },
	{ TOK_OPERATOR, "+" }, { TOK_OPERATOR, "-" }, { TOK_OPERATOR, "*" },
	{ TOK_OPERATOR, "%" }, { TOK_OPERATOR, "!" }, { TOK_OPERATOR, "<" },
	{ TOK_OPERATOR, ">" }, { TOK_OPERATOR, "&" }, { TOK_OPERATOR, "|" },
	{ TOK_OPERATOR, "^" },
	{ TOK_OPERATOR, "×" }, { TOK_OPERATOR, "÷" }, { TOK_OPERATOR, "√" },
	{ TOK_OPERATOR, "≠" }, { TOK_OPERATOR, "≤" }, { TOK_OPERATOR, "≥" },
};

enum { N_SYMBOLS = sizeof(symbols) / sizeof(symbols[0]) };

const char *
token_name(enum token_kind kind)
{
	return names[kind];
}

int32_t
utf8_next(struct str *rest)
{
	static const int32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)rest->p;
	int32_t c;
	size_t i, n;

	if (rest->n == 0)
		return -1;
	n = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	if (n > rest->n || p[0] > 0xf4 || (p[0] >= 0x80 && p[0] < 0xc2))
		return -1;
	c = n == 1 ? p[0] : p[0] & (0x7f >> n);
	for (i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return -1;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return -1;
	rest->p += n;
	rest->n -= n;
	return c;
}

static struct loc
loc_at(const struct scan *s, const char *p)
{
	return (struct loc){ s->file, s->line, (int)(p - s->line_start) + 1 };
}

static bool
at(const struct scan *s, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(s->end - s->p) >= n && memcmp(s->p, text, n) == 0;
}

static struct token *
push(struct scan *s, enum token_kind kind, const char *start)
{
	struct token *t;

	s->tok = arena_grow(s->arena, s->tok, s->n, &s->cap, sizeof(*s->tok));
	t = &s->tok[s->n++];
	t->kind = kind;
	t->text = (struct str){ start, (size_t)(s->p - start) };
	t->string = (struct str){ NULL, 0 };
	t->line = s->line;
	t->col = (int)(start - s->line_start) + 1;
	return t;
}

/* Counts a line end inside a token or between tokens. */
static void
step(struct scan *s)
{
	if (*s->p++ == '\n') {
		s->line++;
		s->line_start = s->p;
	}
}

static void
scan_separator(struct scan *s)
{
	const char *start = s->p++;

	if (s->n > 0 && s->tok[s->n - 1].kind != TOK_NEWLINE)
		push(s, TOK_NEWLINE, start);
	if (*start == '\n') {
		s->line++;
		s->line_start = s->p;
	}
}

static void
push_comment(struct scan *s, const char *start)
{
	struct comment *c;
	const char *end = s->p;

	if (!s->comment)
		return;
	while (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')
		end--;
	c = arena_alloc(s->arena, sizeof(*c));
	c->text = (struct str){ start, (size_t)(end - start) };
	*s->comment = c;
	s->comment = &c->next;
}

static void
scan_block_comment(struct scan *s)
{
	const char *start = s->p;
	struct loc loc = loc_at(s, s->p);
	int depth = 0;

	do {
		if (at(s, "/*")) {
			depth++;
			s->p += 2;
		} else if (at(s, "*/")) {
			depth--;
			s->p += 2;
		} else {
			step(s);
		}
	} while (depth > 0 && s->p < s->end);
	if (depth > 0)
		diag_error(s->diag, loc,
		    "unterminated comment: %d `*/` missing before the end of "
		    "the file", depth);
	push_comment(s, start);
}

/* The token is placed at the opening quote even when it spans lines. */
static void
push_string(struct scan *s, const struct scan *open, struct str content)
{
	struct token *t = push(s, TOK_STRING, open->p);

	t->line = open->line;
	t->col = (int)(open->p - open->line_start) + 1;
	t->string = content;
}

/* Writes the content of a string with its escapes resolved; out may not be
 * smaller than the source. */
static size_t
unescape(char *out, const char *p, const char *end)
{
	size_t n = 0;

	for (; p < end; p++) {
		if (*p != '\\' || p + 1 == end) {
			out[n++] = *p;
			continue;
		}
		p++;
		out[n++] = *p == 'n' ? '\n' : *p == 't' ? '\t' :
		    *p == 'r' ? '\r' : *p == '0' ? '\0' : *p;
	}
	return n;
}

/* "…" and '…' have the same escapes; the parser tells them apart. */
static void
scan_string(struct scan *s)
{
	const struct scan open = *s;
	const char *start = ++s->p, *end;
	char *out;

	for (; s->p < s->end && *s->p != *open.p; step(s))
		if (*s->p == '\\' && s->p + 1 < s->end)
			s->p++;
	end = s->p;
	if (s->p == s->end)
		diag_error(s->diag, loc_at(&open, open.p),
		    "unterminated string literal: expected a closing %c",
		    *open.p);
	else
		s->p++;
	out = arena_alloc(s->arena, (size_t)(end - start));
	push_string(s, &open, (struct str){ out, unescape(out, start, end) });
}

/* r"…", r#"…"#: no escapes; ends at a quote followed by as many '#'. */
static bool
scan_raw_string(struct scan *s)
{
	const struct scan open = *s;
	const char *p = s->p + 1, *start;
	size_t hashes = 0, i;

	while (p < s->end && *p == '#') {
		hashes++;
		p++;
	}
	if (p == s->end || *p != '"')
		return false;
	start = p + 1;
	for (s->p = start; s->p < s->end; step(s)) {
		if (*s->p != '"' || (size_t)(s->end - s->p) <= hashes)
			continue;
		for (i = 0; i < hashes && s->p[1 + i] == '#'; i++)
			;
		if (i == hashes)
			break;
	}
	p = s->p;
	if (p == s->end)
		diag_error(s->diag, loc_at(&open, open.p),
		    "unterminated string literal: expected a closing \" and "
		    "%zu #", hashes);
	else
		s->p += 1 + hashes;
	push_string(s, &open, (struct str){ start, (size_t)(p - start) });
	return true;
}

static bool
is_digit(const struct scan *s, const char *p)
{
	return p < s->end && *p >= '0' && *p <= '9';
}

static void
scan_number(struct scan *s)
{
	const char *start = s->p, *p = s->p;

	while (is_digit(s, p))
		p++;
	if (p < s->end && *p == '.' && is_digit(s, p + 1))
		for (p++; is_digit(s, p); p++)
			;
	if (p < s->end && (*p == 'e' || *p == 'E')) {
		const char *e = p + 1;

		if (e < s->end && (*e == '+' || *e == '-'))
			e++;
		if (is_digit(s, e))
			for (p = e; is_digit(s, p); p++)
				;
	}
	s->p = p;
	push(s, TOK_NUMBER, start);
}

static int
find_symbol(const struct scan *s)
{
	int i;

	for (i = 0; i < N_SYMBOLS; i++)
		if (at(s, symbols[i].text))
			return i;
	return -1;
}

/* Whether the byte at s->p can be part of an identifier. */
static bool
in_ident(const struct scan *s)
{
	return s->p < s->end && (unsigned char)*s->p > ' ' && *s->p != 0x7f &&
	    !strchr(";\"'#$\\`~", *s->p) && !at(s, "//") && !at(s, "/*") &&
	    find_symbol(s) < 0;
}

static void
scan_ident(struct scan *s)
{
	const char *start = s->p;
	struct token *t;
	size_t i;

	while (in_ident(s))
		s->p++;
	t = push(s, TOK_IDENT, start);
	if (str_starts(t->text, "‥"))
		diag_error(s->diag, loc_at(s, start),
		    "names that start with ‥ are reserved; choose another");
	/* Nobody sees it, and at the begin of a file it is no part of a name. */
	if (memmem(t->text.p, t->text.n, MARK, strlen(MARK)))
		diag_error(s->diag, loc_at(s, start),
		    "a byte order mark within the text; remove it");
	if (*start == '/') {
		t->kind = t->text.n > 1 ? TOK_PATH : TOK_OPERATOR;
		return;
	}
	for (i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (str_is(t->text, keywords[i].text))
			t->kind = keywords[i].kind;
}

static void
scan_line(struct scan *s)
{
	while (s->p < s->end && *s->p != '\n')
		s->p++;
}

static void
scan_line_comment(struct scan *s)
{
	const char *start = s->p;

	scan_line(s);
	push_comment(s, start);
}

static void
scan_bad_byte(struct scan *s)
{
	struct loc loc = loc_at(s, s->p);
	unsigned char c = (unsigned char)*s->p++;

	if (c == '#') {
		diag_error(s->diag, loc,
		    "unexpected character '#': a comment starts with //");
		scan_line(s);
	} else if (c > ' ' && c < 0x7f) {
		diag_error(s->diag, loc, "unexpected character '%c'", c);
	} else {
		diag_error(s->diag, loc, "unexpected byte 0x%02x", c);
	}
}

static void
scan_token(struct scan *s)
{
	const char *start = s->p;
	int i;

	if (*s->p == '\n' || *s->p == ';') {
		scan_separator(s);
	} else if (strchr(" \t\r", *s->p) && *s->p != '\0') {
		s->p++;
	} else if (at(s, "//")) {
		scan_line_comment(s);
	} else if (at(s, "/*")) {
		scan_block_comment(s);
	} else if (*s->p == '"' || *s->p == '\'') {
		scan_string(s);
	} else if (*s->p == 'r' && scan_raw_string(s)) {
		return;
	} else if ((i = find_symbol(s)) >= 0) {
		s->p += strlen(symbols[i].text);
		push(s, symbols[i].kind, start);
	} else if (is_digit(s, s->p)) {
		scan_number(s);
	} else if (in_ident(s)) {
		scan_ident(s);
	} else {
		scan_bad_byte(s);
	}
}

/* Everything later may rely on the text being UTF-8. */
static bool
check_utf8(struct scan *s, struct str rest)
{
	while (rest.n > 0) {
		s->p = rest.p;
		if (utf8_next(&rest) < 0) {
			diag_error(s->diag, loc_at(s, s->p), "byte 0x%02x is "
			    "not UTF-8; save the file as UTF-8",
			    (unsigned char)*s->p);
			return false;
		}
		if (*s->p == '\n') {
			s->line++;
			s->line_start = rest.p;
		}
	}
	return true;
}

struct token *
token_scan(struct arena *arena, const char *file, struct str text,
    struct diag *diag, size_t *n, struct comment **comments)
{
	struct scan s = { .arena = arena, .diag = diag, .file = file,
		.end = text.p + text.n, .line_start = text.p, .line = 1,
		.comment = comments };

	/* Some editors begin a file with a byte order mark. */
	if (str_starts(text, MARK))
		text.p += strlen(MARK);
	text.n = (size_t)(s.end - text.p);
	if (check_utf8(&s, text)) {
		s.p = s.line_start = text.p;
		s.line = 1;
		while (s.p < s.end)
			scan_token(&s);
	}
	push(&s, TOK_EOF, s.p = s.end)->text.n = 0;
	*n = s.n;
	return s.tok;
}
