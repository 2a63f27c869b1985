#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs fuzz targets on their corpora and on the inputs that once failed: replay.sh FOLDER TARGET...
set -eu
folder=$1
shift
here=$(dirname "$0")
for target in "$@"; do
	inputs=
	for each in "$here/corpus/$target" "$here/crashes/$target"; do
		test -z "$(find "$each" -type f 2>/dev/null | head -n 1)" || inputs="$inputs $each"
	done
	test -n "$inputs" || continue
	# shellcheck disable=SC2086 # folders of ours, without blanks
	"$folder/fuzz_$target" $inputs 2>"$folder/$target.log" || {
		tr '\r' '\n' <"$folder/$target.log" | tail -n 60 >&2
		exit 1
	}
	tail -c 200 "$folder/$target.log" | tr '\r' '\n' | tail -n 1
done
