#!/bin/sh
# SPDX-License-Identifier: MIT
# Fails when a variable with FREED_BY() has no initialiser: an early return would free what was never set.
cd "$(dirname "$0")/.." || exit
! grep -nE 'FREED_BY\([a-z_]+\)([^=;]*[;,]|.*, \*?[a-z_]+;)' src/*/*.c
