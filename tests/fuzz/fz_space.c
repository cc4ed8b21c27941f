/* SPDX-License-Identifier: MIT */
/* Readers of space/. What is taken must be what the writer would write. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"
#include "space/fs.h"
#include "space/image.h"
#include "space/manifest.h"
#include "space/npy.h"
#include "space/safetensors.h"
#include "space/text.h"
#include "tests/fuzz/fuzz.h"

static void
image_once(const uint8_t *p, size_t n)
{
	struct buf again = { 0 };
	struct space *s;
	struct fuzz f;

	fuzz_begin(&f);
	s = image_decode(p, n, "image", &f.diag);
	if (s) {
		image_encode(s, &again);
		fuzz_same("image", (struct str){ (const char *)p, n },
		    buf_str(&again));
		buf_clear(&again);
		space_print(s, "", &again);
		buf_release(&again);
	}
	space_free(s);
	fuzz_end(&f, !s);
}

/* As they are, then with the digest that they should have. */
void
fz_image(const uint8_t *p, size_t n)
{
	struct arena a = { 0 };
	uint8_t *copy = arena_alloc(&a, n + SHA256_LEN);

	image_once(p, n);
	if (n)
		memcpy(copy, p, n);
	sha256_of(copy, n, copy + n);
	image_once(copy, n + SHA256_LEN);
	arena_release(&a);
}

static void
manifest_once(struct str text)
{
	struct buf again = { 0 };
	struct manifest m;
	struct fuzz f;
	int bad;

	fuzz_begin(&f);
	bad = manifest_decode(&m, text.p, text.n, "manifest", &f.diag);
	if (!bad) {
		manifest_encode(&m, &again);
		fuzz_same("manifest", text, buf_str(&again));
		buf_release(&again);
		manifest_release(&m);
	}
	fuzz_end(&f, bad);
}

void
fz_manifest(const uint8_t *p, size_t n)
{
	char hex[SHA256_HEX + 1];
	struct buf whole = { 0 };

	manifest_once((struct str){ (const char *)p, n });
	buf_put(&whole, p, n);
	sha256_hex(p, n, hex);
	buf_printf(&whole, "sha256\t%s\n", hex);
	manifest_once(buf_str(&whole));
	buf_release(&whole);
}

void
fz_npy(const uint8_t *p, size_t n)
{
	struct buf once = { 0 }, twice = { 0 };
	struct value v, w;
	struct fuzz f;
	int bad;

	fuzz_begin(&f);
	bad = npy_decode(&f.arena, p, n, "npy", &v, &f.diag);
	if (!bad) {
		npy_encode(&v, &once);
		if (npy_decode(&f.arena, once.p, once.n, "npy", &w, &f.diag))
			BUG("what npy_encode writes is refused");
		npy_encode(&w, &twice);
		fuzz_same("npy", buf_str(&once), buf_str(&twice));
		buf_clear(&once);
		value_describe(&v, &once);
		buf_release(&once);
		buf_release(&twice);
	}
	fuzz_end(&f, bad);
}

static char fs_dir[] = "/tmp/kvfs.XXXXXX";

static void
fs_remove(void)
{
	remove_tree(fs_dir);
}

/* The space of all runs; each finds its file alone in it. */
static void
fs_begin(struct fs *fs, struct fuzz *f)
{
	static bool made;

	if (!made && (!mkdtemp(fs_dir) || atexit(fs_remove)))
		fatal("cannot make the folder %s", fs_dir);
	made = true;
	if (fs_open(fs, arena_printf(&f->arena, "fs://%s", fs_dir), &f->diag))
		BUG("a space that was made cannot be opened");
}

/* Each key that is listed can be asked for, and what it holds stored again. */
static int
fs_read(struct fs *fs, struct fuzz *f)
{
	const struct value *v;
	char **key;
	size_t n, i;

	if (fs_list(fs, "", &f->arena, &key, &n, &f->diag))
		return -1;
	for (i = 0; i < n; i++) {
		if (fs_get(fs, key[i], &f->arena, &v, &f->diag))
			return -1;
		if (!v || fs_del_tree(fs, key[i], &f->diag) ||
		    fs_set(fs, key[i], v, &f->diag))
			BUG("%s cannot be stored again", key[i]);
	}
	return 0;
}

/* A line with the name of a file, then its content without the digest. */
void
fz_fs(const uint8_t *p, size_t n)
{
	const uint8_t *end = n ? memchr(p, '\n', n) : NULL;
	uint8_t digest[SHA256_LEN];
	struct buf text = { 0 };
	const char *name, *path;
	struct fuzz f;
	struct fs fs;
	int bad;

	if (!end || end == p || end - p > 255 || *p == '.' ||
	    memchr(p, '/', (size_t)(end - p)) ||
	    memchr(p, '\0', (size_t)(end - p)) ||
	    (end - p == 7 && memcmp(p, "kvspace", 7) == 0))
		return;
	fuzz_begin(&f);
	fs_begin(&fs, &f);
	name = arena_strndup(&f.arena, (const char *)p, (size_t)(end - p));
	path = path_join(&f.arena, fs_dir, name);
	buf_put(&text, end + 1, n - (size_t)(end + 1 - p));
	sha256_of(text.p, text.n, digest);
	buf_put(&text, digest, sizeof(digest));
	if (file_write(path, text.p, text.n, false))
		fatal("cannot write %s", path);
	buf_release(&text);
	bad = fs_read(&fs, &f);
	if (unlink(path))
		BUG("%s is not there any more", path);
	fs_close(&fs);
	fuzz_end(&f, bad);
}

/* What is taken covers all bytes, and each tensor checks. */
void
fz_safetensors(const uint8_t *p, size_t n)
{
	struct safetensor *t;
	size_t count, i, sum = 0;
	struct fuzz f;
	uint8_t *copy;
	int bad;

	fuzz_begin(&f);
	copy = arena_alloc(&f.arena, n);
	if (n)
		memcpy(copy, p, n);
	bad = safetensors_decode(&f.arena, copy, n, "safetensors", &t, &count,
	    &f.diag);
	for (i = 0; !bad && i < count; i++) {
		if (value_check(&t[i].value, NULL))
			BUG("safetensors: a value that does not check");
		sum += t[i].value.n;
	}
	if (!bad && (sum > n || (count && (const uint8_t *)t[count - 1].
	    value.body + t[count - 1].value.n != copy + n)))
		BUG("safetensors: bytes that are nobody's");
	fuzz_end(&f, bad);
}
