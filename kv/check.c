/* SPDX-License-Identifier: MIT */
#include "kv/ast.h"

#include <string.h>

#include "base/arena.h"

/* Words of the language's own ops: a function without a package may not take
 * such a name. */
static const char *const builtins[] = {
	"add", "sub", "mul", "div", "mod", "neg", "abs", "sign", "sqrt", "exp",
	"log", "pow", "max", "min", "eq", "neq", "lt", "gt", "le", "ge", "and",
	"or", "not", "bitand", "bitor", "bitxor", "shl", "shr", "array", "map",
	"print", "println", "cerr", "input", "return", "call", "goto", "br",
};

struct check {
	struct arena arena;
	struct diag *diag;
	struct map funcs;      /* qualified name -> struct kv_func */
	const struct kv_func *f;
	struct map reads;      /* read parameters: name -> struct kv_slot */
	struct map known;      /* every name that has a value or a type */
	bool whole;            /* the parser dropped no statement */
};

static bool
is_one_of(const char *word, const char *const *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(word, list[i]) == 0)
			return true;
	return false;
}

/* The ops that only have an effect. */
static bool
is_print(const char *callee)
{
	static const char *const list[] = { "print", "println", "cerr" };

	return is_one_of(callee, list, sizeof(list) / sizeof(list[0]));
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	    (unsigned char)c >= 0x80;
}

/* A name of a parameter, variable or function. */
static bool
check_name(struct check *c, struct loc loc, const char *name)
{
	if (!is_letter(name[0]))
		diag_error(c->diag, loc, "\"%s\" is no name: it must begin "
		    "with a letter or '_'", name);
	else if (strchr(name, '/'))
		diag_error(c->diag, loc, "\"%s\" is no name: '/' only occurs "
		    "in the names of libs; write a division as "
		    "deepx·div(x, y)", name);
	else if (strpbrk(name, "?@"))
		diag_error(c->diag, loc, "\"%s\" is no name: '%c' cannot be "
		    "in it", name, *strpbrk(name, "?@"));
	else
		return true;
	return false;
}

static void
check_variable(struct check *c, const struct kv_slot *slot)
{
	const char *name = slot->name;

	if (check_name(c, slot->loc, name) && name[0] == '_' &&
	    name[1] >= '0' && name[1] <= '9')
		diag_error(c->diag, slot->loc, "\"%s\" is the form of the "
		    "compiler's own temporaries; choose another name", name);
}

/* The end of a name after its last '.', when that is reserved. */
static void
check_suffix(struct check *c)
{
	const char *dot = strrchr(c->f->name, '.');
	unsigned long long n;

	if (!dot)
		return;
	if (strcmp(dot, ".src") == 0)
		diag_error(c->diag, c->f->loc, "a function name cannot end "
		    "in .src: the source of \"%.*s\" is kept there",
		    (int)(dot - c->f->name), c->f->name);
	else if (str_u64(str_of(dot + 1), &n))
		diag_warn(c->diag, c->f->loc, "function \"%s\" has the form "
		    "of version %llu of \"%.*s\"; choose another name",
		    c->f->name, n, (int)(dot - c->f->name), c->f->name);
}

static void
check_pkg(struct check *c)
{
	struct str rest = str_of(c->f->pkg), part;

	while (str_next(&rest, '/', &part))
		if (part.n == 0 || !is_letter(part.p[0]))
			diag_error(c->diag, c->f->loc, "\"%s\" is no lib "
			    "name: each part between '/' must begin with a "
			    "letter", c->f->pkg);
}

/* True when a message was given because the type is one that only this
 * version of the language lacks. */
static bool
type_unsupported(struct check *c, struct loc loc, const char *type)
{
	if (*type == '*' || *type == '@')
		diag_error(c->diag, loc, "address types are not supported "
		    "yet; write the value type %s", type + 1);
	else if (strstr(type, "·"))
		diag_error(c->diag, loc, "map types are not supported yet; "
		    "write an array type such as []float64");
	else if (*type == '/')
		diag_error(c->diag, loc, "struct types are not supported "
		    "yet; write one parameter for each member");
	else
		return false;
	return true;
}

