#!/bin/sh
# SPDX-License-Identifier: MIT
# The accuracy of the functions of one float32 on all 2^32 inputs.
exec sh "$(dirname "$0")/sweep.sh" full
