#!/bin/sh
# One lock_unlock name for two users: refused with the way to share it, shared by mode= or
# LOCK_UNLOCK_MODE, shared of itself in a group's directory, and shared as with the original where
# the lock is a symbolic link. sh two_users.sh
set -eu
if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
  echo "needs root, who can be two users, and setpriv" >&2
  exit 125
fi
# shellcheck disable=SC2153  # from the test's environment
bin=$(cd "$ATMOST_BIN" && pwd)
LOCK_UNLOCK=$(cd "$ATMOST_SHELL" && pwd)/lock_unlock.sh
export LOCK_UNLOCK PATH="$bin:$PATH"
unset ATMOST_STORE ATMOST_HELD ATMOST_HOLD_MARK LOCK_UNLOCK_MODE
work=$(mktemp -d "${TMPDIR:-/tmp}/atmost-users.XXXXXX")
export ATMOST_DIR="$work/names"
holder=
dir=$work
# The first user's script is below $holder and may wait at the gate: it ends with an empty line.
leave() {
  if [ -p "$dir/gate" ]; then : <>"$dir/gate"; fi
  if [ -n "$holder" ]; then kill "$holder" 2>/dev/null || :; fi
  rm -rf "$work" 2>/dev/null || { sleep 1; rm -rf "$work"; }
}
trap leave EXIT
chmod 711 "$work"
fail() {
  echo "FAIL: $*" >&2
  exit 1
}
# as USER SCRIPT: anna or bert, who are both of group 64321 and of no other, in $dir.
as() {
  case $1 in anna) user=64322 ;; bert) user=64323 ;; esac
  (cd "$dir" && exec setpriv --reuid "$user" --regid "$user" --groups 64321 sh -c "umask 077; . \"\$LOCK_UNLOCK\"; $2")
}
# refused USER WORDS: with these words on one line, and WORDS are in it.
refused() {
  if as "$1" 'lock_unlock action=lock name=l wait=0' 2>"$work/err"; then fail "$dir: $1 was let in"; fi
  [ "$(wc -l <"$work/err")" = 1 ] || fail "not one line: $(cat "$work/err")"
  grep -q -- "$2" "$work/err" || fail "no word of $2: $(cat "$work/err")"
}
mode() { stat -c %a "$dir/l"; }
# Of the script that has ended nothing is held any more, a moment later.
ended() {
  tries=0
  while [ -L "$dir/l" ] || { [ -e "$dir/l" ] && [ "$(atmost check "$dir/l")" != 0 ]; }; do
    tries=$((tries + 1))
    [ "$tries" -lt 1000 ] || fail "$dir: still held"
    sleep 0.02
  done
}
# directory NAME MODE: of root and the group.
directory() {
  dir=$work/$1
  mkdir "$dir"
  chgrp 64321 "$dir"
  chmod "$2" "$dir"
}
# shared: the second user waits for the first, and gets it then.
shared() {
  as anna "$1; : >holding; read -r line <gate || :" &
  holder=$!
  until [ -e "$dir/holding" ]; do sleep 0.01; done
  if as bert 'lock_unlock action=lock name=l wait=0' 2>/dev/null; then fail "$dir: two inside"; fi
  : >"$dir/gate"
  wait "$holder"
  holder=
  as bert 'lock_unlock action=lock name=l wait=20' || fail "$dir: not shared"
  ended
  as anna 'lock_unlock action=lock name=l' || fail "$dir: not shared again"
  ended
}

# As /tmp.
directory sticky 1777
mkfifo -m 666 "$dir/gate"
as anna 'lock_unlock action=lock name=l'
ended
[ "$(mode)" = 600 ] || fail "mode $(mode)"
for words in mode= LOCK_UNLOCK_MODE --mode; do refused bert "$words"; done
rm "$dir/l"
shared 'lock_unlock action=lock name=l mode=666'
[ "$(mode)" = 666 ] || fail "mode $(mode)"
rm "$dir/l" "$dir/holding"
LOCK_UNLOCK_MODE=666
export LOCK_UNLOCK_MODE
shared 'lock_unlock action=lock name=l'
unset LOCK_UNLOCK_MODE
rm "$dir/l"
for wrong in mode=7 mode=rw mode=066; do
  if as anna "lock_unlock action=lock name=l $wrong" 2>"$work/err"; then fail "taken: $wrong"; fi
  grep -q "lock_unlock: mode: " "$work/err" || fail "$wrong: $(cat "$work/err")"
done
[ ! -e "$dir/l" ] || fail "a wrong mode has made a file"

# A group's directory: files that are made there are the group's, unless the caller gives another
# mode.
directory group 2770
mkfifo -m 666 "$dir/gate"
shared 'lock_unlock action=lock name=l'
[ "$(mode)" = 660 ] || fail "mode $(mode)"
rm "$dir/l"
as anna 'lock_unlock action=lock name=l mode=600'
ended
[ "$(mode)" = 600 ] || fail "mode $(mode) instead of the one that was asked for"
refused bert LOCK_UNLOCK_MODE
# Not where everybody may write, and not without the group's inheritance.
for other in 3777 0770; do
  directory "not-$other" "$other"
  as anna 'lock_unlock action=lock name=l'
  ended
  [ "$(mode)" = 600 ] || fail "$other: mode $(mode)"
done

# A link has no mode: all who may write to the directory share it.
ATMOST_STORE=symlink:
export ATMOST_STORE
directory links 0770
mkfifo -m 666 "$dir/gate"
shared 'lock_unlock action=lock name=l'
as anna 'lock_unlock action=lock name=l mode=600; echo $$ >pid; mv pid killed; exec sleep 1000' &
holder=$!
until [ -e "$dir/killed" ]; do sleep 0.01; done
kill -KILL "$(cat "$dir/killed")"
wait "$holder" 2>/dev/null || :
holder=
as bert 'lock_unlock action=lock name=l wait=20' || fail "a killed user's link is not taken"
