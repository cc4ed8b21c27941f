/* SPDX-License-Identifier: MIT */
#include "kv/native.h"

#include <string.h>

#include "space/value.h"

const struct kv_native kv_natives[] = {
#define NATIVE(name, least, most, writes, rule) \
	{ name, least, most, writes, RULE_##rule },
#include "kv/natives.def"
#undef NATIVE
};

const size_t kv_native_count = sizeof(kv_natives) / sizeof(kv_natives[0]);

const struct kv_native *
kv_native(const char *name)
{
	size_t i;

	for (i = 0; i < kv_native_count; i++)
		if (strcmp(kv_natives[i].name, name) == 0)
			return &kv_natives[i];
	return NULL;
}

bool
kv_native_is_binary(const struct kv_native *op)
{
	return op->rule >= RULE_ADD && op->rule <= RULE_LOGIC &&
	    op->least == 2 && op->most == 2;
}

const struct kv_native *
kv_native_of(const char *opcode)
{
	const char *dot = strstr(opcode, "·");
	struct str kind = { opcode, dot ? (size_t)(dot - opcode) : 0 };

	if (dot && dtype_of(kind) > DT_BOOL)
		opcode = dot + strlen("·");
	return kv_native(opcode);
}
