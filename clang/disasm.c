/* SPDX-License-Identifier: MIT */
/*
 * LLVM says where each instruction ends and what it reads like; level.c says
 * what it needs.
 */
#include "clang/disasm.h"

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <string.h>

#include "clang/level.h"

static LLVMDisasmContextRef
new_disassembler(void)
{
	LLVMInitializeX86TargetInfo();
	LLVMInitializeX86TargetMC();
	LLVMInitializeX86Disassembler();
	return LLVMCreateDisasm(
	    "x86_64-unknown-linux-gnu", NULL, 0, NULL, NULL);
}

static bool
has_feature(const char *features, const char *name)
{
	size_t n = strlen(name);
	const char *p = features;

	while ((p = strstr(p, name)) != NULL) {
		if ((p == features || p[-1] == ' ') &&
		    (p[n] == ' ' || p[n] == '\0'))
			return true;
		p += n;
	}
	return false;
}

/* LLVM writes a tab in front of the mnemonic and one behind it. */
static const char *
tidy(char *text)
{
	char *p;

	for (p = text; *p; p++) {
		if (*p == '\t')
			*p = ' ';
	}
	return text + strspn(text, " ");
}

int
disasm_scan(const unsigned char *code, size_t n, uint64_t addr,
    const char *features, struct clang_verdict *v, clang_bad *bad, void *ctx)
{
	LLVMDisasmContextRef dis = new_disassembler();
	size_t at = 0, len, start = 0;
	const char *needs;
	char text[256];
	bool fma;

	if (!dis)
		return -1;
	for (; at < n; at += len) {
		len = LLVMDisasmInstruction(dis, (uint8_t *)code + at, n - at,
		    addr + at, text, sizeof(text));
		v->insns++;
		if (len == 0) {
			v->bad++;
			bad(ctx, addr + at, "", "bytes that are no code");
			break;
		}
		if (level_is_prefix(code + start, at + len - start))
			continue;
		needs = level_needs(code + start, at + len - start, &fma);
		v->fmas += fma;
		if (needs && !has_feature(features, needs)) {
			v->bad++;
			bad(ctx, addr + at, tidy(text), needs);
		}
		start = at + len;
	}
	LLVMDisasmDispose(dis);
	return 0;
}
