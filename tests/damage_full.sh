#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/damage.sh with every length and every byte of all files.
exec sh tests/damage.sh all
