/* SPDX-License-Identifier: MIT */
#include "cache/source.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "cache/conf.h"

/* How far a text has been read. depth counts open #if; guard is the depth
 * that an include guard accounts for. */
struct scan {
	struct source *src;
	struct source_file file;
	struct loc loc;
	bool in_comment;
	int depth, guard, directives, joined;
	struct diag *diag;
};

static int follow(struct source *, const char *name, const char *path,
    struct str text, struct diag *);

/*
 * Handles the text at p, which is not the end of a logical line: appends what
 * is no comment to out and returns the number of bytes taken. *quote is the
 * open quotation mark, '\n' in a comment up to the end of the line, or 0.
 */
static size_t
take_char(struct scan *s, const char *p, const char *end, char *quote,
    struct buf *out)
{
	bool pair = end - p > 1;

	if (s->in_comment) {
		s->in_comment = !(pair && p[0] == '*' && p[1] == '/');
		if (!s->in_comment)
			buf_putc(out, ' ');
		return s->in_comment ? 1 : 2;
	}
	if (*quote == '\n')
		return 1;
	if (!*quote && pair && p[0] == '/' && p[1] == '*') {
		s->in_comment = true;
		return 2;
	}
	if (!*quote && pair && p[0] == '/' && p[1] == '/') {
		*quote = '\n';
		return 2;
	}
	if (*quote && pair && p[0] == '\\') {
		buf_put(out, p, 2);
		return 2;
	}
	if (*quote)
		*quote = *quote == *p ? '\0' : *quote;
	else if (*p == '"' || *p == '\'')
		*quote = *p;
	buf_putc(out, *p);
	return 1;
}

/*
 * The next logical line without comments, lines ended by a backslash joined,
 * in out. Literals are kept, so that comment marks in them mean nothing.
 */
static bool
next_line(struct scan *s, struct str *rest, struct buf *out)
{
	const char *p = rest->p, *end = p + rest->n;
	char quote = 0;

	if (p == end)
		return false;
	buf_clear(out);
	s->loc.line += 1 + s->joined;
	s->joined = 0;
	while (p < end && *p != '\n') {
		if (*p == '\\' && end - p > 1 && p[1] == '\n') {
			s->joined++;
			p += 2;
		} else {
			p += take_char(s, p, end, &quote, out);
		}
	}
	if (p < end)
		p++;
	*rest = (struct str){ p, (size_t)(end - p) };
	return true;
}

static bool
is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Takes an identifier after blanks; an empty one when there is none. */
static struct str
take_word(const char **p)
{
	const char *start;

	while (**p == ' ' || **p == '\t')
		++*p;
	for (start = *p; is_word_char(**p);)
		++*p;
	return (struct str){ start, (size_t)(*p - start) };
}

/* What makes a compile depend on more than the texts. */
static int
check_words(struct scan *s, const char *line)
{
	static const char *const bad[] = { "__DATE__", "__TIME__",
		"__TIMESTAMP__", "__has_include", "__has_include_next",
		"__has_embed", "incbin" };
	size_t i, n;
	const char *p;

	/* All begin so, but for the last. */
	if (!strstr(line, "__") && !strstr(line, "incbin"))
		return 0;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		p = strstr(line, bad[i]);
		n = strlen(bad[i]);
		if (p && !is_word_char(p[n]) &&
		    (p == line || !is_word_char(p[-1])))
			return diag_error(s->diag, s->loc,
			    "'%s' makes the object depend on more than its "
			    "source text; remove it",
			    bad[i]);
	}
	return 0;
}

/* Tries one folder: root is an include folder, below a folder in it. */
static bool
try_file(struct source *src, size_t root, const char *below,
    const char *name, struct source_file *f)
{
	char *rel = *below ? path_join(src->arena, below, name)
			   : arena_strdup(src->arena, name);

	f->path = path_join(src->arena, src->include->path[root], rel);
	f->name = arena_printf(src->arena, "%zu/%s", root, rel);
	return file_read(src->arena, f->path, &f->text) == 0;
}

/* As the compiler looks it up: first beside the including header. */
static bool
find_file(struct scan *s, const char *name, struct source_file *f)
{
	struct source *src = s->src;
	struct str rest = str_of(s->file.name), root;
	unsigned long long n;
	const char *below, *slash;
	size_t i;

	if (str_next(&rest, '/', &root) && str_u64(root, &n)) {
		below = rest.p;
		slash = strrchr(below, '/');
		if (try_file(src, n,
			slash ? arena_strndup(src->arena, below,
				    (size_t)(slash - below))
			      : "",
			name, f))
			return true;
	}
	for (i = 0; i < src->include->n; i++) {
		if (try_file(src, i, "", name, f))
			return true;
	}
	return false;
}

