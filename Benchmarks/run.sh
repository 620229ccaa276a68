#!/usr/bin/env bash
# Measures the release build against nginx and aria2c in one run and writes Benchmarks/RESULTS.md, in a quarter of an hour.
# --quick proves in two minutes that everything works; --only ROW measures one row; --list names them; --help says the rest.
set -euo pipefail
cd "$(dirname "$0")/.."
exec python3 Benchmarks/bench.py "$@"
