#!/bin/sh
# SPDX-License-Identifier: MIT
# Calls on more than 2^31 elements, at each level of this CPU.
. "$(dirname "$0")/lib.sh"
exits 2 "$bin/huge"
exits 2 "$bin/huge" --lib "$KVAOT_OUT/lib" nothing
exits 0 "$bin/huge" --help
says "$tmp/out" 'usage: huge' 'help'
exits 0 "$bin/huge" --lib "$KVAOT_OUT/lib"
grep -v '^ok ' "$tmp/out" || :
finish
