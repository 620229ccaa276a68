#!/usr/bin/env bash
# Installs the system packages that building and testing need, when they are missing; says what it does, and does
# nothing when all are there.
#
#   scripts/setup.sh                 to build, test and run the demo
#   scripts/setup.sh conformance     also what `make conformance` needs
#   scripts/setup.sh benchmarks      also what `make bench` needs
#   scripts/setup.sh kernel          also what `scripts/conformance/kernel-tls` needs
set -euo pipefail

packages=(libsqlite3-dev zlib1g-dev libdeflate-dev libssl-dev libcurl4-openssl-dev pkg-config make curl unzip zip p7zip-full libarchive-tools python3 ca-certificates)
for extra in "$@"; do
  case "$extra" in
  conformance) packages+=(python3-venv aria2 wget nginx-light sqlite3 strace nghttp2-client apache2-utils wrk openssl testssl.sh slowhttptest chromium ffmpeg) ;;
  kernel) packages+=(qemu-system-x86 busybox-static cpio kmod strace openssl) ;;
  benchmarks) packages+=(aria2 xdelta3 zsync zip python3-pip nginx-light wrk nghttp2-client openssl valgrind linux-perf chromium python3-venv) ;;
  *)
    echo "setup: unknown set \"$extra\"; there are: conformance, benchmarks, kernel" >&2
    exit 64
    ;;
  esac
done

if ! command -v swift >/dev/null; then
  echo "setup: no swift on PATH. Install Swift 6.2 or newer (https://www.swift.org/install/linux), then run this again." >&2
  exit 69
fi

if ! command -v dpkg-query >/dev/null; then
  echo "setup: this is no Debian or Ubuntu; install the counterparts of: ${packages[*]}" >&2
  exit 69
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

echo "setup: installing ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup: not root, and there is no sudo. As root: apt-get install ${missing[*]}" >&2
    exit 77
  fi
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -qq
# A package that brings a daemon must not start it: policy-rc.d says no for the time of the installation.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod 755 "$policy"
  trap '"${as_root[@]}" rm -f "$policy"' EXIT
fi
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
echo "setup: done"
