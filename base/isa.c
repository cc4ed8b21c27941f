/* SPDX-License-Identifier: MIT */
#include "base/isa.h"

#include <cpuid.h>
#include <stdint.h>

#include "base/fatal.h"
#include "base/str.h"

#define ISA(name, rank, flag, features) { name, rank, flag, features },
const struct isa isa_table[] = {
#include "base/isa.def"
};
#undef ISA

const size_t isa_count = sizeof(isa_table) / sizeof(isa_table[0]);

/* Where cpuid reports features. */
enum reg { LEAF1_ECX, LEAF7_EBX, EXT1_ECX, N_REGS };

/* State that the system must save, as bits of XCR0. */
enum { XCR_NONE = 0, XCR_AVX = 0x06, XCR_AVX512 = 0xe6 };

static const struct feature {
	const char *name;
	enum reg reg;
	int bit;
	unsigned xcr;
} feature_table[] = {
	{ "sse3", LEAF1_ECX, 0, XCR_NONE },
	{ "ssse3", LEAF1_ECX, 9, XCR_NONE },
	{ "fma", LEAF1_ECX, 12, XCR_AVX },
	{ "sse4.1", LEAF1_ECX, 19, XCR_NONE },
	{ "sse4.2", LEAF1_ECX, 20, XCR_NONE },
	{ "movbe", LEAF1_ECX, 22, XCR_NONE },
	{ "popcnt", LEAF1_ECX, 23, XCR_NONE },
	{ "avx", LEAF1_ECX, 28, XCR_AVX },
	{ "f16c", LEAF1_ECX, 29, XCR_AVX },
	{ "bmi1", LEAF7_EBX, 3, XCR_NONE },
	{ "avx2", LEAF7_EBX, 5, XCR_AVX },
	{ "bmi2", LEAF7_EBX, 8, XCR_NONE },
	{ "avx512f", LEAF7_EBX, 16, XCR_AVX512 },
	{ "avx512dq", LEAF7_EBX, 17, XCR_AVX512 },
	{ "avx512cd", LEAF7_EBX, 28, XCR_AVX512 },
	{ "avx512bw", LEAF7_EBX, 30, XCR_AVX512 },
	{ "avx512vl", LEAF7_EBX, 31, XCR_AVX512 },
	{ "lzcnt", EXT1_ECX, 5, XCR_NONE },
};

struct cpu {
	unsigned reg[N_REGS];
	unsigned xcr;
};

static void
cpu_read(struct cpu *c)
{
	unsigned a, b, cx, d;

	*c = (struct cpu){ 0 };
	if (__get_cpuid(1, &a, &b, &cx, &d))
		c->reg[LEAF1_ECX] = cx;
	if (__get_cpuid_count(7, 0, &a, &b, &cx, &d))
		c->reg[LEAF7_EBX] = b;
	if (__get_cpuid(0x80000001, &a, &b, &cx, &d))
		c->reg[EXT1_ECX] = cx;
	/* OSXSAVE: the system has enabled xgetbv and set XCR0. */
	if (c->reg[LEAF1_ECX] & 1u << 27) {
		__asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
		c->xcr = a;
	}
}

static const struct feature *
feature_find(struct str name)
{
	size_t i;

	for (i = 0; i < sizeof(feature_table) / sizeof(feature_table[0]); i++) {
		if (str_is(name, feature_table[i].name))
			return &feature_table[i];
	}
	return NULL;
}

const struct isa *
isa_find(const char *name)
{
	size_t i;

	for (i = 0; i < isa_count; i++) {
		if (str_is(str_of(name), isa_table[i].name))
			return &isa_table[i];
	}
	return NULL;
}

bool
isa_runs_here(const struct isa *isa)
{
	struct str rest = str_of(isa->features), name;
	const struct feature *f;
	struct cpu cpu;

	cpu_read(&cpu);
	while (str_next(&rest, ' ', &name)) {
		f = feature_find(name);
		if (!f)
			BUG("isa.def: feature %.*s of %s is not in isa.c",
			    (int)name.n, name.p, isa->name);
		if (!(cpu.reg[f->reg] >> f->bit & 1) ||
		    (cpu.xcr & f->xcr) != f->xcr)
			return false;
	}
	return true;
}

const struct isa *
isa_best(void)
{
	const struct isa *best = NULL;
	size_t i;

	for (i = 0; i < isa_count; i++) {
		if (isa_runs_here(&isa_table[i]) &&
		    (!best || isa_table[i].rank > best->rank))
			best = &isa_table[i];
	}
	if (!best)
		BUG("isa.def: no level without features");
	return best;
}

const char *const *
isa_local(void)
{
	static const char *name[3];

	name[0] = isa_table[0].name;
	if (isa_best() != &isa_table[0])
		name[1] = isa_best()->name;
	return name;
}

const char *const *
isa_all(void)
{
	static const char *name[sizeof(isa_table) / sizeof(isa_table[0]) + 1];

	for (size_t i = 0; i < isa_count; i++)
		name[i] = isa_table[i].name;
	return name;
}
