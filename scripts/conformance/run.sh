#!/usr/bin/env bash
# Runs outside material through the release build: wheels from PyPI, and real clients and servers as peers.
# Downloads go to .conformance/, checked against the sums in wheels.txt; they never enter the repository.
set -euo pipefail
cd "$(dirname "$0")/../.."
cache=$PWD/.conformance
mkdir -p "$cache/wheels"

if [ ! -x "$cache/venv/bin/pip" ]; then python3 -m venv "$cache/venv"; fi
fetch() { # name version sum
  local file
  for file in "$cache/wheels/$1-$2"-*.whl; do
    if [ -e "$file" ] && echo "$3  $file" | sha256sum --check --status; then return; fi
  done
  "$cache/venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --require-hashes --dest "$cache/wheels" --requirement <(echo "$1==$2 --hash=sha256:$3")
}
while read -r name version sum; do
  case "$name" in '' | '#'*) continue ;; esac
  fetch "$name" "$version" "$sum"
done <scripts/conformance/wheels.txt

python3 scripts/conformance/main_job.py --programs .build/release --wheels "$cache/wheels" \
  --list scripts/conformance/wheels.txt
python3 scripts/conformance/faults.py --programs .build/release
