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
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/file.h"
#include "base/isa.h"
#include "include/kvk.h"
#include "ops/ops.h"
#include "runtime/cpu.h"
#include "runtime/dims.h"
#include "runtime/library.h"
#include "runtime/load.h"

enum { MAX_IN = 4, ROOM = 2 << 20, PAGE = 4096, MARGIN = 64, NOTE = 400,
	RANDOM_CASES = 400, KINDS = 7 };

/* Memory between two guard pages for one operand, and what belongs there. */
struct area {
	char *mem, *plain;
};

/* A call: shapes of the inputs and the output, the table, kind of data. */
struct call {
	struct shape in[MAX_IN], out;
	struct dims dims;
	int kind;
	double base; /* data of kind 5 lies around it */
};

/* One row under test. note: shared with the parent, what is running. */
struct row {
	const struct op *op;
	const struct kvk_entry *e, *ref;
	bool f64;
	uint64_t seed;
	struct area in[MAX_IN], out;
	long cases;
	char *note;
};

/* Runs a loop whole, or a piece for each grain, last one first. */
struct pieces {
	struct kvk_stream s;
	struct row *r;
	size_t scratch;
	bool many;
};

static const int sizes[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
	15, 16, 17, 127, 128, 129, 1000 };
enum { NSIZES = sizeof sizes / sizeof *sizes };

static uint64_t
next(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static int
below(struct row *r, int n)
{
	return (int)(next(&r->seed) % (unsigned)n);
}

/* Says in the parent's words why the row failed; ends the child. */
_Noreturn static void __attribute__((format(printf, 2, 3)))
fail(struct row *r, const char *fmt, ...)
{
	size_t n = strlen(r->note);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->note + n, NOTE - n, fmt, ap);
	va_end(ap);
	_exit(1);
}

static int
par(const struct kvk_stream *stream, int64_t n, int64_t grain,
    int (*body)(void *, int64_t, int64_t, void *), void *ctx)
{
	const struct pieces *p = (const struct pieces *)stream;
	size_t room = (p->scratch + 63) / 64 * 64 + 64;
	char *scratch = aligned_alloc(64, room);
	int rc = KVK_OK;

	if (!scratch)
		fatal("no memory");
	if (!p->many)
		grain = n;
	memset(scratch, 0xee, room);
	for (int64_t lo = n ? (n - 1) / grain * grain : -1;
	     lo >= 0 && rc == KVK_OK; lo -= grain)
		rc = body(ctx, lo, lo + grain < n ? lo + grain : n, scratch);
	for (size_t i = p->scratch; i < room; i++)
		if ((unsigned char)scratch[i] != 0xee)
			fail(p->r, ": wrote outside its scratch memory");
	free(scratch);
	return rc;
}

static int
run(struct row *r, const struct kvk_entry *e, void **ptr,
    const struct dims *d, bool many)
{
	struct pieces p = { .s = { KVK_ABI, sizeof p.s, par, NULL, NULL },
		.r = r,
		.scratch = (size_t)(e->scratch + e->scratch_n * d->n),
		.many = many };

	return e->fn(ptr, d->dim, &p.s);
}