static void
check_param(struct check *c, const struct kv_slot *slot, bool read)
{
	const char *f = c->f->qualified;

	check_variable(c, slot);
	if (!slot->type)
		diag_error(c->diag, slot->loc, "func %s: %s \"%s\" has no "
		    "type annotation — every parameter must declare its "
		    "type, e.g. %s:int64", f, read ? "param" : "return value",
		    slot->name, slot->name);
	else if (!kv_langtype_valid(str_of(slot->type)) &&
	    !type_unsupported(c, slot->type_loc, slot->type))
		diag_error(c->diag, slot->type_loc, "func %s: param \"%s\": "
		    "unknown type — valid: bool, int8 … int64, uint8 … "
		    "uint64, float32, float64, char/utf8, any, with [dims] "
		    "before and | between (got \"%s\")", f, slot->name,
		    slot->type);
	if (!slot->variadic)
		return;
	if (!read)
		diag_error(c->diag, slot->loc, "func %s: write-param \"%s\" "
		    "cannot be variadic", f, slot->name);
	else if (slot->next)
		diag_error(c->diag, slot->loc, "func %s: variadic param "
		    "\"%s\" must be the last read-param", f, slot->name);
	else if (c->f->kind == KV_RWFUNC)
		diag_error(c->diag, slot->loc, "func %s: a variadic param of "
		    "a rwfunc is not supported yet; write each param",
		    f);
}

/* Both lists of parameters; fills the maps of names. */
static void
check_params(struct check *c)
{
	struct map writes;
	struct kv_slot *s;

	map_init(&writes, &c->arena);
	for (s = c->f->reads; s; s = s->next) {
		check_param(c, s, true);
		if (map_get(&c->reads, s->name))
			diag_error(c->diag, s->loc, "func %s: duplicate param "
			    "\"%s\" in read-params", c->f->qualified, s->name);
		map_set(&c->reads, s->name, s);
		map_set(&c->known, s->name, s);
	}
	for (s = c->f->writes; s; s = s->next) {
		check_param(c, s, false);
		if (map_get(&writes, s->name))
			diag_error(c->diag, s->loc, "func %s: duplicate param "
			    "\"%s\" in write-params", c->f->qualified,
			    s->name);
		if (map_get(&c->reads, s->name))
			diag_error(c->diag, s->loc, "func %s: param \"%s\" "
			    "appears in both read-params and write-params — "
			    "rename one", c->f->qualified, s->name);
		map_set(&writes, s->name, s);
		map_set(&c->known, s->name, s);
	}
}

/* What a call in the function at hand means, if this file declares it: first
 * the function's own package, then the name as it is. */
static const struct kv_func *
find_callee(struct check *c, const char *callee)
{
	const struct kv_func *f = NULL;

	if (!strstr(callee, "·") && *c->f->pkg)
		f = map_get(&c->funcs, arena_printf(&c->arena, "%s·%s",
		    c->f->pkg, callee));
	return f ? f : map_get(&c->funcs, callee);
}

static bool
is_variadic(const struct kv_func *f)
{
	const struct kv_slot *s;

	for (s = f->reads; s; s = s->next)
		if (s->variadic)
			return true;
	return false;
}

static void
check_call(struct check *c, const struct kv_expr *e, size_t nwrites)
{
	const struct kv_func *f = find_callee(c, e->text);
	size_t least;

	if (!f && is_print(e->text) && nwrites > 0)
		diag_error(c->diag, e->loc, "%s has no result; write it as a "
		    "statement of its own", e->text);
	if (!f)
		return;
	least = f->nreads - is_variadic(f);
	if (e->nargs < least || (e->nargs > least && !is_variadic(f)))
		diag_error(c->diag, e->loc, "%s expects %zu reads, got %zu",
		    f->qualified, least, e->nargs);
	if (nwrites > 0 && nwrites != f->nwrites)
		diag_error(c->diag, e->loc, "%s expects %zu writes, got %zu",
		    f->qualified, f->nwrites, nwrites);
}

static void
check_name_read(struct check *c, const struct kv_expr *e)
{
	const struct kv_slot slot = { .name = e->text, .loc = e->loc };

	check_variable(c, &slot);
	if (map_get(&c->known, e->text))
		return;
	if (c->whole)
		diag_warn(c->diag, e->loc, "\"%s\" is read but was never "
		    "assigned", e->text);
	map_set(&c->known, e->text, c);
}

/* nwrites: how many results the place of the expression takes. */
static void
check_expr(struct check *c, const struct kv_expr *e, size_t nwrites)
{
	const struct kv_expr *arg;

	if (e->kind == KV_NAME)
		check_name_read(c, e);
	if (e->kind != KV_CALL)
		return;
	for (arg = e->args; arg; arg = arg->next)
		check_expr(c, arg, 1);
	check_call(c, e, nwrites);
}

