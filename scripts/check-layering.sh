#!/usr/bin/env bash
# Checks who imports whom. SwiftPM lets a target import whatever a dependency of a dependency links, C modules too.
set -euo pipefail
cd "$(dirname "$0")/.."

# What each target may import, besides the standard library's own modules.
declare -A allowed=(
  [Platform]="CLinux COpenSSL Glibc"
  [DepotModel]="FoundationEssentials"
  [HTTPWire]=""
  [ZipArchive]="CZlib CDeflate Platform"
  [SQLite]="CSQLite"
  [HTTPServer]="HTTPWire Platform"
  [Catalogue]="SQLite DepotModel"
  [ReadAPI]="ZipArchive HTTPWire DepotModel Platform FoundationEssentials"
  [DepotService]="ReadAPI Catalogue ZipArchive HTTPWire DepotModel Platform FoundationEssentials"
  [HTTPClient]="CCurl Platform"
  [MirrorClient]="ZipArchive DepotModel Platform HTTPClient SQLite"
  [PlayService]="ReadAPI HTTPWire DepotModel ZipArchive Platform"
  [CommandOptions]="ZipArchive Platform"
  [game-depot]="DepotService ReadAPI Catalogue SQLite HTTPServer HTTPClient HTTPWire ZipArchive DepotModel Platform CommandOptions"
  [mirror-sync]="MirrorClient HTTPClient HTTPServer HTTPWire PlayService ReadAPI DepotModel Platform CommandOptions"
)
everywhere=" Swift Synchronization "

failures=0
say() {
  echo "layering: $*" >&2
  failures=$((failures + 1))
}

# The build passes over a file that lies beside the modules: nobody would miss it.
for file in Sources/*.swift Tests/*.swift; do
  if [ -e "$file" ]; then say "$file belongs to no module"; fi
done

for folder in Sources/*/; do
  target=$(basename "$folder")
  if [ -e "$folder/module.modulemap" ]; then continue; fi
  if [ -z "${allowed[$target]+set}" ]; then
    say "$target has no row in scripts/check-layering.sh"
    continue
  fi
  while IFS=: read -r file line statement; do
    module=$(sed -E 's/^.*\bimport +((struct|class|enum|protocol|func|var|let|typealias) +)?([A-Za-z_]+).*$/\3/' <<<"$statement")
    case " ${allowed[$target]} $everywhere " in
    *" $module "*) ;;
    *) say "$file:$line: $target may not import $module" ;;
    esac
  done < <(grep -rnE '^ *(@[A-Za-z_()]+ +)*((public|package|internal|fileprivate|private) +)?import +' --include='*.swift' "$folder" || true)
done

# Pointers stay where somebody looks after them.
unsafe_rooms='^Sources/(Platform/|SQLite/(Database|Statement)|ZipArchive/Codecs/|HTTPServer/|HTTPClient/)'
while IFS= read -r file; do
  [[ $file =~ $unsafe_rooms ]] || say "$file uses unsafe code; it belongs in Platform, SQLite, a codec of ZipArchive, HTTPServer or HTTPClient"
done < <(grep -rlE '\bunsafe [a-zA-Z(]|\bUnsafe(Mutable)?(Raw)?(Buffer)?Pointer\b|nonisolated\(unsafe\)' --include='*.swift' Sources || true)

if [ "$failures" -gt 0 ]; then exit 1; fi
echo "layering: clean"
