#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs fuzz targets one after the other, each for $FUZZ_SECONDS, from its corpus and on from what earlier runs found (which
# stays in FOLDER/found), and prints how many executions that were and how many edges of the program they
# covered: fuzz.sh FOLDER TARGET... Ends with 1 when one failed; the input is then in FOLDER/failed.
set -u
folder=$1
shift
here=$(dirname "$0")
status=0 total=0
"$folder/dictionary" | sort -u >"$folder/dictionary.txt" || exit 1
printf '%-10s %12s %8s %10s %8s\n' target executions edges 'inputs' 'MiB'
for target in "$@"; do
	found=$folder/found/$target failed=$folder/failed/$target log=$folder/$target.log
	mkdir -p "$found" "$failed"
	rm -rf "$folder/corpus/$target"
	"$here/pack.py" unpack "$here/corpus/$target" "$folder/corpus/$target" || exit 1
	seeds="$folder/corpus/$target"
	test ! -d "$here/crashes/$target" || seeds="$seeds $here/crashes/$target"
	# shellcheck disable=SC2086 # folders of ours, without blanks
	if ! ASAN_OPTIONS=malloc_context_size=8:quarantine_size_mb=16 "$folder/fuzz_$target" -dict="$folder/dictionary.txt" \
		-max_total_time="${FUZZ_SECONDS:-60}" -timeout=5 -rss_limit_mb=512 -print_final_stats=1 \
		-artifact_prefix="$failed/" "$found" $seeds >"$log" 2>&1; then
		status=1
		echo "$target: failed, see $log; the input is in $failed"
	fi
	executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
	memory=$(sed -n 's/^stat::peak_rss_mb: *//p' "$log")
	inputs=$(find "$found" -type f | wc -l)
	printf '%-10s %12s %8s %10s %8s\n' "$target" "${executions:-?}" "${edges:-?}" "$inputs" "${memory:-?}"
	total=$((total + ${executions:-0}))
done
printf '%-10s %12s\n' all "$total"
exit $status