static void
check_write_type(struct check *c, const struct kv_slot *slot)
{
	static const char *const vague[] = { "int", "float", "uint", "num" };
	const char *t = slot->type;

	if (!t || kv_langtype_valid(str_of(t)) ||
	    type_unsupported(c, slot->type_loc, t))
		return;
	if (is_one_of(t, vague, sizeof(vague) / sizeof(vague[0])))
		diag_error(c->diag, slot->type_loc, "ambiguous type \"%s\" in "
		    "write slot — use int64 or float64 instead", t);
	else
		diag_error(c->diag, slot->type_loc, "write \"%s\": unknown "
		    "type \"%s\"", slot->name, t);
}

static void
check_write(struct check *c, const struct kv_stmt *stmt, struct kv_slot *slot)
{
	const struct kv_slot *s;

	check_variable(c, slot);
	check_write_type(c, slot);
	if (map_get(&c->reads, slot->name))
		diag_error(c->diag, slot->loc, "func %s: read param \"%s\" "
		    "cannot be used as write slot (read params are "
		    "read-only)", c->f->qualified, slot->name);
	for (s = stmt->writes; s != slot; s = s->next)
		if (strcmp(s->name, slot->name) == 0 &&
		    strcmp(s->name, "_") != 0)
			diag_error(c->diag, slot->loc, "\"%s\" is written "
			    "twice by one instruction; write _ to discard a "
			    "result", s->name);
	map_set(&c->known, slot->name, slot);
}

static void
check_stmt(struct check *c, const struct kv_stmt *stmt)
{
	struct kv_slot *s;

	if (stmt->expr)
		check_expr(c, stmt->expr, stmt->nwrites);
	if (stmt->expr && stmt->nwrites == 0 && stmt->expr->kind != KV_CALL)
		diag_error(c->diag, stmt->loc, "this does nothing: expected a "
		    "call, `value -> name`, `name = value` or `name:type`");
	for (s = stmt->writes; s; s = s->next)
		check_write(c, stmt, s);
	if (stmt->kind == KV_RETURN && stmt->next)
		diag_error(c->diag, stmt->next->loc, "statements after return "
		    "are never executed; remove them");
}

static void
check_func_name(struct check *c)
{
	const struct kv_func *f = c->f;

	if (check_name(c, f->loc, f->name))
		check_suffix(c);
	check_pkg(c);
	if (*f->pkg || f->kind == KV_INIT)
		return;
	diag_info(c->diag, f->loc, "rwfunc outside lib block — registering "
	    "under /lib/%s; consider wrapping in 'lib pkgname { }'", f->name);
	if (is_one_of(f->name, builtins,
	    sizeof(builtins) / sizeof(builtins[0])))
		diag_error(c->diag, f->loc, "function \"%s\" shadows builtin "
		    "\"%s\" — wrap in 'lib pkg { }' or rename", f->name,
		    f->name);
}

static void
check_func(struct check *c)
{
	enum { MAX_PARAMS = 1000 };
	const struct kv_stmt *stmt;

	map_init(&c->reads, &c->arena);
	map_init(&c->known, &c->arena);
	check_func_name(c);
	if (c->f->nreads > MAX_PARAMS || c->f->nwrites > MAX_PARAMS)
		diag_error(c->diag, c->f->loc, "func %s: more than %d "
		    "parameters", c->f->qualified, MAX_PARAMS);
	check_params(c);
	for (stmt = c->f->body; stmt; stmt = stmt->next)
		check_stmt(c, stmt);
}

static void
collect_funcs(struct check *c, const struct kv_file *file)
{
	const struct kv_func *first;
	struct kv_func *f;

	for (f = file->funcs; f; f = f->next) {
		first = map_get(&c->funcs, f->qualified);
		if (first)
			diag_error(c->diag, f->loc, "\"%s\" is declared twice; "
			    "the first is in line %d", f->qualified,
			    first->loc.line);
		else
			map_set(&c->funcs, f->qualified, f);
	}
}

void
kv_check(const struct kv_file *file, struct diag *diag)
{
	struct check c = { .diag = diag, .whole = file->errors == 0 };

	arena_init(&c.arena);
	map_init(&c.funcs, &c.arena);
	if (!file->funcs && file->errors == 0)
		diag_error(diag, (struct loc){ file->name, 0, 0 },
		    "no executable code found: expected a lib, a rwfunc or a "
		    "statement");
	collect_funcs(&c, file);
	for (c.f = file->funcs; c.f; c.f = c.f->next)
		check_func(&c);
	arena_release(&c.arena);
}
