#!/bin/sh
# of_this_state.sh: one seed for each commit; outside a checkout that of the version, with a
# message.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
ROOT=$(mktemp -d "${TMPDIR:-/tmp}/atmost-state.XXXXXX")
export ROOT
trap 'rm -rf "$ROOT"' EXIT
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
fail() {
  echo "FAIL: $1"
  cat "$ROOT/said"
  exit 1
}
try() { sh "$here/of_this_state.sh" "$1" printf '%s|%s|%s\n' seed=SEED SEED SEEDS >"$ROOT/said"; }
commit() {
  git -C "$ROOT" -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m "$1"
  git -C "$ROOT" rev-parse HEAD >"$ROOT/hash"
}
says() { grep -qxF "$1" "$ROOT/said" || fail "it does not say: $1"; }

try 1.2.3
sum=$(printf 1.2.3 | cksum | cut -d ' ' -f 1)
says "first seed $sum, of version 1.2.3, as this is no git checkout"
says "seed=$sum|$sum|SEEDS"

command -v git >/dev/null || exit 0
git init -q "$ROOT"
commit one
read -r hash <"$ROOT/hash"
try 1.2.3
says "first seed $((0x$(printf %.8s "$hash"))), of commit $hash"
echo 1 >"$ROOT/file"
git -C "$ROOT" add file
try 1.2.3
says "first seed $((0x$(printf %.8s "$hash"))), of commit $hash, with changes that are not committed"
cp "$ROOT/said" "$ROOT/before"
commit two
try 1.2.3
if cmp -s "$ROOT/said" "$ROOT/before"; then fail "the next commit has the same seeds"; fi
