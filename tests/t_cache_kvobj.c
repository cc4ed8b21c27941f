/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "cache/conf.h"
#include "tests/cache_help.h"

Suite *cache_kvobj_suite(void);

/* A folder with k.c, its header in inc/, a cache and settings. */
struct place {
	struct arena a;
	char *top, *dir, *program;
	struct conf conf;
};

/* `below` is where in the test's folder; the toolchain of the settings is the
 * real one, its closure a file of our own. */
static void
place_init(struct place *p, const char *below)
{
	struct str kvk;

	*p = (struct place){ 0 };
	unsetenv("KVAOT_CACHE");
	p->top = help_dir(&p->a);
	p->dir = path_join(&p->a, p->top, below);
	p->program = help_program(&p->a, "kvobj");
	help_conf(&p->a, &p->conf);
	help_write(&p->a, p->dir, "k.c", help_kernel);
	kvk = help_kvk(&p->a, &p->conf);
	help_write(&p->a, p->dir, "inc/kvk.h", kvk.p);
	help_write(&p->a, p->dir, "tools", "toolchain one");
	help_write(&p->a, p->dir, "kvobj.conf",
	    arena_printf(&p->a,
		"clang\t%s\nld\t%s\nscan\t%s\nclosure\ttools\n"
		"include\tinc\ncache\tcache\n",
		p->conf.clang, p->conf.ld, p->conf.scan));
}

static void
place_release(struct place *p)
{
	ck_assert_int_eq(remove_tree(p->top), 0);
	arena_release(&p->a);
}

/* Runs kvobj COMMAND ARGUMENTS in the folder. */
static char *
kvobj(struct place *p, int *status, const char *command)
{
	return help_output(&p->a, status,
	    "cd '%s' && set -- %s && C=$1 && shift && "
	    "%s $C --config=kvobj.conf \"$@\"",
	    p->dir, command, p->program);
}

static void
cc(struct place *p, const char *isa)
{
	char *out;
	int status;

	out = kvobj(p, &status,
	    arena_printf(&p->a, "cc --isa=%s -o k.ok k.c", isa));
	ck_assert_str_eq(out, "");
	ck_assert_int_eq(status, 0);
}

static char *
receipt(struct place *p)
{
	return (char *)help_read(&p->a, path_join(&p->a, p->dir, "k.ok")).p;
}

static void
expect(struct place *p, const char *command, int want, const char *fragment)
{
	int status;
	char *out = kvobj(p, &status, command);

	ck_assert_msg(status == want && strstr(out, fragment) != NULL,
	    "%s: status %d, printed: %s", command, status, out);
}

START_TEST(cc__same_receipt_from_every_folder)
{
	struct place p, q;

	place_init(&p, "plain");
	place_init(&q, "a b/\xc3\xbc$x:1\"#");
	cc(&p, "x86-64-v3");
	cc(&q, "x86-64-v3");
	ck_assert_str_eq(receipt(&p), receipt(&q));
	ck_assert_int_eq(
	    help_run("cd '%s/cache' && ! grep -rqF '%s' objects actions",
		q.dir, q.top),
	    0);
	place_release(&p);
	place_release(&q);
}
END_TEST

START_TEST(cc__second_time_is_a_hit)
{
	struct place p;
	char *first;

	place_init(&p, "p");
	cc(&p, "x86-64");
	expect(&p, "stats", 0, "hit\t0\nmiss\t1\ncompile\t1\nrepair\t0\n"
			       "objects\t1\n");
	first = receipt(&p);
	ck_assert_int_eq(help_run("rm '%s/k.ok'", p.dir), 0);
	cc(&p, "x86-64");
	ck_assert_str_eq(first, receipt(&p));
	expect(&p, "stats", 0, "hit\t1\nmiss\t1\ncompile\t1\nrepair\t0\n");
	place_release(&p);
}
END_TEST

/* Several sources and levels at once: what one is refused for keeps no other
 * from its receipt, and each is the one that a call of its own gives. */
