#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes tests/fuzz/corpus/TARGET, a file of pack.py, the fewest inputs that reach all that the seeds, the corpus and what
# was found reach, small ones first: corpus.sh FOLDER TARGET... FOUND names another directory of what was found. An input
# longer than 2 KiB, or beyond the first 32 KiB of a target, is left out: corpora stay small. libFuzzer leaves inputs that
# fail out of the merge and goes on: they are copied to FOLDER/failed/TARGET, and the exit status is 1.
set -eu
folder=$1
shift
here=$(dirname "$0")
most=32768 longest=2048 status=0
python3 "$here/seeds.py" "$folder/seeds"
for target in "$@"; do
	corpus=$folder/corpus/$target found=${FOUND:-$folder/found}/$target failed=$folder/failed/$target
	mkdir -p "$found" "$folder/seeds/$target" "$failed"
	rm -rf "$corpus" "$folder/merged" "$failed"/merge-*
	"$here/pack.py" unpack "$here/corpus/$target" "$corpus"
	mkdir -p "$folder/merged"
	"$folder/fuzz_$target" -merge=1 -timeout=5 -artifact_prefix="$failed/merge-" \
		"$folder/merged" "$corpus" "$folder/seeds/$target" "$found" >"$folder/merge.log" 2>&1
	rm -rf "$corpus"
	mkdir -p "$corpus"
	size=0
	# By size, so that many ways fit.
	find "$folder/merged" -type f -size -"$((longest + 1))"c -printf '%s %p\n' | sort -n | while read -r bytes file; do
		size=$((size + bytes))
		test "$size" -le "$most" || break
		cp "$file" "$corpus/"
	done
	"$here/pack.py" pack "$corpus" "$here/corpus/$target"
	echo "$target: $(find "$corpus" -type f | wc -l) inputs, $(wc -c <"$here/corpus/$target") bytes"
	failures=$(find "$failed" -name 'merge-*' | wc -l)
	test "$failures" -eq 0 || {
		status=1
		echo "$target: inputs that failed: $failures, see $failed/merge-*"
	}
done
exit $status
