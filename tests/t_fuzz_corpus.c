/* SPDX-License-Identifier: MIT */
/* Each reader takes or refuses the files of its corpus: seeds, and inputs that
 * once brought it down. A reader that dies fails its test. */
#include <check.h>
#include <stdlib.h>

#include "base/file.h"
#include "tests/fuzz/fuzz.h"

Suite *fuzz_corpus_suite(void);

START_TEST(corpus__is_read_or_refused)
{
	const struct fuzz_reader *r = &fuzz_readers[_i];
	struct arena arena = { 0 };
	const char *folder;
	struct str bytes;
	char **name;
	size_t n, i;

	ck_assert(getenv("KVAOT_TOP") != NULL);
	folder = arena_printf(&arena, "%s/tests/fuzz/corpus/%s",
	    getenv("KVAOT_TOP"), r->name);
	ck_assert_int_eq(dir_list(&arena, folder, NULL, &name, &n), 0);
	ck_assert_uint_gt(n, 0);
	for (i = 0; i < n; i++) {
		ck_assert_int_eq(file_read(&arena, path_join(&arena, folder,
		    name[i]), &bytes), 0);
		r->run((const uint8_t *)bytes.p, bytes.n);
	}
	arena_release(&arena);
}
END_TEST

Suite *
fuzz_corpus_suite(void)
{
	Suite *s = suite_create("fuzz_corpus");
	TCase *t = tcase_create("corpus");
	int n = 0;

	while (fuzz_readers[n].name)
		n++;
	tcase_add_loop_test(t, corpus__is_read_or_refused, 0, n);
	suite_add_tcase(s, t);
	return s;
}