START_TEST(cc__several_at_once)
{
	struct place p;
	char *path;

	place_init(&p, "p");
	help_write(&p.a, p.dir, "bad.c", "this is no C\n");
	cc(&p, "x86-64-v3");
	expect(&p, "cc --isa=x86-64,x86-64-v3 bad.c k.c", 1, "bad.c");
	path = path_join(&p.a, p.dir, "k.x86-64-v3.ok");
	ck_assert_str_eq(help_read(&p.a, path).p, receipt(&p));
	ck_assert_int_eq(help_run("cd '%s' && [ -s k.x86-64.ok ] && "
	    "! cmp -s k.x86-64.ok k.x86-64-v3.ok && "
	    "! ls bad.*.ok 2>/dev/null", p.dir), 0);
	expect(&p, "cc --isa=x86-64,x86-64-v3 -o k.ok k.c", 2, "expected cc");
	expect(&p, "cc --isa=x86-64 k.c.txt", 2, "k.c.txt");
	expect(&p, "cc --isa=x86-64,vax k.c", 2, "vax");
	place_release(&p);
}
END_TEST

/* A compiler that cannot write has not refused the source. */
START_TEST(cc__a_full_disk_is_no_refusal)
{
	struct place p;

	place_init(&p, "p");
	ck_assert_int_eq(help_run("cd '%s' && printf '#!/bin/sh\\n"
	    "echo \"error: unable to open output file: "
	    "No space left on device\" >&2; exit 1\\n' >full && chmod +x full "
	    "&& sed -i \"s!^clang.*!clang\t$PWD/full!\" kvobj.conf", p.dir), 0);
	expect(&p, "cc --isa=x86-64 -o k.ok k.c", 3,
	    "cannot compile in this folder: No space left on device");
	place_release(&p);
}
END_TEST

START_TEST(cc__repairs_a_damaged_object)
{
	struct place p;
	char *first;

	place_init(&p, "p");
	cc(&p, "x86-64");
	first = receipt(&p);
	ck_assert_int_eq(
	    help_run("cd '%s/cache/objects' && chmod u+w */* && "
		     "printf X | dd of=$(echo */*) bs=1 seek=4100 "
		     "conv=notrunc status=none",
		p.dir),
	    0);
	expect(&p, "verify", 1, "damaged object");
	cc(&p, "x86-64");
	ck_assert_str_eq(first, receipt(&p));
	expect(&p, "stats", 0, "hit\t0\nmiss\t1\ncompile\t2\nrepair\t1\n"
			       "objects\t1\n");
	expect(&p, "verify", 0, "");
	place_release(&p);
}
END_TEST

START_TEST(cc__eight_at_once_give_one_object)
{
	struct place p;
	char *first;

	place_init(&p, "p");
	cc(&p, "x86-64");
	first = receipt(&p);
	ck_assert_int_eq(
	    help_run("cd '%s' && rm -r k.ok cache && "
		     "for i in 1 2 3 4 5 6 7 8; do %s cc --config=kvobj.conf "
		     "--isa=x86-64 -o $i.ok k.c & done; wait && "
		     "for i in 2 3 4 5 6 7 8; do cmp 1.ok $i.ok || exit 1; "
		     "done && mv 1.ok k.ok",
		p.dir, p.program),
	    0);
	ck_assert_str_eq(first, receipt(&p));
	expect(&p, "stats", 0, "objects\t1\n");
	expect(&p, "verify", 0, "");
	ck_assert_int_eq(
	    help_run("cd '%s/cache' && test -z \"$(ls tmp)\" && "
		     "test $(find objects actions -type f | wc -l) = 2",
		p.dir),
	    0);
	place_release(&p);
}
END_TEST