static struct area
area_new(void)
{
	char *p = mmap(NULL, ROOM + 2 * PAGE, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct area a = { p + PAGE, malloc(ROOM) };

	if (p == MAP_FAILED || !a.plain ||
	    mprotect(a.mem, ROOM, PROT_READ | PROT_WRITE))
		fatal("no memory for an operand");
	return a;
}

/* Where an operand of that many bytes lies: at the end of its area, or one
 * element after the beginning, which aligns it to no more than that. */
static char *
area_at(const struct area *a, size_t bytes, size_t size, bool at_end)
{
	return at_end ? a->mem + ROOM - bytes : a->mem + size;
}

/*
 * A number of a kind: 0 uniform, 1 any magnitude, 2 zeros and denormals,
 * 3 as 1 with NaN, 4 as 1 with infinities, 5 around a base, where exp neither
 * vanishes nor overflows, and beyond, 6 the edges of the domains.
 */
static double
sample(struct row *r, const struct call *c)
{
	static const double edge[] = { 0, 1, 0x1p-149, 0x1p-126, 0x1p-1074,
		0x1p-1022, 0x1p20, 0x1.00002p20, 3e7, 3e38, 1e300, 87.3, 88.7,
		103.9, 708.3, 709.7, 745.1, INFINITY, NAN };
	double u = (double)(int64_t)next(&r->seed) * 0x1p-63;
	int wide = r->f64 ? 300 : 30;

	switch (c->kind) {
	case 0:
		return 4 * u;
	case 2:
		return below(r, 2) ? copysign(0, u) :
		    copysign(r->f64 ? 0x1p-1073 : 0x1p-148, u);
	case 5:
		return c->base + u * (r->f64 ? 800 : 110);
	case 6:
		return copysign(edge[below(r, sizeof edge / sizeof *edge)], u);
	default:
		if (c->kind > 2 && below(r, 50) == 0)
			return c->kind == 3 ? NAN : copysign(INFINITY, u);
		return ldexp(u, below(r, 2 * wide) - wide);
	}
}

static void
fill(struct row *r, const struct call *c, char *p, int64_t count)
{
	for (int64_t i = 0; i < count; i++) {
		double v = sample(r, c);
		float f = (float)v;
		uint64_t odd64 = 0xfff4000000abcdefu + (uint64_t)i;
		uint32_t odd32 = 0xffa0beefu + (uint32_t)(i % 64);

		if (r->f64)
			memcpy(p + 8 * i, isnan(v) ? (void *)&odd64 : &v, 8);
		else
			memcpy(p + 4 * i, isnan(v) ? (void *)&odd32 : &f, 4);
	}
}

static double
element(const char *p, int64_t i, bool f64)
{
	double v;
	float f;

	if (f64) {
		memcpy(&v, p + 8 * i, 8);
		return v;
	}
	memcpy(&f, p + 4 * i, 4);
	return (double)f;
}

/* The bits of an element, so that neighbours differ by 1. */
static int64_t
ordered(const char *p, int64_t i, bool f64)
{
	int64_t v;
	int32_t w;

	if (f64) {
		memcpy(&v, p + 8 * i, 8);
		return v < 0 ? INT64_MIN - v : v;
	}
	memcpy(&w, p + 4 * i, 4);
	return w < 0 ? (int64_t)INT32_MIN - w : w;
}

/* Whether both have the same bits or are at most `most` ulp apart, where zeros
 * are equal. With `flushes`, for an op whose results are normal numbers or 0,
 * one may see the smallest normal number where the other sees 0. */
static bool
near(const struct row *r, const char *got, const char *want, int64_t i,
    int64_t most, bool flushes)
{
	int64_t a = ordered(got, i, r->f64), b = ordered(want, i, r->f64);
	int64_t size = r->f64 ? 8 : 4, normal = r->f64 ? (int64_t)1 << 52 : 1 << 23;

	if (most == 0 || isnan(element(got, i, r->f64)) ||
	    isnan(element(want, i, r->f64)))
		return memcmp(got + size * i, want + size * i,
		    (size_t)size) == 0;
	if (flushes && (a == 0 || b == 0))
		return a + b == 0 || (a + b >= normal && a + b <= normal + most);
	return llabs(a - b) <= most;
}

/* The sum of magnitudes behind output i of a reduction. */
static double
magnitude(const struct row *r, const int64_t *dim, int64_t i)
{
	int64_t n = dim[1], inner = dim[2];
	int64_t at = i / inner * n * inner + i % inner;
	double sum = 0;

	for (int64_t j = 0; j < n; j++)
		sum += fabs(element(r->in[0].plain, at + j * inner, r->f64));
	return sum;
}

/* Which of two zeros a reduction meets last follows from the order, in which
 * ref does not reduce; the unit tests look at that. */
static bool
agrees(const struct row *r, const struct call *c, const char *got, int64_t i)
{
	const char *tol = r->op->tolerance, *want = r->out.plain;
	double a, b, allowed = r->f64 ? 1e-15 : 1e-6;

	if (r->op->dtype_rule == OP_DTYPE_INDEX)
		return memcmp(got + 8 * i, want + 8 * i, 8) == 0;
	a = element(got, i, r->f64);
	b = element(want, i, r->f64);
	if (r->op->cls == OP_REDUCE && a == 0 && b == 0)
		return true;
	if (strcmp(tol, "REL") != 0)
		return near(r, got, want, i, strncmp(tol, "ULP", 3) == 0 ?
		    strtol(tol + 3, NULL, 10) : 0,
		    strcmp(r->op->name, "expshift") == 0);
	if (!isfinite(a) || !isfinite(b))
		return near(r, got, want, i, 0, false);
	return fabs(a - b) <= allowed * magnitude(r, c->dims.dim, i);
}

static void
compare(struct row *r, const struct call *c, const char *got, size_t size)
{
	int64_t count = shape_count(&c->out, size);

	for (int64_t i = 0; i < count; i++) {
		uint64_t g = 0, w = 0;

		if (agrees(r, c, got, i))
			continue;
		memcpy(&g, got + (size_t)i * size, size);
		memcpy(&w, r->out.plain + (size_t)i * size, size);
		fail(r, ": element %lld is %#llx, expected %#llx (%s)",
		    (long long)i, (unsigned long long)g, (unsigned long long)w,
		    r->op->tolerance);
	}
}

/* Runs the entry with all operands at one end of their areas. */
static void
run_placed(struct row *r, const struct call *c, int want, bool at_end)
{
	size_t size = r->f64 ? 8 : 4, bytes[MAX_IN];
	size_t osize = r->op->dtype_rule == OP_DTYPE_INDEX ? 8 : size;
	size_t obytes = (size_t)shape_count(&c->out, osize) * osize;
	size_t before = at_end ? MARGIN : osize, after = at_end ? 0 : MARGIN;
	char *out = area_at(&r->out, obytes, osize, at_end);
	void *ptr[MAX_IN + 1];
	int rc;

	for (int i = 0; i < r->e->nin; i++) {
		bytes[i] = (size_t)shape_count(&c->in[i], size) * size;
		ptr[i] = area_at(&r->in[i], bytes[i], size, at_end);
		memcpy(ptr[i], r->in[i].plain, bytes[i]);
	}
	ptr[r->e->nin] = out;
	memset(out - before, 0xa5, before + obytes + after);
	rc = run(r, r->e, ptr, &c->dims, at_end);
	if (rc != want)
		fail(r, ": returned %d, expected %d", rc, want);
	if (rc == KVK_OK)
		compare(r, c, out, osize);
	for (size_t i = 0; i < before + after; i++)
		if ((unsigned char)(i < before ? out[-1 - (long)i] :
		    out[obytes + i - before]) != 0xa5)
			fail(r, ": wrote outside its output");
	for (int i = 0; i < r->e->nin; i++)
		if (memcmp(ptr[i], r->in[i].plain, bytes[i]) != 0)
			fail(r, ": wrote to input %d", i);
}

/* Runs the entry with the output over each input where it allows that. */
static void
run_aliased(struct row *r, const struct call *c)
{
	size_t size = r->f64 ? 8 : 4;
	void *ptr[MAX_IN + 1];

	for (int k = 0; k < r->e->nin; k++) {
		if (!(r->e->alias >> k & 1) || !shape_eq(&c->in[k], &c->out))
			continue;
		for (int i = 0; i < r->e->nin; i++) {
			ptr[i] = r->in[i].mem;
			memcpy(ptr[i], r->in[i].plain,
			    (size_t)shape_count(&c->in[i], size) * size);
		}
		ptr[r->e->nin] = ptr[k];
		if (run(r, r->e, ptr, &c->dims, true) != KVK_OK)
			fail(r, " aliased to %d: did not return 0", k);
		compare(r, c, ptr[k], size);
	}
}

static void
check_call(struct row *r, struct call *c)
{
	void *ptr[MAX_IN + 1];
	char text[200];
	int n, rc;

	n = snprintf(r->note, NOTE, "case %ld, kind %d", r->cases, c->kind);
	for (int i = 0; i < r->e->nin; i++) {
		shape_text(&c->in[i], text);
		n += snprintf(r->note + n, NOTE - (size_t)n, " %s", text);
		ptr[i] = r->in[i].plain;
		fill(r, c, ptr[i], shape_count(&c->in[i], 8));
	}
	shape_text(&c->out, text);
	snprintf(r->note + n, NOTE - (size_t)n, " -> %s", text);
	ptr[r->e->nin] = r->out.plain;
	rc = run(r, r->ref, ptr, &c->dims, false);
	run_placed(r, c, rc, true);
	run_placed(r, c, rc, false);
	run_aliased(r, c);
	r->cases++;
}

/* The kind of data for a case; sums of huge numbers overflow by their order,
 * which no tolerance covers. */
static void
choose_data(struct row *r, struct call *c)
{
	static const double base[] = { 0, 0, 1000, -3e5, 0x1p20, 3e7 };

	c->kind = below(r, strcmp(r->op->tolerance, "REL") ? KINDS : KINDS - 1);
	c->base = base[below(r, sizeof base / sizeof *base)];
}

static struct shape
random_shape(struct row *r, int least)
{
	struct shape s = { .rank = least + below(r, 5 - least) };

	for (int i = 0; i < s.rank; i++)
		s.dim[i] = below(r, 12) ? 1 + below(r, 9) : 0;
	return s;
}

/* A shape that broadcasts to s. */
static struct shape
random_part(struct row *r, const struct shape *s)
{
	struct shape p = { .rank = below(r, 3) ? s->rank :
		below(r, s->rank + 1) };

	for (int i = 0; i < p.rank; i++)
		p.dim[i] = below(r, 4) ? s->dim[s->rank - p.rank + i] : 1;
	return p;
}

static struct shape
vector(int n)
{
	return (struct shape){ .rank = 1, .dim = { n } };
}

/* Elementwise ops and views over c->out. */
static void
check_map(struct row *r, struct call *c)
{
	const struct shape *operand[MAX_IN + 1];
	int n = r->e->nin;

	for (int i = 0; i < n; i++)
		operand[i] = &c->in[i];
	operand[n] = &c->out;
	if (r->op->shape_rule == OP_SHAPE_RESHAPE)
		dims_flat(&c->dims, shape_count(&c->out, 8), n + 1);
	else if (dims_map(&c->dims, &c->out, operand, n + 1))
		BUG("operands do not broadcast");
	check_call(r, c);
}

static void
check_maps(struct row *r)
{
	struct call c = { 0 };

	/* Every size with all data; one operand after the other is a scalar. */
	for (int i = 0; i < NSIZES * KINDS; i++)
		for (int k = -1; k < r->e->nin; k++) {
			choose_data(r, &c);
			c.kind = i % KINDS;
			c.out = vector(sizes[i / KINDS]);
			for (int j = 0; j < r->e->nin; j++)
				c.in[j] = c.out;
			if (k >= 0 && r->op->shape_rule != OP_SHAPE_RESHAPE)
				c.in[k] = vector(1);
			check_map(r, &c);
		}
	for (int i = 0; i < RANDOM_CASES; i++) {
		choose_data(r, &c);
		c.out = random_shape(r, 0);
		for (int j = 0; j < r->e->nin; j++)
			c.in[j] = r->op->shape_rule == OP_SHAPE_RESHAPE ?
			    vector((int)shape_count(&c.out, 8)) :
			    random_part(r, &c.out);
		check_map(r, &c);
	}
}

static void
check_reductions(struct row *r)
{
	static const int inner[] = { 1, 2, 7, 8, 9, 33 }, outer[] = { 0, 1, 5 };
	struct call c = { 0 };

	for (int i = 0; i < NSIZES * 18 + RANDOM_CASES; i++) {
		int axis = 1;

		if (i < NSIZES * 18) {
			c.in[0] = (struct shape){ 3, { outer[i % 3],
				sizes[i / 18], inner[i / 3 % 6] } };
		} else {
			c.in[0] = random_shape(r, 1);
			axis = below(r, c.in[0].rank);
		}
		choose_data(r, &c);
		c.out = c.in[0];
		c.out.dim[axis] = 1;
		dims_reduce(&c.dims, &c.in[0], axis);
		check_call(r, &c);
	}
}

/* The child: runs all cases of a row. */
_Noreturn static void
check_row(struct row *r)
{
	cpu_enter();
	for (int i = 0; i < r->e->nin; i++)
		r->in[i] = area_new();
	r->out = area_new();
	if (r->op->cls == OP_REDUCE)
		check_reductions(r);
	else
		check_maps(r);
	snprintf(r->note, NOTE, "%ld cases", r->cases);
	_exit(0);
}

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
	r->f64 = m->dtype == DT_FLOAT64;
	r->ref = r->op ? find_ref(refs, r->op, dtype_name(m->dtype)) : NULL;
	if (!r->ref) {
		snprintf(r->note, NOTE, "no reference kernel for it");
		return false;
	}
	diag_init(&d);
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
			check_row(r);
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
