#!/bin/sh
# SPDX-License-Identifier: MIT
# All cases of every back end, with the data of the seed KVAOT_SEED.
. "$(dirname "$0")/lib.sh"
find_refs
exits 0 "$bin/checkk" --lib "$KVAOT_OUT/lib" --ref "$refs" \
    --seed "${KVAOT_SEED:-1}"
grep -v '^ok ' "$tmp/out" || :
finish
