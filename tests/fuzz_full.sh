#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/fuzz.sh with ten minutes a reader.
exec sh tests/fuzz.sh 600
