#!/bin/sh
# A process that cannot be signalled is not gone: a part of the command that runs as root (a
# set-user-ID program, as sudo is) keeps the slot until it ends, and is named; the history has the
# signals that were refused. A command that ends by itself was not stopped. $as_root, $how and
# $stop are several words.
# shellcheck disable=SC2086
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "whole trees are not seen with POSIX alone"
[ "$(id -u)" = 0 ] || skip "only root can make a set-user-ID program of root's"
command -v setpriv >/dev/null || skip "no setpriv"

# shellcheck disable=SC2154  # clean_up reads it
trap 'ended=$?; [ ! -e place/part ] || kill "$(cat place/part)" 2>/dev/null || :; clean_up' EXIT
chmod 755 "$folder"
mkdir place
chown 65534 place
cp "$(command -v setpriv)" place/become
chmod 4755 place/become
as_user() { setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$folder/place" "$@"; }
as_root="$folder/place/become --reuid=0"
[ "$(as_user $as_root id -ru 2>/dev/null)" = 0 ] || skip "no set-user-ID programs here"
as_user test -x "$ATMOST_BIN/atmost" || skip "nobody may not run $ATMOST_BIN/atmost"
as_user test -e /proc/1/stat || skip "/proc hides root's processes, which then cannot be named"

# The part that runs as root prints its number, and waits for a line in the pipe `end`.
mkfifo place/end
cat >place/script <<'END'
echo $$ >"$1/part.new"
mv "$1/part.new" "$1/part"
read -r line <"$1/end"
END
run() { as_user atmost run --log place/log --kill-grace 100ms "$@"; }
part_runs() { [ -e place/part ] && kill -0 "$(cat place/part)" 2>/dev/null; }
events() { grep -c "\"event\":\"$1\".*${2-}" place/log || :; }
anew() { rm -f place/part place/log; }
named='may not be signalled from here, so the slot stays held until it ends: its user or root can end it (kill'

# A part of it: the rest is stopped, the slot stays.
for how in '--max-runtime 300ms' '--max-idle 100s --max-runtime 300ms --until=tree' \
  '--die-with=parent --max-runtime 300ms'; do
  anew
  start run $how place/lock -- sh -c "$as_root sh place/script place; true" 2>said
  first=$started
  wait_until 'grep -q "may not be signalled" said'
  part_runs || fail "the part has gone ($how)"
  expect_in said "process $(cat place/part) (sh) of root $named"
  expect_code 75 as_user atmost run place/lock -- echo BESIDE
  echo end >place/end
  expect_end 124 "$first"
  [ "$(events unreached '"signal":"KILL","process":')" = 1 ] || fail "$(cat place/log)"
  [ "$(events ended '"stopped":"max_runtime"')" = 1 ] || fail "$(cat place/log)"
  expect_code 0 as_user atmost run place/lock -- true
done

# All of it: it ends by itself, and was not stopped.
anew
start run --max-runtime 300ms place/lock -- $as_root sh place/script place 2>said
first=$started
wait_until 'grep -q "may not be signalled" said'
part_runs || fail "the command has gone"
echo end >place/end
expect_end 0 "$first"
[ "$(events unreached)" = 3 ] || fail "$(cat place/log)"
[ "$(events ended '"exit":0')" = 1 ] || fail "$(cat place/log)"
[ "$(events ended '"stopped"')" = 0 ] || fail "$(cat place/log)"
expect_line 1 said

# A taker leaves it in its place, and what was refused is not logged as sent. A command that its
# signals reached was taken over; another one ends by itself.
taken_by() {
  wait_until part_runs
  expect_code 75 "$@"
  expect_in err "process $(cat place/part) (sh) of root $named"
  part_runs || fail "the part has gone: $*"
  expect_code 75 as_user atmost run --no-history place/lock -- echo BESIDE
}
for stop in '--expire-after 0' kill; do
  for reached in yes no; do
    anew
    if [ "$reached" = yes ]; then
      start run place/lock -- sh -c "$as_root sh place/script place; true" 2>said
    else
      start run place/lock -- $as_root sh place/script place 2>said
    fi
    first=$started
    if [ "$stop" = kill ]; then
      taken_by as_user atmost kill --kill-grace 100ms place/lock
    else
      taken_by run $stop place/lock -- true
      [ "$(events signalled '"signal":"KILL"')" = 0 ] || fail "$(cat place/log)"
      [ "$(events unreached '"signal":"KILL".*"holder_pid":')" = 1 ] || fail "$(cat place/log)"
    fi
    echo end >place/end
    expect_end "$([ "$reached" = yes ] && echo 79 || echo 0)" "$first"
  done
done
