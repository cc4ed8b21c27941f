/* SPDX-License-Identifier: MIT */
/* Certificates over kernels that are right, wrong, deadly and out of reach. */
#include "tests/t_runtime.h"

#include "runtime/certify.h"

Suite *runtime_certify_suite(void);

/* A map kernel of one input; the base is the first. */
#define K_MAP(name, value) "F(" name ") { (void)s; const float *a = ptr[0]; " \
	"float *b = ptr[1];\nfor (int64_t i = 0; i < dim[2]; i++) for (int64_t " \
	"k = 0; k < dim[3]; k++)\nb[i * dim[10] + k * dim[11]] = a[i * dim[6] " \
	"+ k * dim[7]]" value ";\nreturn dim[0] * dim[1] != 1; }\n"

static const char kernels[] = K_HEAD
K_MAP("good", " * 2") K_MAP("alike", " + a[i * dim[6] + k * dim[7]]")
K_MAP("close", " * 2.000001f")
"F(deadly) { (void)s; (void)dim; *(volatile int *)0 = ((int *)ptr[0])[0]; "
"return 0; }\n"
K_TABLE(K_ENTRY("deepx/t·relu", "float32", "KVK_MAP", 1, 1, "good")
K_ENTRY("", "float32", "KVK_MAP", 1, 1, "alike")
K_ENTRY("", "float32", "KVK_MAP", 1, 1, "close")
K_ENTRY("", "float32", "KVK_MAP", 1, 1, "deadly"));

#define FUNC(f) \
	"	rwfunc " f "(A:[*]float32) -> (B:[*]float32) {\n" \
	"		deepx/t·relu(A) -> B\n	}\n" \
	"	rwfunc " f ".1(A:[*]float32) -> (B:[*]float32) {\n" \
	"		d·" f ".1.k0(A) -> B\n	}\n"

/* With a parameter that nothing reads. */
#define BESIDE(n, op) \
	"	rwfunc beside" n "(A:[*]float32, p:float16) -> (B:[*]float32) {\n" \
	"		" op "(A) -> B\n	}\n"

static const char functions[] = "lib d {\n" FUNC("alike") FUNC("close")
FUNC("deadly") FUNC("far")
BESIDE("", "deepx/t·relu") BESIDE(".1", "d·beside.1.k0") "}\n";

static void
add(struct testlib *t, const char *name, const char *guard, const char *o,
    int entry)
{
	testlib_kernel(t, arena_printf(&t->arena, "d·%s.1.k0", name),
	    arena_printf(&t->arena, "d·%s", name), 1, "*", guard, "map", "=0",
	    o, entry);
	testlib_versions(t, arena_printf(&t->arena, "d·%s", name), 1);
}

static void
make_library(struct testlib *t)
{
	const char *o;

	testlib_init(t);
	o = testlib_object(t, kernels);
	testlib_backend(t, "deepx/t·relu", DT_FLOAT32, "map", o, 0);
	testlib_lay(t, "lib/d.kv", functions);
	add(t, "alike", "", o, 1);
	add(t, "close", "", o, 2);
	add(t, "deadly", "", o, 3);
	add(t, "beside", "", o, 1);
	/* No variable of that name: the guard never holds. */
	add(t, "far", "nobody==-1", o, 1);
	testlib_publish(t);
}

/* The manifest that certify_library writes. */
static struct manifest
certify(struct testlib *t, const char *verdicts, int warnings)
{
	const char *out = testlib_path(t, "certified");
	struct manifest m;
	struct str text;
	struct diag d;

	diag_init(&d);
	ck_assert_int_eq(certify_library(testlib_folder(t), out, verdicts,
	    &d), 0);
	ck_assert_int_eq((int)d.n, warnings);
	diag_release(&d);
	diag_init(&d);
	ck_assert_int_eq(file_read(&t->arena, out, &text), 0);
	ck_assert_int_eq(manifest_decode(&m, text.p, text.n, out, &d), 0);
	diag_release(&d);
	return m;
}

static const char *
cert_of(const struct manifest *m, const char *opcode)
{
	for (size_t i = 0; i < m->n; i++)
		if (strcmp(m->row[i].opcode, opcode) == 0)
			return m->row[i].cert;
	return "no row";
}

START_TEST(certify__each_verdict)
{
	struct testlib t;
	struct manifest m;

	make_library(&t);
	m = certify(&t, NULL, 3);
	ck_assert_str_eq(cert_of(&m, "d·alike.1.k0"), "passed");
	ck_assert_str_eq(cert_of(&m, "d·close.1.k0"), "failed");
	ck_assert_str_eq(cert_of(&m, "d·deadly.1.k0"), "failed");
	ck_assert_str_eq(cert_of(&m, "d·beside.1.k0"), "passed");
	ck_assert_str_eq(cert_of(&m, "d·far.1.k0"), "untested");
	ck_assert_str_eq(cert_of(&m, "deepx/t·relu"), "");
	ck_assert_str_eq(m.image, t.manifest.image);
	manifest_release(&m);
	testlib_release(&t);
}
END_TEST

