#!/bin/sh
# The keeper answers the shell itself: no process is started to unlock, or to lock the same again.
# sh keeper_is_asked.sh What is counted here is starts of $ATMOST, by a script that stands before
# it.
set -eu
bin=$(cd "$ATMOST_BIN" && pwd)
LOCK_UNLOCK=$(cd "$ATMOST_SHELL" && pwd)/lock_unlock.sh
export LOCK_UNLOCK
work=$(mktemp -d "${TMPDIR:-/tmp}/atmost-asked.XXXXXX")
trap 'rm -rf "$work" 2>/dev/null || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
fail() {
  echo "FAIL: $*" >&2
  exit 1
}
cat >counting <<END
#!/bin/sh
echo "\$1" >>"$work/started"
exec "$bin/atmost" "\$@"
END
chmod +x counting
cat >script <<'END'
set -eu
. "$LOCK_UNLOCK"
case $1 in
  loop)
    for i in 1 2 3 4 5; do
      lock_unlock action=lock name="$PWD/l"
      [ "$("$BIN" check ./l)" = 1 ]
      lock_unlock action=unlock name="$PWD/l"
      [ "$("$BIN" check ./l)" = 0 ]
    done
    # Twice is once too often, asked or not.
    lock_unlock action=lock name="$PWD/l" wait=0
    if lock_unlock action=lock name="$PWD/l" wait=0; then exit 11; fi
    lock_unlock action=unlock name="$PWD/l"
    if lock_unlock action=unlock name="$PWD/l"; then exit 12; fi
    ;;
  taken)  # in the meantime: busy, not a second holder
    lock_unlock action=lock name="$PWD/l" wait=0
    lock_unlock action=unlock name="$PWD/l"
    "$BIN" run --no-history "$PWD/l" sh -c ': >inside; while [ ! -e leave ]; do sleep 0.01; done' &
    until [ -e inside ]; do sleep 0.01; done
    if lock_unlock action=lock name="$PWD/l" wait=0; then exit 13; fi
    : >leave
    wait
    ;;
  killed)  # the keeper, as unlocking shows
    lock_unlock action=lock name="$PWD/l"
    mine=${lock_unlock_keeper%%>*}
    kill -KILL "${mine#* }"
    if lock_unlock action=unlock name="$PWD/l"; then exit 14; fi
    lock_unlock action=lock name="$PWD/l" wait=1
    lock_unlock action=unlock name="$PWD/l"
    ;;
  deleted)  # the lock file: the next caller takes another one
    lock_unlock action=lock name="$PWD/l"
    rm "$PWD/l"
    if lock_unlock action=unlock name="$PWD/l"; then exit 19; fi
    lock_unlock action=lock name="$PWD/l" wait=0
    lock_unlock action=unlock name="$PWD/l"
    ;;
  subshell)  # is the script, but two of them must not ask at the same time: it starts a process
    lock_unlock action=lock name="$PWD/l"
    (lock_unlock action=unlock name="$PWD/l")
    if lock_unlock action=unlock name="$PWD/l"; then exit 18; fi
    ;;
  forged)  # the variable's content is not trusted: neither another's keeper nor another kind of process
    lock_unlock action=lock name="$PWD/l"
    mine=$lock_unlock_keeper
    lock_unlock_keeper="${mine%% *} $$>${mine#*>}"
    exec 3>victim
    if [ -e /dev/fd/3 ]; then lock_unlock action=unlock name="$PWD/l"; fi
    [ ! -s victim ] || exit 15
    lock_unlock action=lock name="$PWD/l"
    lock_unlock_keeper="00000000000 ${lock_unlock_keeper#* }"
    lock_unlock action=unlock name="$PWD/l"
    [ "$("$BIN" check ./l)" = 0 ] || exit 16
    ;;
  inherited)  # an exported variable does not let a child unlock its parent's lock
    lock_unlock action=lock name="$PWD/l"
    export lock_unlock_keeper
    if "$SHELL_UNDER_TEST" "$0" child; then exit 17; fi
    lock_unlock action=unlock name="$PWD/l"
    ;;
  child) lock_unlock action=unlock name="$PWD/l" ;;
esac
END
export ATMOST="$work/counting" BIN="$bin/atmost"
export XDG_STATE_HOME="$work/state" ATMOST_DIR="$work/names"
unset ATMOST_STORE ATMOST_HELD ATMOST_HOLD_MARK

for shell in bash dash ksh93 mksh zsh yash; do
  command -v "$shell" >/dev/null || continue
  export SHELL_UNDER_TEST="$shell"
  rm -f started inside leave victim
  "$shell" ./script loop || fail "$shell: loop: $?"
  # One for five rounds, one for other words, one that is refused; one that finds nothing to
  # release.
  [ "$(tr '\n' ' ' <started)" = "hold hold hold release " ] || fail "$shell: started $(tr '\n' ' ' <started)"
  for part in taken killed deleted subshell forged inherited; do
    "$shell" ./script "$part" || fail "$shell: $part: $?"
  done
done
