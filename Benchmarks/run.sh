#!/usr/bin/env bash
# Measures the release build against nginx and aria2c in one run and writes Benchmarks/RESULTS.md.
# ROUNDS (5) and SECONDS_EACH (4) set how long it takes; the default is about ten minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
exec python3 Benchmarks/measure.py --programs .build/release --rounds "${ROUNDS:-5}" --seconds "${SECONDS_EACH:-4}" \
  --results Benchmarks/RESULTS.md "$@"
