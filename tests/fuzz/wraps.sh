#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the linker's options for the calls that source files of fuzz targets wrap: wraps.sh FILE.c...
sed -n 's/^[a-z].*[ *]__wrap_\([a-z_0-9]*\)(.*/\1/p; s/^\(REAL\|CALL\)([^,]*, \([a-z_0-9]*\),.*/\2/p' "$@" | sort -u |
	sed 's/^/-Wl,--wrap=/'
