/* SPDX-License-Identifier: MIT */
/* Readers of cache/. */
#include <stdlib.h>
#include <string.h>

#include "cache/conf.h"
#include "cache/elf.h"
#include "cache/receipt.h"
#include "cache/stamp_conf.h"
#include "tests/fuzz/fuzz.h"

void
fz_receipt(const uint8_t *p, size_t n)
{
	struct str text = { (const char *)p, n };
	struct buf again = { 0 };
	struct receipt r;
	struct fuzz f;
	int bad;

	fuzz_begin(&f);
	bad = receipt_parse(&r, text, "receipt", &f.diag);
	if (!bad) {
		receipt_format(&r, &again);
		fuzz_same("receipt", text, buf_str(&again));
		buf_release(&again);
	}
	fuzz_end(&f, bad);
}

void
fz_kvobj_conf(const uint8_t *p, size_t n)
{
	struct conf c;
	struct fuzz f;

	fuzz_begin(&f);
	fuzz_end(&f, conf_read(&c, &f.arena, fuzz_file(p, n), &f.diag));
}

void
fz_stamp_conf(const uint8_t *p, size_t n)
{
	struct stamp_order *order;
	struct fuzz f;
	size_t norder;

	fuzz_begin(&f);
	fuzz_end(&f, stamp_conf_parse(&f.arena, "stamp.conf",
	    (struct str){ (const char *)p, n }, &order, &norder, &f.diag));
}

/* An object that passes has executable bytes inside it. */
void
fz_object(const uint8_t *p, size_t n)
{
	struct elf_range *range = NULL;
	size_t count = 0, i;
	struct fuzz f;
	int bad;

	fuzz_begin(&f);
	bad = elf_check(p, n, "object", &f.diag);
	if (!bad && elf_text(p, n, &range, &count))
		BUG("an object that passes has no list of its code");
	for (i = 0; i < count; i++)
		if (range[i].p < p || range[i].n > n ||
		    (size_t)(range[i].p - p) > n - range[i].n)
			BUG("code outside of the object");
	free(range);
	fuzz_end(&f, bad);
}
