/* SPDX-License-Identifier: MIT */
#include "base/blas.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Why one library cannot be used. */
enum { REASON = 300 };

/* A pointer to a function: C has no conversion from the one dlsym gives. */
static bool
get(void *so, const char *name, void *fn)
{
	void *symbol = dlsym(so, name);

	memcpy(fn, &symbol, sizeof(symbol));
	return symbol != NULL;
}

static const char *
take_functions(struct blas_library *l, void *so)
{
	char *(*config)(void);
	Dl_info info;
	void *at;

	if (!get(so, "cblas_sgemm", &l->sgemm) ||
	    !get(so, "cblas_dgemm", &l->dgemm))
		return "it lacks cblas_sgemm or cblas_dgemm";
	if (get(so, "openblas_get_config", &config))
		l->config = config();
	if (l->config && strstr(l->config, "USE64BITINT"))
		return "it counts in 64-bit integers";
	get(so, "openblas_set_num_threads", &l->set_threads);
	memcpy(&at, &l->sgemm, sizeof(at));
	if (!dladdr(at, &info))
		return "the system does not say what file it is";
	l->file = info.dli_fname;
	return NULL;
}

static int
try(struct blas_library *l, const char *name, char reason[REASON])
{
	void *so = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	const char *fault;

	memset(l, 0, sizeof(*l));
	if (!so) {
		snprintf(reason, REASON, "%s", dlerror());
		return -1;
	}
	fault = take_functions(l, so);
	if (!fault)
		return 0;
	snprintf(reason, REASON, "%.200s: %s", name, fault);
	dlclose(so);
	return -1;
}

int
blas_open(struct blas_library *l, char why[BLAS_WHY])
{
	static const char *const names[] = { "libopenblas.so.0",
		"libopenblas.so", "libblas.so.3" };
	const char *own = getenv("KVAOT_BLAS");
	char first[REASON], reason[REASON];
	size_t i;

	if (own && *own) {
		if (!try(l, own, reason))
			return 0;
		snprintf(why, BLAS_WHY, "KVAOT_BLAS cannot be used (%s); "
		    "install libopenblas0-pthread (Debian) and unset it, or "
		    "let it name another BLAS library", reason);
		return -1;
	}
	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!try(l, names[i], i ? reason : first))
			return 0;
	}
	snprintf(why, BLAS_WHY, "none of %s, %s, %s can be used (%s); install "
	    "libopenblas0-pthread (Debian), or let KVAOT_BLAS name another "
	    "BLAS library", names[0], names[1], names[2], first);
	return -1;
}
