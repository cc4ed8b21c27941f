/* SPDX-License-Identifier: MIT */
#include "cache/table.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#define KVK_NO_STDINT
#include "include/kvk.h"

static int
check(const struct kvk_table *t, const char *path, struct diag *d)
{
	struct loc l = { path, 0, 0 };
	uint32_t i;

	if (t->abi != KVK_ABI || t->size < sizeof(*t))
		return diag_error(d, l, "expected kernel ABI %d, found %u",
		    KVK_ABI, t->abi);
	if (t->entry_size != sizeof(struct kvk_entry) || (t->n && !t->entry))
		return diag_error(d, l, "kvk_table has no readable entries");
	for (i = 0; i < t->n; i++) {
		const struct kvk_entry *e = &t->entry[i];

		if (e->abi != KVK_ABI || e->size < sizeof(*e) || !e->opcode ||
		    !e->langtypes || !e->dtype || !e->isa || !e->fn)
			return diag_error(d, l,
			    "entry %u of kvk_table is incomplete", i);
	}
	return 0;
}

const struct kvk_table *
table_open(const char *path, void **handle, struct diag *d)
{
	struct arena a = { 0 };
	const struct kvk_table *t = NULL;

	/* A name without a slash would be searched for. */
	if (!strchr(path, '/'))
		path = path_join(&a, ".", path);
	*handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!*handle) {
		diag_error(d, (struct loc){ path, 0, 0 },
		    "cannot map the object: %s", dlerror());
	} else {
		t = dlsym(*handle, "kvk_table");
		if (!t || check(t, path, d)) {
			table_close(*handle);
			t = NULL;
		}
	}
	arena_release(&a);
	return t;
}

void
table_close(void *handle)
{
	dlclose(handle);
}
