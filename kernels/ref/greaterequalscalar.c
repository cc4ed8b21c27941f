/* SPDX-License-Identifier: MIT */
#define NAME "greaterequalscalar"
#define READS 2
#define IN(t) "[*]" t "," SCALAR
#define MASK
#define F(S) v[0] >= v[1]
#include "ref/map.h"