static bool
has_dot_part(struct str name)
{
	struct str part;

	while (str_next(&name, '/', &part)) {
		if (part.n == 0 || str_is(part, ".") || str_is(part, ".."))
			return true;
	}
	return false;
}

static int
include_name(struct scan *s, struct str quoted)
{
	bool conditional = s->depth > s->guard;
	char *name = arena_strndup(s->src->arena, quoted.p, quoted.n);
	struct source_file f;

	if (conditional && !s->src->hand)
		return diag_error(s->diag, s->loc,
		    "#include inside #if: expected all includes to be "
		    "unconditional");
	if (quoted.n == 0 || has_dot_part(quoted))
		return diag_error(s->diag, s->loc,
		    "expected a name below an include folder without '.' or "
		    "'..' parts, found \"%s\"",
		    name);
	if (find_file(s, name, &f))
		return follow(s->src, f.name, f.path, f.text, s->diag);
	if (conditional)
		return 0;
	return diag_error(s->diag, s->loc,
	    "\"%s\" is in none of the %zu include folders of kvobj.conf", name,
	    s->src->include->n);
}

static int
include(struct scan *s, const char *p)
{
	const char *end;

	while (*p == ' ' || *p == '\t')
		p++;
	if (*p == '<')
		return diag_error(s->diag, s->loc,
		    "a kernel includes no system header; expected #include "
		    "\"…\"");
	end = *p == '"' ? strchr(p + 1, '"') : NULL;
	if (!end)
		return diag_error(s->diag, s->loc,
		    "expected a literal name, #include \"…\"");
	return include_name(
	    s, (struct str){ p + 1, (size_t)(end - p - 1) });
}

/* An include guard is #ifndef X and #define X as the first two directives. */
static void
see_guard(struct scan *s, struct str word)
{
	s->directives++;
	if (s->directives == 1 && str_is(word, "ifndef"))
		s->guard = 1;
	else if (s->directives == 2 && !str_is(word, "define"))
		s->guard = 0;
}

static int
directive(struct scan *s, const char *p)
{
	struct str word = take_word(&p);

	see_guard(s, word);
	if (str_is(word, "if") || str_is(word, "ifdef") ||
	    str_is(word, "ifndef"))
		s->depth++;
	else if (str_is(word, "endif"))
		s->depth--;
	else if (str_is(word, "else") || str_is(word, "elif") ||
	    str_is(word, "elifdef") || str_is(word, "elifndef"))
		s->guard = s->depth == 1 ? 0 : s->guard;
	else if (str_is(word, "include"))
		return include(s, p);
	else if (str_is(word, "include_next") || str_is(word, "import") ||
	    str_is(word, "embed"))
		return diag_error(s->diag, s->loc,
		    "#%.*s is not followed; expected #include \"…\"",
		    (int)word.n, word.p);
	return 0;
}

static int
scan_text(struct scan *s, struct str text)
{
	struct buf line = { 0 };
	const char *p;
	int r = 0;

	while (r == 0 && next_line(s, &text, &line)) {
		if (!line.p)
			continue;
		r = check_words(s, line.p);
		p = line.p + strspn(line.p, " \t\f\v");
		if (r == 0 && *p == '#')
			r = directive(s, p + 1);
		else if (r == 0 && p[0] == '%' && p[1] == ':')
			r = directive(s, p + 2);
	}
	buf_release(&line);
	return r;
}

static int
follow(struct source *src, const char *name, const char *path,
    struct str text, struct diag *d)
{
	struct scan s = { .src = src, .loc = { path, 0, 0 }, .diag = d };
	size_t i;

	for (i = 0; i < src->n; i++) {
		if (strcmp(src->file[i].name, name) == 0)
			return 0;
	}
	s.file = (struct source_file){ name, path, text };
	if (memchr(text.p, '\0', text.n))
		return diag_error(d, s.loc, "a NUL byte in the source");
	src->file = arena_grow(
	    src->arena, src->file, src->n, &src->cap, sizeof(*src->file));
	src->file[src->n++] = s.file;
	return scan_text(&s, text);
}

int
source_read(struct source *src, struct arena *a, const char *path,
    const struct paths *include_dirs, bool hand, struct diag *d)
{
	struct str text;

	*src = (struct source){
		.arena = a, .include = include_dirs, .hand = hand
	};
	if (file_read(a, path, &text))
		return diag_error(d, (struct loc){ path, 0, 0 },
		    "cannot read the source: %s", strerror(errno));
	return follow(src, "kernel.c", arena_strdup(a, path), text, d);
}
