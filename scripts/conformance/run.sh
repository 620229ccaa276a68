#!/usr/bin/env bash
# Runs outside material through the release build: the requests other HTTP implementations test themselves with, clients
# as people use them, wheels from PyPI, and real servers as peers.
#
#   scripts/conformance/run.sh          what CI runs
#   scripts/conformance/run.sh --long   also what takes minutes
set -euo pipefail
source "$(dirname "$0")/common.sh"
cd "$root"
long=()
case "${1:-}" in
'') ;;
--long) long=(--long) ;;
*)
  echo "run.sh: unknown option \"$1\"; there is: --long" >&2
  exit 64
  ;;
esac

step() { printf -- '-- %s (%s s)\n' "$1" "$SECONDS"; }

step "requests of gunicorn and llhttp"
scripts/conformance/http

step "responses of llhttp"
scripts/conformance/http-responses

step "form bodies of python-multipart and werkzeug"
scripts/conformance/multipart

step "zips of libzip, libarchive and Go, and bombs"
scripts/conformance/zip

step "clients"
python3 scripts/conformance/clients.py --programs .build/release "${long[@]}"

step "TLS"
scripts/conformance/tls "${long[@]}"

if [ ${#long[@]} -gt 0 ]; then
  step "TLS by the kernel"
  scripts/conformance/kernel-tls
fi

step "REDbot"
scripts/conformance/redbot "${long[@]}"

if [ ${#long[@]} -gt 0 ]; then
  step "schemathesis"
  scripts/conformance/schemathesis
fi

step "wheels through the main job"
while read -r name version sum; do
  case "$name" in '' | '#'*) continue ;; esac
  wheel "$name" "$version" "$sum"
done <scripts/conformance/wheels.txt
python3 scripts/conformance/main_job.py --programs .build/release --wheels "$cache/wheels" \
  --list scripts/conformance/wheels.txt

step "resumable uploads by tuspy"
scripts/conformance/tus "${long[@]}"

step "faults"
python3 scripts/conformance/faults.py --programs .build/release
if [ ${#long[@]} -gt 0 ]; then
  python3 scripts/conformance/depot_kills.py --programs .build/release "${long[@]}" | grep -v '^ok '
fi

step "mirrors: networks, servers and disks that fail"
scripts/conformance/mirror "${long[@]}"

step "slow clients"
slow=(--quick)
[ ${#long[@]} -eq 0 ] || slow=()
scripts/conformance/slow --programs .build/release "${slow[@]}"

step "games in a browser"
scripts/conformance/play

step "the console in a browser"
scripts/conformance/console

step "units for systemd"
command -v systemd-analyze >/dev/null || apt-get install -y -qq systemd >/dev/null
python3 scripts/conformance/units.py

step "done"
