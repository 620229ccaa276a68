#!/usr/bin/env bash
# Tells where the processor time of the two hottest paths goes: the small JSON answer over keep-alive, and 64 KiB ranges.
# callgrind counts instructions in user space, which no other program on the machine can disturb; perf, where the kernel
# lets it sample, says how much of the time is spent in the kernel and where.
set -euo pipefail
cd "$(dirname "$0")/.."
exec python3 Benchmarks/profile_paths.py "$@"
