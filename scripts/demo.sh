#!/usr/bin/env bash
# The main job end to end, for real: a depot in a temporary folder, two versions of a game published with curl,
# mirrored, updated, and served to a browser. KEEP=0 ends by itself; otherwise it stays up until Ctrl-C.
set -euo pipefail
cd "$(dirname "$0")/.."

game=deep-courier
title="Deep Courier"
programs=.build/release
work=$(mktemp -d "${TMPDIR:-/tmp}/game-depot-demo.XXXXXX")
children=()

finish() {
  for child in "${children[@]}"; do kill -TERM "$child" 2>/dev/null || true; done
  for child in "${children[@]}"; do wait "$child" 2>/dev/null || true; done
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

step() { printf '\n\033[1m%s\033[0m\n' "$*"; }
if [ ! -t 1 ] || [ -n "${NO_COLOR:-}" ]; then step() { printf '\n%s\n' "$*"; }; fi

# Waits for the one line "listening on http://…" in a log, prints the address.
address_in() {
  for _ in $(seq 100); do
    if grep -m1 -oE 'listening on http://[^ ]+' "$1" 2>/dev/null | cut -d' ' -f3 | grep .; then return; fi
    sleep 0.1
  done
  echo "demo: nothing listens; the log says:" >&2
  cat "$1" >&2
  exit 1
}

step "1. A depot in $work/depot, with a token to publish"
"$programs/game-depot" token create --data "$work/depot" --name demo --scope publish >"$work/token"
chmod 600 "$work/token"
"$programs/game-depot" serve --data "$work/depot" --listen 127.0.0.1:0 >"$work/depot.log" 2>&1 &
children+=($!)
depot=$(address_in "$work/depot.log")
echo "   serving on $depot"

publish() {
  "$programs/game-depot" pack "Examples/$game/$1" -o "$work/$game-$1.zip"
  curl -sS --fail-with-body -H "Authorization: Bearer $(cat "$work/token")" \
    -F gameId="$game" -F h5Version="$1" -F title="$2" -F notes="$3" \
    -F "package=@$work/$game-$1.zip;type=application/zip" "$depot/games" |
    python3 -m json.tool
}

step "2. Version 1.0.0 of $game is packed, and published with curl"
publish 1.0.0 "$title" "First release"

step "3. mirror-sync fills an empty mirror"
"$programs/mirror-sync" sync --server "$depot" --dest "$work/mirror" --progress none
"$programs/mirror-sync" status --dest "$work/mirror"

step "4. Version 1.1.0 is published; an app that has 1.0.0 asks whether there is a newer one"
publish 1.1.0 "$title" "An update"
curl -sS "$depot/games/$game/check?h5Version=1.0.0" | python3 -m json.tool

step "5. mirror-sync updates the mirror; the old version stays until the new one stands"
"$programs/mirror-sync" sync --server "$depot" --dest "$work/mirror" --progress none
"$programs/mirror-sync" status --dest "$work/mirror"
ls -l "$work/mirror/games/$game/" | sed 's/^/   /'

step "6. Every installed file is compared with the folder it was made from"
diff -r "Examples/$game/1.1.0" "$work/mirror/games/$game/current/"
echo "   the same, file by file"

step "7. The mirror is served to a browser"
"$programs/mirror-sync" serve --dest "$work/mirror" --listen 127.0.0.1:0 >"$work/play.log" 2>&1 &
children+=($!)
play=$(address_in "$work/play.log")
curl -sS --fail -o /dev/null "$play/play/$game/"

if [ "${KEEP:-1}" = 0 ]; then step "These were open until now (without KEEP=0 they stay so):"; else step "Open these:"; fi
printf '   %-55s %s\n' \
  "$play/play/$game/" "the game, from the mirror" \
  "$depot/games" "what the depot offers" \
  "$depot/games/$game/manifest" "every file of the current version" \
  "$depot/games/$game/package.zip" "the package itself"

if [ "${KEEP:-1}" = 0 ]; then
  step "Done."
else
  step "Ctrl-C ends the demo and removes $work."
  wait
fi