START_TEST(verify__repair_removes_what_is_damaged)
{
	struct place p;

	place_init(&p, "p");
	cc(&p, "x86-64");
	ck_assert_int_eq(
	    help_run("cd '%s/cache/objects' && chmod u+w */* && : >$(echo */*)",
		p.dir),
	    0);
	expect(&p, "verify --repair", 0, "removed\t");
	expect(&p, "verify", 0, "");
	expect(&p, "stats", 0, "objects\t0\n");
	expect(&p, "show k.ok", 1, "cannot read the object");
	place_release(&p);
}
END_TEST

START_TEST(cc__toolchain_and_header_make_new_actions)
{
	struct place p;
	char *first, *second;

	place_init(&p, "p");
	cc(&p, "x86-64");
	first = receipt(&p);
	ck_assert_int_eq(help_run("cd '%s' && touch -r tools t && "
				  "printf 'toolchain two' >tools && "
				  "touch -r t tools",
			     p.dir),
	    0);
	cc(&p, "x86-64");
	second = receipt(&p);
	ck_assert_str_ne(first, second);
	ck_assert_int_eq(help_run("echo >>'%s/inc/kvk.h'", p.dir), 0);
	cc(&p, "x86-64");
	ck_assert_str_ne(second, receipt(&p));
	expect(&p, "stats", 0, "hit\t0\nmiss\t3\ncompile\t3\n");
	place_release(&p);
}
END_TEST

START_TEST(cc__a_refused_source_leaves_nothing)
{
	struct place p;

	place_init(&p, "p");
	help_write(&p.a, p.dir, "k.ok", "an old receipt");
	help_write(&p.a, p.dir, "k.c",
	    arena_printf(&p.a, "%sint wrong = nothing;\n", help_kernel));
	expect(&p, "cc --isa=x86-64 -o k.ok k.c", 1, "k.c:23:13: error");
	ck_assert(!file_exists(path_join(&p.a, p.dir, "k.ok")));
	expect(&p, "stats", 0, "compile\t0\nrepair\t0\nobjects\t0\n");
	ck_assert_int_eq(help_run("test -z \"$(ls '%s/cache/tmp')\"", p.dir),
	    0);
	/* What compiles but is no kernel object is refused as well. */
	help_write(&p.a, p.dir, "k.c",
	    arena_printf(&p.a,
		"%s__attribute__((visibility(\"default\"))) int more = 1;\n",
		help_kernel));
	expect(&p, "cc --isa=x86-64 -o k.ok k.c", 1, "'more'");
	expect(&p, "stats", 0, "compile\t0\nrepair\t0\nobjects\t0\n");
	place_release(&p);
}
END_TEST

START_TEST(scan__finds_fma_only_where_it_is_written)
{
	struct place p;

	place_init(&p, "p");
	cc(&p, "x86-64-v3");
	expect(&p, "scan k.ok", 0, "\tx86-64-v3\tfma 0\n");
	help_write(&p.a, p.dir, "k.c",
	    arena_printf(&p.a,
		"#define EXPR __builtin_fmaf(a[i], b[i], c[i])\n%s",
		help_kernel));
	cc(&p, "x86-64-v3");
	expect(&p, "scan k.ok", 0, "\tx86-64-v3\tfma ");
	ck_assert_ptr_null(
	    strstr(kvobj(&p, &(int){ 0 }, "scan k.ok"), "fma 0\n"));
	place_release(&p);
}
END_TEST

START_TEST(scan__refuses_instructions_above_the_level)
{
	struct place p;

	place_init(&p, "p");
	cc(&p, "x86-64-v3");
	expect(&p, "scan --isa=x86-64-v3 k.ok", 0, "x86-64-v3");
	expect(&p, "scan --isa=x86-64 k.ok", 1, "(needs avx2)");
	cc(&p, "x86-64");
	expect(&p, "scan --isa=x86-64 k.ok", 0, "x86-64\tfma 0");
	place_release(&p);
}
END_TEST

