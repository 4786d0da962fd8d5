#!/bin/sh
# kept_planted.sh BUILD FILE: a kept world still breaks its promise when its fault is planted.
set -eu
build=$1 file=$2
here=$(cd "$(dirname "$0")" && pwd)
plant=$(sed -n 's/^plant //p' "$file")
breaks=$(sed -n 's/^breaks //p' "$file")
program=$(mktemp)
trap 'rm -f "$program" "$program.said"' EXIT
"$here/plants" --link "$build" "$plant" "$program"
"$program" --replay "$file" >"$program.said" || true
cat "$program.said"
grep -Eq "^found seed [0-9]+ worlds 1 seconds [0-9.]+ $breaks: " "$program.said" || {
  echo "$file: with the fault $plant it does not break '$breaks' any more, as the program's calls are"
  echo "others. Find it anew: tools/world --plant $plant --seconds 600 --until-found; shorten it by"
  echo "tools/world --shrink FILE, and keep the short one."
  exit 1
}
