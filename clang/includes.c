/* SPDX-License-Identifier: MIT */
#include "clang/includes.h"

#include <clang-c/Index.h>
#include <stdlib.h>
#include <string.h>

struct visit {
	clang_included *call;
	void *ctx;
};

static void
visit(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
	struct visit *v = data;
	CXString name;

	(void)stack;
	if (depth == 0)
		return;
	name = clang_getFileName(file);
	v->call(v->ctx, clang_getCString(name));
	clang_disposeString(name);
}

/* Parses with -working-directory, so that names are looked up in dir. */
static CXTranslationUnit
parse(CXIndex index, const char *dir, const char *name,
    const char *const *args, int nargs)
{
	const char **all = calloc((size_t)nargs + 2, sizeof(*all));
	CXTranslationUnit unit = NULL;

	if (!all)
		return NULL;
	all[0] = "-working-directory";
	all[1] = dir;
	if (nargs)
		memcpy(all + 2, args, (size_t)nargs * sizeof(*all));
	if (clang_parseTranslationUnit2(index, name, all, nargs + 2, NULL, 0,
		CXTranslationUnit_SkipFunctionBodies, &unit))
		unit = NULL;
	free(all);
	return unit;
}

int
includes_list(const char *dir, const char *name, const char *const *args,
    int nargs, clang_included *call, void *ctx)
{
	struct visit v = { call, ctx };
	CXIndex index = clang_createIndex(0, 0);
	CXTranslationUnit unit = parse(index, dir, name, args, nargs);

	if (unit) {
		clang_getInclusions(unit, visit, &v);
		clang_disposeTranslationUnit(unit);
	}
	clang_disposeIndex(index);
	return unit ? 0 : -1;
}