/* One instruction each, with the level that has it, by Intel's manual. */
static const struct {
	const char *text;
	int base, v3, v4;
} insn[] = {
	{ "addps %xmm0, %xmm1", 0, 0, 0 },
	{ "cvttsd2si %xmm0, %rax", 0, 0, 0 },
	{ "bsf %eax, %ecx", 0, 0, 0 },
	{ "tzcnt %eax, %ecx", 0, 0, 0 },
	{ "fldl (%rsp)", 0, 0, 0 },
	{ "cmpxchgq %rax, (%rdi)", 0, 0, 0 },
	{ "haddps %xmm0, %xmm1", 1, 0, 0 },
	{ "movddup %xmm0, %xmm1", 1, 0, 0 },
	{ "lddqu (%rsp), %xmm0", 1, 0, 0 },
	{ "pshufb %xmm0, %xmm1", 1, 0, 0 },
	{ "palignr $3, %xmm0, %xmm1", 1, 0, 0 },
	{ "roundps $1, %xmm0, %xmm1", 1, 0, 0 },
	{ "blendvps %xmm0, %xmm1, %xmm2", 1, 0, 0 },
	{ "pcmpgtq %xmm0, %xmm1", 1, 0, 0 },
	{ "crc32b %al, %ecx", 1, 0, 0 },
	{ "popcntl %eax, %ecx", 1, 0, 0 },
	{ "movbe (%rdi), %eax", 1, 0, 0 },
	{ "lzcntl %eax, %ecx", 1, 0, 0 },
	{ "vaddps %ymm0, %ymm1, %ymm2", 1, 0, 0 },
	{ "vpermd %ymm0, %ymm1, %ymm2", 1, 0, 0 },
	{ "vgatherdps %ymm0, (%rdi,%ymm1), %ymm2", 1, 0, 0 },
	{ "vfmadd213ps %ymm0, %ymm1, %ymm2", 1, 0, 0 },
	{ "vcvtph2ps %xmm0, %ymm1", 1, 0, 0 },
	{ "vcvtps2ph $0, %ymm0, %xmm1", 1, 0, 0 },
	{ "andn %eax, %ecx, %edx", 1, 0, 0 },
	{ "blsr %eax, %ecx", 1, 0, 0 },
	{ "shlx %eax, %ecx, %edx", 1, 0, 0 },
	{ "pdep %eax, %ecx, %edx", 1, 0, 0 },
	{ "mulx %eax, %ecx, %edx", 1, 0, 0 },
	{ "rorx $3, %eax, %ecx", 1, 0, 0 },
	{ "vaddps %zmm0, %zmm1, %zmm2", 1, 1, 0 },
	{ "vaddps %xmm16, %xmm1, %xmm2", 1, 1, 0 },
	{ "{evex} vaddps %ymm0, %ymm1, %ymm2", 1, 1, 0 },
	{ "kmovw %k1, %eax", 1, 1, 0 },
	{ "kandw %k1, %k2, %k3", 1, 1, 0 },
	{ "kmovq %rax, %k1", 1, 1, 0 },
	{ "kshiftlw $3, %k1, %k2", 1, 1, 0 },
	{ "vmovntps %zmm0, (%rsp)", 1, 1, 0 },
	{ "vmovdqu8 (%rsp), %ymm0 {%k1} {z}", 1, 1, 0 },
	{ "vcmpps $3, %zmm0, %zmm1, %k1", 1, 1, 0 },
	{ "vblendmps %zmm0, %zmm1, %zmm2 {%k1}", 1, 1, 0 },
	{ "vfmadd231ps %zmm0, %zmm1, %zmm2", 1, 1, 0 },
	{ "vpternlogd $7, %zmm0, %zmm1, %zmm2", 1, 1, 0 },
	{ "vpcmpgtq %ymm1, %ymm0, %k1", 1, 1, 0 },
	{ "vpcmpub $1, %zmm0, %zmm1, %k1", 1, 1, 0 },
	{ "vrndscaleps $8, %zmm0, %zmm1", 1, 1, 0 },
	{ "vpmovqd %zmm0, %ymm1", 1, 1, 0 },
	{ "vpmovm2d %k1, %zmm0", 1, 1, 0 },
	{ "vplzcntd %zmm0, %zmm1", 1, 1, 0 },
	{ "vpermw %zmm0, %zmm1, %zmm2", 1, 1, 0 },
	{ "vpermi2w %zmm0, %zmm1, %zmm2", 1, 1, 0 },
	{ "vrangeps $1, %zmm0, %zmm1, %zmm2", 1, 1, 0 },
	{ "vcvtqq2pd %zmm0, %zmm1", 1, 1, 0 },
	{ "vpmullq %zmm0, %zmm1, %zmm2", 1, 1, 0 },
	{ "vscatterdps %zmm0, (%rdi,%zmm1) {%k1}", 1, 1, 0 },
	{ "vpconflictd %zmm0, %zmm1", 1, 1, 0 },
	{ "vfpclassps $1, %zmm0, %k1", 1, 1, 0 },
	{ "vpbroadcastq %rsi, %ymm2", 1, 1, 0 },
	{ "vpermb %zmm0, %zmm1, %zmm2", 1, 1, 1 },
	{ "vpermi2b %zmm0, %zmm1, %zmm2", 1, 1, 1 },
	{ "vpmadd52luq %zmm0, %zmm1, %zmm2", 1, 1, 1 },
	{ "vpdpbusd %zmm0, %zmm1, %zmm2", 1, 1, 1 },
	{ "vpopcntd %zmm0, %zmm1", 1, 1, 1 },
	{ "vpopcntb %zmm0, %zmm1", 1, 1, 1 },
	{ "vpshldd $1, %zmm0, %zmm1, %zmm2", 1, 1, 1 },
	{ "vpcompressb %zmm0, %zmm1", 1, 1, 1 },
	{ "vdpbf16ps %zmm0, %zmm1, %zmm2", 1, 1, 1 },
	{ "vcvtneps2bf16 %zmm0, %ymm1", 1, 1, 1 },
	{ "vp2intersectd %zmm0, %zmm1, %k0", 1, 1, 1 },
	{ "vaddph %zmm0, %zmm1, %zmm2", 1, 1, 1 },
	{ "vfmadd231ph %zmm0, %zmm1, %zmm2", 1, 1, 1 },
	{ "vaesenc %zmm0, %zmm1, %zmm2", 1, 1, 1 },
	{ "vpclmulqdq $0, %zmm0, %zmm1, %zmm2", 1, 1, 1 },
	{ "vgf2p8mulb %zmm0, %zmm1, %zmm2", 1, 1, 1 },
	{ "vpshufbitqmb %zmm0, %zmm1, %k1", 1, 1, 1 },
	{ "vpmultishiftqb %zmm0, %zmm1, %zmm2", 1, 1, 1 },
	{ "{vex} vpdpbusd %ymm0, %ymm1, %ymm2", 1, 1, 1 },
	{ "{vex} vpmadd52luq %ymm0, %ymm1, %ymm2", 1, 1, 1 },
	{ "vpclmulqdq $0, %xmm0, %xmm1, %xmm2", 1, 1, 1 },
	{ "vaesenc %ymm0, %ymm1, %ymm2", 1, 1, 1 },
	{ "aesenc %xmm0, %xmm1", 1, 1, 1 },
	{ "sha256rnds2 %xmm0, %xmm1, %xmm2", 1, 1, 1 },
	{ "gf2p8mulb %xmm0, %xmm1", 1, 1, 1 },
	{ "adcx %eax, %ecx", 1, 1, 1 },
	{ "vfmaddps %xmm0, %xmm1, %xmm2, %xmm3", 1, 1, 1 },
	{ "rdrand %eax", 1, 1, 1 },
	{ "xbegin 0", 1, 1, 1 },
	{ "syscall", 1, 1, 1 },
	{ "cpuid", 1, 1, 1 },
	{ "xgetbv", 1, 1, 1 },
	{ "sfence", 0, 0, 0 },
	{ "movntps %xmm0, (%rsp)", 0, 0, 0 },
	{ "ldmxcsr (%rsp)", 1, 1, 1 },
	{ "vldmxcsr (%rsp)", 1, 1, 1 },
};

