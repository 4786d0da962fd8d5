#!/bin/sh
# tests/world/plants --check passes the shipped code, and names each patch that does not apply.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d "${TMPDIR:-/tmp}/atmost-plants.XXXXXX")
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/tests/world"
cp -R "$here/../../src" "$tree/src"
cp -R "$here/plants" "$here/faults" "$tree/tests/world/"
check() { "$tree/tests/world/plants" --check >"$tree/said" 2>&1; }
fail() {
  echo "FAIL: $1"
  cat "$tree/said"
  exit 1
}

check || fail "the shipped code"
patch=$tree/tests/world/faults/no-ticket.patch
cp "$patch" "$tree/kept"
sed -i 's/^Promise: /Promises: /' "$patch"
if check; then fail "a head without a promise was not seen"; fi
grep -q 'no-ticket.patch: its head' "$tree/said" || fail "the patch without a promise is not named"
cp "$tree/kept" "$patch"
sed -i 's/  queue->claims_in = plan/  (queue->claims_in) = plan/' "$tree/src/store/local/attempt.cc"
if check; then fail "a patch whose place has changed was not seen"; fi
grep -q 'no-ticket.patch does not apply' "$tree/said" || fail "the patch is not named"
grep -c 'does not apply' "$tree/said" | grep -qx 1 || fail "others are named"
