#!/bin/sh
# ci_selection.sh BUILD SOURCE: .ci/run calls `make check` itself, and of the main variant it runs
# every test once: the rest runs the tests that `make check` leaves out, and no test again. Soak
# tests, and tests that stand for later work, are left out by both.
set -eu
build=$1 source=$2
folder=$(mktemp -d "${TMPDIR:-/tmp}/atmost-ci.XXXXXX")
trap 'rm -rf "$folder"' EXIT
unset MAKEFLAGS MAKELEVEL
grep -qx 'make check' "$source/.ci/run" || { echo "ci_selection: .ci/run does not make check" >&2; exit 1; }
grep -qx 'make check-variants' "$source/.ci/run"

# chosen TARGET: the tests that the target runs in the main variant.
chosen() {
  make -s -n -C "$source" BUILD="$build" JOBS=1 "$1" | grep '^ctest ' >"$folder/command"
  [ "$(wc -l <"$folder/command")" = 1 ]
  sh -c "$(cat "$folder/command") -N" | sed -n 's/^ *Test *#[0-9]*: //p'
}
all() { ctest --test-dir "$build" -N "$@" | sed -n 's/^ *Test *#[0-9]*: //p'; }
{ chosen check-once && chosen check-campaigns; } | sort >"$folder/run"
all -LE 'soak|known_red' | sort >"$folder/wanted"
[ "$(wc -l <"$folder/run")" -gt 100 ]
diff "$folder/wanted" "$folder/run" || { echo "ci_selection: left out (<), or run twice (>)" >&2; exit 1; }
