#!/usr/bin/env bash
# Runs outside material through the release build: the requests other HTTP implementations test themselves with, wheels
# from PyPI, and real clients and servers as peers. Downloads go to .conformance/, checked against their sums; they never
# enter the repository.
set -euo pipefail
cd "$(dirname "$0")/../.."
cache=$PWD/.conformance
mkdir -p "$cache/wheels" "$cache/sources"

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

# Source archives that hold the tests of other HTTP implementations: gunicorn's own, and llhttp's inside aiohttp.
source_archive() { # name version sum
  local file=$cache/sources/$1-$2.tar.gz
  if ! { [ -e "$file" ] && echo "$3  $file" | sha256sum --check --status; }; then
    "$cache/venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --no-binary :all: \
      --require-hashes --dest "$cache/sources" --requirement <(echo "$1==$2 --hash=sha256:$3") >&2
  fi
  echo "$file"
}
gunicorn=$(source_archive gunicorn 27.0.1 b1514965361c8b7e8107a80aa2a92636878df1ccfac6dd204a676426e04d9e3e)
aiohttp=$(source_archive aiohttp 3.14.5 5558a7f5a05af9ecf744af91e5baefc436f93c9333e656c27ec253f9a6bbe178)
python3 scripts/conformance/http_requests.py --programs .build/release --gunicorn "$gunicorn" --aiohttp "$aiohttp"

python3 scripts/conformance/main_job.py --programs .build/release --wheels "$cache/wheels" \
  --list scripts/conformance/wheels.txt
python3 scripts/conformance/faults.py --programs .build/release
