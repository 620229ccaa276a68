#!/usr/bin/env bash
# What a change must pass before it is built: format and layering. CI runs it first.
set -euo pipefail
cd "$(dirname "$0")/.."
swift format lint --strict --recursive --parallel Package.swift Sources Tests Fuzz/Package.swift Fuzz/Sources Benchmarks/unpack/Package.swift Benchmarks/unpack/Sources \
  scripts/conformance/multipart_probe.swift scripts/conformance/zip_probe.swift
scripts/check-layering.sh