START_TEST(scan__knows_the_level_of_each_instruction)
{
	const size_t n = sizeof(insn) / sizeof(insn[0]);
	struct place p;
	size_t i;

	place_init(&p, "p");
	for (i = 0; i < n; i++) {
		help_write(&p.a, p.dir, "k.c",
		    arena_printf(&p.a,
			"%s__attribute__((used)) static void more(void)\n"
			"{ __asm__ volatile(\"%s\"); }\n",
			help_kernel, insn[i].text));
		cc(&p, "x86-64");
		expect(&p, "scan --isa=x86-64 k.ok", insn[i].base, "");
		expect(&p, "scan --isa=x86-64-v3 k.ok", insn[i].v3, "");
		expect(&p, "scan --isa=x86-64-v4 k.ok", insn[i].v4, "");
	}
	place_release(&p);
}
END_TEST

START_TEST(show__prints_the_table)
{
	struct place p;

	place_init(&p, "p");
	cc(&p, "x86-64");
	expect(&p, "show k.ok", 0,
	    "entry 0\t-\tany,any,any->any\tfloat32\tmap\tx86-64\tin 3 out 1");
	place_release(&p);
}
END_TEST

START_TEST(hand__may_include_under_conditions)
{
	struct place p;

	place_init(&p, "p");
	help_write(&p.a, p.dir, "inc/vec/x.h", "#define X 1\n");
	help_write(&p.a, p.dir, "k.c",
	    arena_printf(&p.a, "#ifdef __x86_64__\n#include \"vec/x.h\"\n"
			       "#else\n#include \"vec/none.h\"\n#endif\n"
			       "#if X != 1\n#error X\n#endif\n%s",
		help_kernel));
	expect(&p, "cc --isa=x86-64 -o k.ok k.c", 1, "k.c:2");
	expect(&p, "cc --hand --isa=x86-64 -o k.ok k.c", 0, "");
	place_release(&p);
}
END_TEST

