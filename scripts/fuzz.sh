#!/usr/bin/env bash
# Fuzzes the parsers with libFuzzer, each for SECONDS_EACH seconds (60), from its seeds in Fuzz/Corpus. Every input that
# once was a finding (Fuzz/FailCases/<target>-*) is tried first. Prints executions and coverage, fails on a finding.
#
#   scripts/fuzz.sh [target...]      RequestHead, Chunked, Ranges, Multipart, Zip, Index, Answers; all of them without arguments
#
# FUZZ_WORK is where logs, findings and what was discovered are kept (Fuzz/.build/fuzz).
set -euo pipefail
cd "$(dirname "$0")/../Fuzz"
seconds=${SECONDS_EACH:-60}
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(RequestHead Chunked Ranges Multipart Zip Index Answers)
# A program that dies must not wait for its own post-mortem.
export SWIFT_BACKTRACE=enable=no

work=${FUZZ_WORK:-$PWD/.build/fuzz}
mkdir -p "$work"
swift build -c release >"$work/build.log" 2>&1 || {
  cat "$work/build.log" >&2
  exit 1
}
programs=$(swift build -c release --show-bin-path)

failed=0
for target in "${targets[@]}"; do
  # What a run discovers is kept beside the build for the next one; the seeds stay as they are.
  mkdir -p "$work/$target"
  log=$work/$target.log
  shopt -s nullglob
  known=("FailCases/$target"-*)
  shopt -u nullglob
  if [ ${#known[@]} -gt 0 ] && ! "$programs/$target" "${known[@]}" >"$log" 2>&1; then
    echo "fuzz: $target: a finding of the past is back:" >&2
    tail -15 "$log" >&2
    failed=1
    continue
  fi
  if "$programs/$target" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1 \
    -dict="Dictionaries/$target.dict" -artifact_prefix="$work/$target-" "$work/$target" "Corpus/$target" >"$log" 2>&1; then
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    coverage=$(sed -n 's/.* cov: \([0-9]*\) ft: \([0-9]*\) .*/\1 edges, \2 features/p' "$log" | tail -1)
    echo "fuzz: $target: $executions executions in $seconds s, $coverage, no finding"
  else
    echo "fuzz: $target: a finding; the input is in $work/$target-*:" >&2
    grep -aE 'does not hold|Fatal error|ERROR|Test unit written' "$log" >&2 || tail -15 "$log" >&2
    failed=1
  fi
done
exit "$failed"
