#!/usr/bin/env bash
# Runs the tests under AddressSanitizer with LeakSanitizer, or under ThreadSanitizer, in a scratch path of their own: the
# programs that tests start are instrumented, too. Anything a sanitizer reports, in whichever process, is a failure.
#
#   scripts/sanitizers/run.sh address|thread [arguments for swift test, such as --filter HTTPServerTests]
set -euo pipefail
cd "$(dirname "$0")/../.."
kind=${1:?address or thread}
shift
case "$kind" in
address) scratch=$PWD/.build-asan ;;
thread) scratch=$PWD/.build-tsan ;;
*)
  echo "sanitizers: address or thread, not $kind" >&2
  exit 64
  ;;
esac
reports=$scratch/reports
rm -rf "$reports"
mkdir -p "$reports"
flags=(--sanitize="$kind" --scratch-path "$scratch")
here=$PWD/scripts/sanitizers

case "$kind" in
address)
  export ASAN_OPTIONS="detect_leaks=1:log_path=$reports/report:exitcode=67"
  export LSAN_OPTIONS="suppressions=$here/leaks.txt:print_suppressions=0"
  ;;
thread)
  # A process that exits does not wait for its threads: those that are done by then are no leak of interest.
  export TSAN_OPTIONS="report_thread_leaks=0:log_path=$reports/report:exitcode=66:history_size=4"
  # mutex.c says why; the C compiler must be the one that knows Swift's calling convention.
  compiler=$(dirname "$(readlink -f "$(command -v swiftc)")")
  "$compiler/clang" -c -O1 -g "$here/mutex.c" -o "$scratch/mutex.o"
  flags+=(-Xlinker "$scratch/mutex.o")
  # The proof that this hides nothing: a contended Mutex is silent, and a race beside it is found.
  swiftc -sanitize=thread "$here/probe.swift" -Xlinker "$scratch/mutex.o" -o "$scratch/probe"
  "$scratch/probe" || { echo "sanitizers: a sound program is called racy" >&2; exit 1; }
  if TSAN_OPTIONS=exitcode=66:log_path=/dev/null "$scratch/probe" race; then
    echo "sanitizers: a race is not found" >&2
    exit 1
  fi
  ;;
esac

status=0
SWIFT_BACKTRACE=enable=no swift test "${flags[@]}" --no-parallel "$@" || status=$?
found=("$reports"/*)
if [ -e "${found[0]}" ]; then
  cat "${found[@]}" >&2
  echo "sanitizers: ${#found[@]} processes were reported" >&2
  exit 1
fi
exit "$status"
