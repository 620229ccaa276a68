#!/usr/bin/env bash
# Prints line coverage of Sources after `swift test --enable-code-coverage`, a line a target; fails below the bar.
# The programs' own runs count too: tests start them, and they leave their profiles beside the tests' own.
set -euo pipefail
cd "$(dirname "$0")/.."
bar=85

binaries=$(swift build --show-bin-path)
profiles="$binaries/codecov"
tools=$(dirname "$(readlink -f "$(command -v swift)")")
bundle=$(ls -d "$binaries"/*PackageTests.xctest)
merged=$(mktemp)
trap 'rm -f "$merged"' EXIT
find "$profiles" -name '*.profraw' -size +0 -print0 | xargs -0 "$tools/llvm-profdata" merge -sparse -o "$merged"
"$tools/llvm-cov" export -summary-only -instr-profile "$merged" "$bundle" \
  -object "$binaries/game-depot" -object "$binaries/mirror-sync" 2>/dev/null |
  python3 -c '
import collections, json, os, sys
bar = float(sys.argv[1])
root = os.getcwd() + "/Sources/"
rows = collections.defaultdict(lambda: [0, 0])
for file in json.load(sys.stdin)["data"][0]["files"]:
    if not file["filename"].startswith(root):
        continue
    lines = file["summary"]["lines"]
    for name in (file["filename"][len(root):].split("/")[0], "all of Sources"):
        rows[name][0] += lines["covered"]
        rows[name][1] += lines["count"]
for name in sorted(rows, key=lambda name: (name == "all of Sources", name)):
    covered, count = rows[name]
    print(f"coverage: {name:16} {covered:6} of {count:6} lines  {100 * covered / count:5.1f} %")
covered, count = rows["all of Sources"]
sys.exit(0 if 100 * covered >= bar * count else f"coverage: below {bar} %")
' "$bar"
