/* SPDX-License-Identifier: MIT */
#include "cache/key.h"

#include <string.h>

#include "base/arena.h"
#include "base/isa.h"
#include "base/str.h"
#include "cache/conf.h"
#include "cache/source.h"
#define KVK_NO_STDINT
#include "include/kvk.h"

static const char *const flags[] = { "-c", "-std=gnu11", "-O3",
	"-ffp-contract=off", "-fno-math-errno", "-fPIC", "-fvisibility=hidden",
	"-fno-ident", "-fno-asynchronous-unwind-tables",
	"-fno-stack-protector", "-nostdinc", "-Wall", "-Wextra", "-Werror",
	"-Wno-psabi", "-Wno-unused-function" };

const char *const key_link_flags[] = { "-shared", "-s", "--build-id=none",
	"-z", "noexecstack", "-z", "now", "--hash-style=gnu", "-o",
	"kernel.so", "kernel.o", NULL };

struct list {
	struct arena *arena;
	char **item;
	size_t n, cap;
};

static void
list_add(struct list *l, char *item)
{
	l->item = arena_grow(
	    l->arena, l->item, l->n, &l->cap, sizeof(*l->item));
	l->item[l->n++] = item;
}

char **
key_flags(struct arena *a, const struct isa *isa, size_t n_include)
{
	struct list l = { .arena = a };
	struct str rest = str_of(isa->flag), word;
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		list_add(&l, arena_strdup(a, flags[i]));
	while (str_next(&rest, ' ', &word))
		list_add(&l, arena_strndup(a, word.p, word.n));
	list_add(&l, arena_printf(a, "-DK_ISA=\"%s\"", isa->name));
	for (i = 0; i < n_include; i++)
		list_add(&l, arena_printf(a, "-I%zu", i));
	list_add(&l, arena_strdup(a, "-o"));
	list_add(&l, arena_strdup(a, "kernel.o"));
	list_add(&l, arena_strdup(a, "kernel.c"));
	list_add(&l, NULL);
	return l.item;
}

/* With its length in front, so that no two lists of parts read the same. */
static void
add_part(struct sha256 *h, const void *p, size_t n)
{
	uint8_t len[8];
	int i;

	for (i = 0; i < 8; i++)
		len[i] = (uint8_t)((uint64_t)n >> 8 * i);
	sha256_add(h, len, sizeof(len));
	sha256_add(h, p, n);
}

static void
add_text(struct sha256 *h, const char *s)
{
	add_part(h, s, strlen(s));
}

static void
add_list(struct sha256 *h, const char *const *item)
{
	for (; *item; item++)
		add_text(h, *item);
	add_text(h, "");
}

void
key_action(const struct source *src, const struct isa *isa,
    const char *toolchain, char out[SHA256_HEX + 1])
{
	struct arena a = { 0 };
	uint8_t sum[SHA256_LEN];
	struct sha256 h;
	size_t i;

	sha256_init(&h);
	add_text(&h, arena_printf(&a, "kvk %d", KVK_ABI));
	add_text(&h, KEY_ROUTE);
	for (i = 0; i < src->n; i++) {
		add_text(&h, src->file[i].name);
		add_part(&h, src->file[i].text.p, src->file[i].text.n);
	}
	add_text(&h, "");
	add_list(&h, (const char *const *)key_flags(&a, isa, src->headers->include->n));
	add_list(&h, key_link_flags);
	add_text(&h, isa->name);
	add_text(&h, isa->features);
	add_text(&h, toolchain);
	sha256_done(&h, sum);
	hex_encode(out, sum, SHA256_LEN);
	arena_release(&a);
}
