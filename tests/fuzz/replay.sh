#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs fuzz targets on their corpora and on the inputs that once failed: replay.sh FOLDER TARGET...
set -eu
folder=$1
shift
here=$(dirname "$0")
status=0
for target in "$@"; do
	inputs=
	test ! -f "$here/corpus/$target" || inputs="-p $here/corpus/$target"
	test ! -d "$here/crashes/$target" || inputs="$inputs $(find "$here/crashes/$target" -type f)"
	test -n "$inputs" || {
		echo "skipped: $target: it has no inputs"
		continue
	}
	# shellcheck disable=SC2086 # folders of ours, without blanks
	"$folder/fuzz_$target" $inputs 2>"$folder/$target.log" || {
		tr '\r' '\n' <"$folder/$target.log" | tail -n 60 >&2
		echo "failed: $target: see above"
		status=1
		continue
	}
	echo "passed: $target: $(tail -c 200 "$folder/$target.log" | tr '\r' '\n' | tail -n 1)"
done
exit $status
