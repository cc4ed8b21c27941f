/* SPDX-License-Identifier: MIT */
#include "runtime/weights.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "space/npy.h"
#include "space/safetensors.h"

void
weights_init(struct weights *w, struct heap *heap)
{
	memset(w, 0, sizeof(*w));
	map_init(&w->map, &w->arena);
	w->heap = heap;
}

void
weights_release(struct weights *w)
{
	for (size_t i = 0; i < w->map.n; i++)
		cell_unref(w->heap, w->map.entry[i].value);
	for (size_t i = 0; i < w->n; i++)
		munmap(w->mapping[i].p, w->mapping[i].n);
	arena_release(&w->arena);
}

struct cell *
weights_at(const struct weights *w, const char *path)
{
	return map_get(&w->map, path);
}

/* Names between slashes, not below /lib, where functions are. */
static bool
path_good(const char *path)
{
	size_t n = strlen(path);

	return path[0] == '/' && n > 1 && path[n - 1] != '/' &&
	    !strstr(path, "//") && !strstr(path, "‥") && strcmp(path, "/lib") &&
	    strncmp(path, "/lib/", 5);
}

/* The body stays where it is. */
static int
add(struct weights *w, const char *path, const struct value *v,
    struct loc loc, struct diag *d)
{
	if (!path_good(path))
		return diag_error(d, loc, "expected a path such as /model/x, "
		    "not below /lib, found %s", path);
	if (map_get(&w->map, path))
		return diag_error(d, loc, "%s is loaded twice", path);
	map_set(&w->map, path, cell_borrow(w->heap, v));
	return 0;
}

static int
load_npy(struct weights *w, const char *file, const char *path,
    struct diag *d)
{
	struct loc loc = { file, 0, 0 };
	struct arena text = { 0 };
	struct str bytes;
	struct value v;
	int bad;

	if (file_read(&text, file, &bytes))
		return diag_env(d, loc, "cannot read");
	bad = npy_decode(&w->arena, bytes.p, bytes.n, file, &v, d) ||
	    add(w, path, &v, loc, d);
	arena_release(&text);
	return bad ? -1 : 0;
}

/* A whole file; of an empty one p is NULL. */
static int
map_file(struct weights *w, const char *file, struct mapping *m,
    struct diag *d)
{
	struct loc loc = { file, 0, 0 };
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	struct stat st;
	int bad;

	if (fd < 0 || fstat(fd, &st)) {
		bad = diag_env(d, loc, "cannot read");
		if (fd >= 0)
			close(fd);
		return bad;
	}
	*m = (struct mapping){ NULL, (size_t)st.st_size };
	if (!S_ISREG(st.st_mode)) {
		close(fd);
		return diag_error(d, loc, "expected a regular file");
	}
	if (m->n)
		m->p = mmap(NULL, m->n, PROT_READ, MAP_PRIVATE, fd, 0);
	bad = m->p == MAP_FAILED ? diag_env(d, loc, "cannot map") : 0;
	close(fd);
	if (bad || !m->p)
		return bad;
	w->mapping = arena_grow(&w->arena, w->mapping, w->n, &w->cap,
	    sizeof(*m));
	w->mapping[w->n++] = *m;
	return 0;
}

static int
load_safetensors(struct weights *w, const char *file, const char *path,
    struct diag *d)
{
	struct safetensor *t;
	struct mapping m;
	size_t n, i;
	int bad;

	if (map_file(w, file, &m, d))
		return -1;
	bad = safetensors_decode(&w->arena, m.p ? m.p : "", m.n, file, &t, &n,
	    d);
	for (i = 0; !bad && i < n; i++)
		bad = add(w, arena_printf(&w->arena, "%s/%s", path, t[i].name),
		    &t[i].value, t[i].loc, d);
	return bad;
}

int
weights_load(struct weights *w, const char *file, const char *path,
    struct diag *d)
{
	static const char npy[] = ".npy", safetensors[] = ".safetensors";
	struct str name = str_of(file);
	struct loc loc = { file, 0, 0 };

	if (!path_good(path))
		return diag_error(d, loc, "expected a path such as /model/x, "
		    "not below /lib, found %s", path);
	if (name.n > 4 && !strcmp(file + name.n - 4, npy))
		return load_npy(w, file, path, d);
	if (name.n > 12 && !strcmp(file + name.n - 12, safetensors))
		return load_safetensors(w, file, path, d);
	return diag_error(d, loc, "expected F%s or F%s", npy, safetensors);
}
