#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/bytes.sh with ten times the graphs and all shapes at the baseline.
exec sh tests/bytes.sh full
