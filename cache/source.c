/* SPDX-License-Identifier: MIT */
#include "cache/source.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "cache/conf.h"

/*
 * A file below an include folder, or the C file. includes: what it includes, in
 * order, once `scanned`. One that does not exist has `missing`.
 */
struct header {
	struct source_file file;
	struct header **includes;
	size_t n, cap;
	bool scanned, missing;
};

/* How far a text has been read. depth counts open #if; guard is the depth
 * that an include guard accounts for. */
struct scan {
	struct source *src;
	struct header *header;
	struct loc loc;
	bool in_comment;
	int depth, guard, directives, joined;
	struct diag *diag;
};

static int follow(struct source *, struct header *, struct diag *);

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

/* Looks in one folder: root is an include folder, below a folder in it. NULL
 * when the header is not there. */
static struct header *
find_in(struct headers *all, size_t root, const char *below, const char *name)
{
	const char *rel = *below ? path_join(all->arena, below, name) : name;
	char *key = arena_printf(all->arena, "%zu/%s", root, rel);
	struct header *h = map_get(&all->known, key);

	if (!h) {
		h = arena_alloc(all->arena, sizeof(*h));
		*h = (struct header){ .file = { .name = key,
			.path = path_join(all->arena,
			    all->include->path[root], rel) } };
		h->missing = file_read(all->arena, h->file.path,
		    &h->file.text) != 0;
		map_set(&all->known, key, h);
	}
	return h->missing ? NULL : h;
}

/* As the compiler looks it up: first beside the including header. */
static struct header *
find_header(struct scan *s, const char *name)
{
	struct headers *all = s->src->headers;
	struct str rest = str_of(s->header->file.name), root;
	unsigned long long n;
	const char *slash;
	struct header *h;

	if (str_next(&rest, '/', &root) && str_u64(root, &n)) {
		slash = strrchr(rest.p, '/');
		h = find_in(all, n, slash ? arena_strndup(all->arena, rest.p,
		    (size_t)(slash - rest.p)) : "", name);
		if (h)
			return h;
	}
	for (size_t i = 0; i < all->include->n; i++) {
		h = find_in(all, i, "", name);
		if (h)
			return h;
	}
	return NULL;
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
	struct headers *all = s->src->headers;
	char *name = arena_strndup(all->arena, quoted.p, quoted.n);
	struct header *from = s->header, *h;

	if (conditional && !all->hand)
		return diag_error(s->diag, s->loc,
		    "#include inside #if: expected all includes to be "
		    "unconditional");
	if (quoted.n == 0 || has_dot_part(quoted))
		return diag_error(s->diag, s->loc,
		    "expected a name below an include folder without '.' or "
		    "'..' parts, found \"%s\"",
		    name);
	h = find_header(s, name);
	if (h) {
		from->includes = arena_grow(all->arena, from->includes,
		    from->n, &from->cap, sizeof(*from->includes));
		from->includes[from->n++] = h;
		return follow(s->src, h, s->diag);
	}
	if (conditional)
		return 0;
	return diag_error(s->diag, s->loc,
	    "\"%s\" is in none of the %zu include folders of kvobj.conf", name,
	    all->include->n);
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

/* Follows what a header includes; reading its text finds that the first time.
 * A header that was refused is read again for the next source, to say so. */
static int
follow_includes(struct source *src, struct header *h, struct diag *d)
{
	struct scan s = { .src = src, .header = h, .diag = d,
		.loc = { h->file.path, 0, 0 } };
	int r = 0;

	if (!h->scanned) {
		h->n = 0;
		r = scan_text(&s, h->file.text);
		h->scanned = r == 0;
		return r;
	}
	for (size_t i = 0; i < h->n && r == 0; i++)
		r = follow(src, h->includes[i], d);
	return r;
}

static int
follow(struct source *src, struct header *h, struct diag *d)
{
	struct str text = h->file.text;

	for (size_t i = 0; i < src->n; i++) {
		if (strcmp(src->file[i].name, h->file.name) == 0)
			return 0;
	}
	if (memchr(text.p, '\0', text.n))
		return diag_error(d, (struct loc){ h->file.path, 0, 0 },
		    "a NUL byte in the source");
	src->file = arena_grow(
	    src->arena, src->file, src->n, &src->cap, sizeof(*src->file));
	src->file[src->n++] = h->file;
	return follow_includes(src, h, d);
}

void
headers_init(struct headers *all, struct arena *a,
    const struct paths *include, bool hand)
{
	*all = (struct headers){
		.arena = a, .include = include, .hand = hand
	};
	map_init(&all->known, a);
}

int
source_read(struct source *src, struct arena *a, struct headers *all,
    const char *path, struct diag *d)
{
	struct header c = { .file = { "kernel.c", arena_strdup(a, path),
		{ 0 } } };

	*src = (struct source){ .arena = a, .headers = all };
	if (file_read(a, path, &c.file.text))
		return diag_error(d, (struct loc){ path, 0, 0 },
		    "cannot read the source: %s", strerror(errno));
	return follow(src, &c, d);
}
