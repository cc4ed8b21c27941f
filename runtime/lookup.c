/* SPDX-License-Identifier: MIT */
#include "runtime/lookup.h"

#include <string.h>

#include "kv/native.h"
#include "kv/near.h"
#include "runtime/native.h"

static const struct value *
lib_get(struct runtime *rt, const char *name, const char *suffix)
{
	struct buf key = { 0 };
	const struct value *v;

	buf_printf(&key, "/lib/%s%s", name, suffix);
	v = library_get(&rt->lib, key.p);
	buf_release(&key);
	return v;
}

bool
lookup_abstract(struct runtime *rt, const char *name)
{
	const struct value *v = lib_get(rt, name, "/‥abstract");

	return v && v->dtype == DT_BOOL && v->n == 1 &&
	    *(const uint8_t *)v->body;
}

static int
unbound(const struct func *f, const char *name, char *why)
{
	snprintf(why, BIND_WHY, "UnboundOpError: %.100s: abstract op has no "
	    "bound back end; run the compiler "
	    "(抽象算子未绑定后端，需先经编译器): `kvaot run %.120s`",
	    name, f->loc.file ? f->loc.file : "FILE");
	return -1;
}

/* Offers what can be called, functions of the caller's package also by their
 * bare names. */
static void
near_names(struct runtime *rt, struct str pkg, struct near *near)
{
	static const char end[] = "/[0,0]";
	const struct value *v;
	struct str in, last;
	const char *key;
	size_t it = 0, i, n;
	char *name;

	for (i = 0; i < kv_native_count; i++)
		near_try(near, kv_natives[i].name);
	while ((key = space_next(library_space(&rt->lib), "/lib/", &it, &v))) {
		n = strlen(key);
		if (strcmp(v->langtype, "rwfunc") == 0 && n > sizeof(end) &&
		    strcmp(key + n - strlen(end), end) == 0)
			n -= strlen(end);
		else if (strcmp(v->langtype, "def rwir") != 0)
			continue;
		name = arena_strndup(&rt->arena, key + 5, n - 5);
		name_split(name, &in, &last);
		near_try(near, name);
		if (pkg.n > 0 && str_eq(in, pkg))
			near_try(near, last.p);
	}
}

void
lookup_not_found(struct runtime *rt, struct str pkg, const char *name,
    char why[BIND_WHY])
{
	struct near near = { .word = name };

	near_names(rt, pkg, &near);
	snprintf(why, BIND_WHY, "NameError: rwfunc not found: %.150s%s%.150s%s",
	    name, near.best ? "; did you mean " : "",
	    near.best ? near.best : "", near.best ? "?" : "");
}

static int
unknown(struct runtime *rt, const struct func *f, const char *name, char *why)
{
	const struct value *v = lib_get(rt, name, "");
	struct str pkg, last;

	name_split(f->name, &pkg, &last);
	if (!v)
		v = lib_get(rt, name, "/[0,0]");
	if (!v)
		lookup_not_found(rt, pkg, name, why);
	else if (strcmp(v->langtype, "def rwir") == 0)
		snprintf(why, BIND_WHY, "NameError: rwir 未注册/签名不匹配: "
		    "%.200s (the library holds no kernel of it)", name);
	else
		snprintf(why, BIND_WHY, "NameError: %.200s 不是 rwfunc "
		    "(kind=%.60s)", name, v->langtype);
	return -1;
}

/* Remembers which variables the guards of an op's rows ask for. */
static void
find_guards(struct runtime *rt, const struct func *f, struct insn *in)
{
	const struct lib_op *op = in->op;
	size_t i, cap = 0;
	int k, side, slot;

	for (i = 0; i < op->n; i++) {
		for (k = 0; k < 2 * op->row[i].nguard; k++) {
			const struct guard *g = &op->row[i].guard[k / 2];
			const char *name = k % 2 ? g->b : g->a;

			slot = name ? func_slot(f, name) : -1;
			for (side = 0; side < in->nguard; side++) {
				if (in->guard[side] == slot)
					slot = -1;
			}
			if (slot < 0)
				continue;
			in->guard = arena_grow(&rt->arena, in->guard,
			    (size_t)in->nguard, &cap, sizeof(*in->guard));
			in->guard[in->nguard++] = slot;
		}
	}
}

/* The opcode as it is, or as a member of the caller's package. */
static int
find_name(struct runtime *rt, const struct func *f, struct insn *in,
    const char *name, char *why)
{
	if (lookup_abstract(rt, name))
		return unbound(f, name, why);
	in->op = library_op(&rt->lib, name);
	if (in->op) {
		in->kind = INSN_RWIR;
		find_guards(rt, f, in);
		return 0;
	}
	if (funcs_has(&rt->funcs, name)) {
		in->kind = INSN_CALL;
		in->name = name;
	}
	return 0;
}

static int
find_called(struct runtime *rt, const struct func *f, struct insn *in,
    char *why)
{
	const char *name = in->opcode;
	struct str pkg, last;

	if (strncmp(name, "/lib/", 5) == 0)
		name += 5;
	name_split(name, &pkg, &last);
	if (pkg.n == 0) {
		name_split(f->name, &pkg, &last);
		if (pkg.n > 0 && (find_name(rt, f, in, arena_printf(&rt->arena,
		    "%.*s·%s", (int)pkg.n, pkg.p, name), why) || in->kind))
			return in->kind ? 0 : -1;
	}
	if (find_name(rt, f, in, name, why))
		return -1;
	return in->kind ? 0 : unknown(rt, f, name, why);
}

int
lookup_insn(struct runtime *rt, const struct func *f, struct insn *in,
    char why[BIND_WHY])
{
	if (in->kind)
		return 0;
	if (strcmp(in->opcode, "return") == 0) {
		in->kind = INSN_RETURN;
		return 0;
	}
	if (strcmp(in->opcode, "=") == 0) {
		if (in->nread != 1) {
			snprintf(why, BIND_WHY, "RuntimeError: = expects 1 "
			    "read, got %d", in->nread);
			return -1;
		}
		in->kind = INSN_ASSIGN;
		return 0;
	}
	in->native = native_find(in->opcode);
	if (in->native) {
		in->kind = INSN_NATIVE;
		return 0;
	}
	return find_called(rt, f, in, why);
}

const struct value *
lookup_var(void *ctx, const char *name)
{
	const struct lookup_vars *vars = ctx;
	int slot = func_slot(vars->f, name);

	return slot < 0 ? NULL : vars->value[slot];
}
