#!/bin/sh
# planted_faults.sh: docs/internals/proof.md lists each planted fault, in the words of its patch's
# head. planted_faults.sh --print: the rows of that list.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)

rows() {
  for patch in "$root"/tests/world/faults/*.patch; do
    awk -v name="$(basename "$patch" .patch)" '
      /^--- / { exit }
      /^[A-Z][a-z]*: / { on = /^Fault: /; if (on) { text = substr($0, 8); next } }
      on && NF { sub(/^ +/, ""); text = text " " $0 }
      END { gsub(/\|/, "\\|", text); print "| `" name "` | " text " |" }' "$patch"
  done
}

if [ "${1-}" = --print ]; then
  rows
  exit
fi
listed=$(mktemp)
trap 'rm -f "$listed"' EXIT
awk '/^## Planted faults/ { here = 1 } here && /^\| `/' "$root/docs/internals/proof.md" >"$listed"
rows | diff "$listed" - || {
  echo "docs/internals/proof.md: the planted faults are others; $0 --print prints the rows"
  exit 1
}