START_TEST(usage__exit_codes)
{
	struct place p;

	place_init(&p, "p");
	expect(&p, "cc --isa=x86-64 -o k.ok", 2, "expected cc");
	expect(&p, "cc --isa=mips -o k.ok k.c", 2, "'mips'");
	expect(&p, "cc --isa=x86-64 -o k.ok none.c", 1, "none.c");
	expect(&p, "nothing", 2, "'nothing'");
	expect(&p, "cc --help", 0, "Example:");
	ck_assert_int_eq(help_run("chmod o+w '%s/cache'", p.dir), 0);
	expect(&p, "ls", 3, "every user");
	place_release(&p);
}
END_TEST

Suite *
cache_kvobj_suite(void)
{
	Suite *s = suite_create("cache_kvobj");
	TCase *t = tcase_create("kvobj");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, cc__same_receipt_from_every_folder);
	tcase_add_test(t, cc__second_time_is_a_hit);
	tcase_add_test(t, cc__repairs_a_damaged_object);
	tcase_add_test(t, cc__eight_at_once_give_one_object);
	tcase_add_test(t, verify__repair_removes_what_is_damaged);
	tcase_add_test(t, cc__toolchain_and_header_make_new_actions);
	tcase_add_test(t, cc__a_full_disk_is_no_refusal);
	tcase_add_test(t, cc__several_at_once);
	tcase_add_test(t, cc__a_refused_source_leaves_nothing);
	tcase_add_test(t, scan__finds_fma_only_where_it_is_written);
	tcase_add_test(t, scan__refuses_instructions_above_the_level);
	tcase_add_test(t, scan__knows_the_level_of_each_instruction);
	tcase_add_test(t, show__prints_the_table);
	tcase_add_test(t, hand__may_include_under_conditions);
	tcase_add_test(t, usage__exit_codes);
	suite_add_tcase(s, t);
	return s;
}
