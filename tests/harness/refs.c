/* SPDX-License-Identifier: MIT */
#include "tests/harness/refs.h"

#include <dlfcn.h>
#include <string.h>

#include "base/fatal.h"
#include "base/file.h"

void
refs_load(struct refs *refs, const char *dir)
{
	struct arena *a = &refs->arena;
	char **names;
	size_t n;

	if (dir_list(a, dir, ".so", &names, &n))
		fatal("cannot read %s", dir);
	for (size_t i = 0; i < n; i++) {
		char *path = path_join(a, dir, names[i]);
		void *dl = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		const struct kvk_table *t = dl ? dlsym(dl, "kvk_table") : NULL;

		if (!t || t->abi != KVK_ABI ||
		    t->entry_size != sizeof *t->entry)
			fatal("%s: expected a kernel object of ABI %d: %s",
			    path, KVK_ABI, dl ? "no such table" : dlerror());
		for (uint32_t k = 0; k < t->n; k++) {
			refs->entry = arena_grow(a, refs->entry, refs->n,
			    &refs->cap, sizeof *refs->entry);
			refs->entry[refs->n++] = &t->entry[k];
		}
	}
}

void
refs_release(struct refs *refs)
{
	arena_release(&refs->arena);
}

const struct kvk_entry *
refs_find(const struct refs *refs, const struct op *op, enum dtype t,
    enum dtype named)
{
	for (size_t i = 0; i < refs->n; i++)
		if (op_find(refs->entry[i]->opcode) == op &&
		    strcmp(refs->entry[i]->dtype, dtype_name(t)) == 0 &&
		    op_entry_named(op, refs->entry[i]->langtypes) == named)
			return refs->entry[i];
	return NULL;
}

static int
par(const struct kvk_stream *stream, int64_t n, int64_t grain,
    int (*body)(void *, int64_t, int64_t, void *), void *ctx)
{
	(void)stream;
	(void)grain;
	return n > 0 ? body(ctx, 0, n, NULL) : KVK_OK;
}

const struct kvk_stream refs_stream = { KVK_ABI, sizeof refs_stream, par, NULL,
	NULL };
