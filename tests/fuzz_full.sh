#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/fuzz.sh with ten minutes a reader, if KVAOT_FUZZ_SECONDS says no others.
exec sh tests/fuzz.sh "${KVAOT_FUZZ_SECONDS:-600}"
