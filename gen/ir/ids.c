/* SPDX-License-Identifier: MIT */
#include "gen/ir/ids.h"

#include <stdlib.h>
#include <string.h>

struct ir_ids_row {
	Id id;
	uint32_t at;
};

static int
by_id(const void *a, const void *b)
{
	const struct ir_ids_row *x = a, *y = b;
	int c = memcmp(&x->id, &y->id, sizeof x->id);

	return c ? c : (x->at > y->at) - (x->at < y->at);
}

void
ir_ids_init(struct ir_ids *t, struct arena *arena, const void *entity,
    size_t n, size_t size, size_t off)
{
	t->n = n;
	t->row = arena_array(arena, n, sizeof *t->row);
	for (size_t i = 0; i < n; i++) {
		memcpy(&t->row[i].id, (const char *)entity + i * size + off,
		    sizeof t->row[i].id);
		t->row[i].at = (uint32_t)i;
	}
	qsort(t->row, n, sizeof *t->row, by_id);
}

int64_t
ir_ids_find(const struct ir_ids *t, const Id *id)
{
	size_t lo = 0, hi = t->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (memcmp(&t->row[mid].id, id, sizeof *id) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->n && !memcmp(&t->row[lo].id, id, sizeof *id) ?
	    (int64_t)t->row[lo].at : -1;
}