/* Where all shapes are known and empty, no kernel has anything to compute. */
START_TEST(certify__nothing_to_compute)
{
	static const char none[] = "lib d {\n"
	    "	rwfunc none(A:[5,0]float32) -> (B:[5,0]float32) {\n"
	    "		deepx/t·relu(A) -> B\n	}\n"
	    "	rwfunc none.1(A:[5,0]float32) -> (B:[5,0]float32) {\n"
	    "		d·none.1.k0(A) -> B\n	}\n}\n";
	struct testlib t;
	struct manifest m;
	const char *o;

	testlib_init(&t);
	o = testlib_object(&t, kernels);
	testlib_backend(&t, "deepx/t·relu", DT_FLOAT32, "map", o, 0);
	testlib_lay(&t, "lib/d.kv", none);
	testlib_kernel(&t, "d·none.1.k0", "d·none", 1, "5x0", "", "map", "=0",
	    o, 1);
	testlib_versions(&t, "d·none", 1);
	testlib_publish(&t);
	m = certify(&t, NULL, 0);
	ck_assert_str_eq(cert_of(&m, "d·none.1.k0"), "passed");
	manifest_release(&m);
	testlib_release(&t);
}
END_TEST

/* All verdict files below a folder get other letters. */
static int
change_verdicts(struct testlib *t, const char *folder, const char *sed)
{
	char **path;
	size_t n;

	ck_assert_int_eq(dir_walk(&t->arena, folder, NULL, &path, &n), 0);
	for (size_t i = 0; i < n; i++)
		ck_assert_int_eq(system(arena_printf(&t->arena,
		    "sed -i '%s' '%s/%s'", sed, folder, path[i])), 0);
	return (int)n;
}

/* A kept verdict is what counts, so nothing ran; one that is damaged is found
 * again, and another kernel has a verdict of its own. */
START_TEST(certify__verdicts_are_kept)
{
	const char *folder;
	struct testlib t;
	struct manifest m;

	make_library(&t);
	folder = testlib_path(&t, "verdicts");
	m = certify(&t, folder, 3);
	manifest_release(&m);
	ck_assert_int_eq(change_verdicts(&t, folder, "s/^p$/f/"), 5);
	m = certify(&t, folder, 5);
	ck_assert_str_eq(cert_of(&m, "d·alike.1.k0"), "failed");
	manifest_release(&m);
	change_verdicts(&t, folder, "s/^f$/x/");
	m = certify(&t, folder, 3);
	ck_assert_str_eq(cert_of(&m, "d·alike.1.k0"), "passed");
	manifest_release(&m);
	for (size_t i = 0; i < t.manifest.n; i++)
		if (!strcmp(t.manifest.row[i].opcode, "d·alike.1.k0"))
			t.manifest.row[i].entry = 2;
	testlib_publish(&t);
	m = certify(&t, folder, 4);
	ck_assert_str_eq(cert_of(&m, "d·alike.1.k0"), "failed");
	manifest_release(&m);
	ck_assert_int_eq(change_verdicts(&t, folder, ""), 6);
	testlib_release(&t);
}
END_TEST

/* A row of a version without a verdict does not run. */
START_TEST(bind__only_passed_rows)
{
	static const char *const certs[] = { "", "untested", "failed" };
	struct testlib t;
	struct testrun r;

	make_library(&t);
	for (size_t i = 0; i < 3; i++) {
		for (size_t k = 0; k < t.manifest.n; k++)
			if (t.manifest.row[k].version)
				t.manifest.row[k].cert = certs[i];
		testlib_publish(&t);
		testrun_open(&r, &t, (struct runtime_options){
		    .trace = true });
		ck_assert_msg(!testrun_program(&r, "A:[1]float32 = [1.0]\n"
		    "d·alike(A) -> B\nprintln(B)\n"), "%s", r.error);
		ck_assert_str_eq(r.out_text, "[2.0]\n");
		ck_assert_ptr_nonnull(strstr(r.err_text, "d·alike -> base"));
		ck_assert_ptr_nonnull(strstr(r.err_text,
		    arena_printf(&t.arena, "it has float32 for x86-64, "
		    "certificate %s", certs[i])));
		testrun_close(&r);
	}
	testlib_release(&t);
}
END_TEST

Suite *
runtime_certify_suite(void)
{
	Suite *s = suite_create("runtime_certify");
	TCase *c = tcase_create("certify");

	tcase_set_timeout(c, 60);
	tcase_add_test(c, certify__each_verdict);
	tcase_add_test(c, certify__nothing_to_compute);
	tcase_add_test(c, certify__verdicts_are_kept);
	tcase_add_test(c, bind__only_passed_rows);
	suite_add_tcase(s, c);
	return s;
}
