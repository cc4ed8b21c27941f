/* SPDX-License-Identifier: MIT */
#include "cache/toolchain.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/str.h"
#include "cache/conf.h"
#include "cache/memo.h"

static int
digest_of(const struct conf *c, struct memo *m, char out[SHA256_HEX + 1],
    struct diag *d)
{
	uint8_t sum[SHA256_LEN];
	struct sha256 h;
	size_t i;

	sha256_init(&h);
	for (i = 0; i < c->closure.n; i++) {
		if (memo_digest(m, c->closure.path[i], out, NULL))
			return diag_error(d,
			    (struct loc){ c->closure.path[i], 0, 0 },
			    "cannot read this part of the toolchain: %s; run "
			    "configure again",
			    strerror(errno));
		sha256_add(&h, out, SHA256_HEX);
	}
	sha256_done(&h, sum);
	hex_encode(out, sum, SHA256_LEN);
	if (memo_save(m))
		return diag_error(d, (struct loc){ m->file, 0, 0 },
		    "cannot write: %s", strerror(errno));
	return 0;
}

int
toolchain_digest(
    const struct conf *c, char out[SHA256_HEX + 1], struct diag *d)
{
	struct arena a = { 0 };
	struct memo m;
	int r;

	if (c->closure.n == 0)
		return diag_error(d, (struct loc){ c->file, 0, 0 },
		    "no toolchain: expected 'closure' lines in kvobj.conf; "
		    "run configure");
	memo_init(&m, &a, path_join(&a, c->cache, "memo"));
	r = digest_of(c, &m, out, d);
	arena_release(&a);
	return r;
}
