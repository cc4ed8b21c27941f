/* SPDX-License-Identifier: MIT */
/*
 * checkk --lib DIR --ref DIR [--seed N]: runs every back end of a published
 * library, at every instruction set level that this CPU has, against the
 * plain kernel of author ref for the same op and dtype, within the tolerance
 * of ops/. Each row runs in a child, so that a crash is one red line. Exit 0
 * when all passed, 1 when one failed or there was none.
 *
 * DIR of --ref holds the objects of kernels/ref (*.so), which may call libm.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/file.h"
#include "base/isa.h"
#include "runtime/blas.h"
#include "runtime/library.h"
#include "runtime/load.h"
#include "tests/checkk.h"

/* All entries of the reference objects. */
struct refs {
	const struct kvk_entry **entry;
	size_t n, cap;
};

static void
load_refs(struct arena *a, const char *dir, struct refs *refs)
{
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

/* The reference of an op and dtype; NULL when there is none. */
static const struct kvk_entry *
find_ref(const struct refs *refs, const struct op *op, const char *dtype)
{
	for (size_t i = 0; i < refs->n; i++)
		if (op_find(refs->entry[i]->opcode) == op &&
		    strcmp(refs->entry[i]->dtype, dtype) == 0)
			return refs->entry[i];
	return NULL;
}

/* Whether the loaded entry is what its row says. */
static bool
entry_is(const struct kvk_entry *e, const struct manifest_row *m)
{
	return strcmp(e->opcode, m->opcode) == 0 &&
	    strcmp(e->dtype, dtype_name(m->dtype)) == 0 &&
	    strcmp(e->isa, m->isa) == 0 && e->alias == m->alias &&
	    e->scratch == m->scratch && e->scratch_n == m->scratch_n;
}

/* Finds what a row needs; false with the reason in the note. */
static bool
prepare(struct row *r, const struct manifest_row *m, struct library *l,
    const struct refs *refs)
{
	const struct object *o;
	struct diag d;

	r->op = op_find(m->opcode);
	r->dtype = m->dtype;
	r->size = dtype_size(r->dtype);
	r->f64 = r->dtype == DT_FLOAT64;
	r->blas = blas_needed(m);
	r->ref = r->op ? find_ref(refs, r->op, dtype_name(m->dtype)) : NULL;
	if (!r->ref) {
		snprintf(r->note, NOTE, "no reference kernel for it");
		return false;
	}
	diag_init(&d);
	r->odtype = op_out_dtype(r->op, r->dtype);
	r->osize = dtype_size(r->odtype);
	o = object_get(l->dir, m->object, &d);
	r->e = o ? object_entry(o, m->entry, &d) : NULL;
	diag_first(&d, r->note, NOTE);
	diag_release(&d);
	if (!r->e)
		return false;
	if (entry_is(r->e, m) && r->e->nin == r->ref->nin &&
	    r->e->nin <= MAX_IN && r->e->cls == r->ref->cls)
		return true;
	snprintf(r->note, NOTE, "the entry is not what its row says");
	return false;
}

/* Whether a row passed, after saying so. */
static bool
passes(struct row *r, const struct manifest_row *m, struct library *l,
    const struct refs *refs)
{
	int status = 0, signal = 0;
	bool ok = false;
	pid_t pid;

	fflush(stdout);
	if (prepare(r, m, l, refs)) {
		pid = fork();
		if (pid < 0)
			fatal("cannot start a process");
		if (pid == 0)
			checkk_row(r);
		if (waitpid(pid, &status, 0) != pid)
			fatal("lost a process");
		ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
		signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	}
	printf("%s %s %s %s: %s", ok ? "ok  " : "FAIL", m->opcode,
	    dtype_name(m->dtype), m->isa, r->note);
	if (signal)
		printf(": killed by signal %d", signal);
	putchar('\n');
	return ok;
}

static int
check_library(struct library *l, const struct refs *refs, uint64_t seed)
{
	int passed = 0, failed = 0;
	char *note = mmap(NULL, NOTE, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (note == MAP_FAILED)
		fatal("no memory");
	printf("seed %llu\n", (unsigned long long)seed);
	for (size_t i = 0; i < l->manifest.n; i++) {
		const struct manifest_row *m = &l->manifest.row[i];
		struct row r = { .seed = seed, .note = note };
		const struct isa *isa = isa_find(m->isa);

		if (m->version != 0)
			continue;
		if (isa && !isa_runs_here(isa)) {
			printf("skip %s %s %s: does not run on this CPU\n",
			    m->opcode, dtype_name(m->dtype), m->isa);
			continue;
		}
		if (passes(&r, m, l, refs))
			passed++;
		else
			failed++;
	}
	printf("%d passed, %d failed\n", passed, failed);
	return failed || !passed ? EXIT_REFUSED : EXIT_OK;
}

/* Opens both sides and checks; the exit code. */
static int
check(const char *lib, const char *ref, uint64_t seed)
{
	struct arena a = { 0 };
	struct refs refs = { 0 };
	struct library l;
	struct diag d;
	int rc = EXIT_REFUSED;

	load_refs(&a, ref, &refs);
	diag_init(&d);
	if (library_open(&l, lib, &d)) {
		diag_print(&d, stderr, 0);
	} else {
		rc = check_library(&l, &refs, seed);
		library_close(&l);
	}
	diag_release(&d);
	arena_release(&a);
	return rc;
}

int
main(int argc, char **argv)
{
	const char *usage = "checkk --lib DIR --ref DIR [--seed N]";
	const char *lib = NULL, *ref = NULL;
	unsigned long long seed = 1;
	int i;

	fatal_program("checkk");
	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		printf("usage: %s\nRuns every back end of a library against "
		    "the reference kernels.\n", usage);
		return EXIT_OK;
	}
	for (i = 1; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--lib") == 0)
			lib = argv[i + 1];
		else if (strcmp(argv[i], "--ref") == 0)
			ref = argv[i + 1];
		else if (strcmp(argv[i], "--seed") != 0 ||
		    !str_u64(str_of(argv[i + 1]), &seed))
			break;
	}
	if (!lib || !ref || i < argc)
		usage_error("expected %s, found %s", usage,
		    i < argc ? argv[i] : "no more");
	return check(lib, ref, seed);
}
