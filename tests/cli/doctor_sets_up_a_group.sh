#!/bin/sh
# doctor --setup-group makes a directory in which the members of a group, and nobody else, share
# locks, logs and what is learned.
. "$(dirname "$0")/lib.sh"

expect_code 64 atmost doctor --setup-group no-such-group- new
expect_in err 'atmost: --setup-group: there is no group "no-such-group-": groupadd no-such-group- makes it'
[ ! -e new ] || fail "a directory was made"
expect_code 64 atmost doctor --setup-group "$(id -g)"
expect_in err 'needs a directory'
expect_code 64 atmost doctor --setup-group '' new
expect_code 64 atmost explain --setup-group x lock
mkdir used
: >used/file
expect_code 64 atmost doctor --setup-group "$(id -g)" used
expect_in err 'used: is in use: --setup-group needs an empty or a new directory'
ln -s used link
code=0
atmost doctor --setup-group "$(id -g)" link 2>err || code=$?
[ "$code" != 0 ] || fail "a symbolic link was followed"

expect_code 0 atmost doctor --setup-group "$(id -g)" mine
[ "$(stat -c %a mine)" = 2770 ] || fail "mode $(stat -c %a mine)"
expect_in out 'yes: locks can be trusted in mine'
expect_in out 'nobody but members of its group can rename or replace lock files here'
chmod +t mine
expect_code 0 atmost doctor mine
expect_in out 'nobody else can rename or replace lock files here'
chmod -t mine
expect_code 0 atmost --version
expect_code 0 atmost run --dir mine job true
[ "$(stat -c %a mine/job.lock)" = 660 ] || fail "lock file: $(stat -c %a mine/job.lock)"
# Again, with locks in it: nothing to do, and nothing to warn of.
expect_code 0 atmost doctor --setup-group "$(id -g)" mine
expect_in out 'ok    readers  '
chmod o+r mine/job.lock
expect_code 0 atmost doctor mine
expect_in out 'warn  readers         job.lock may be read by others than the owner'
expect_code 0 atmost explain --help
! grep -q setup-group out || fail "explain has an option of doctor"

[ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || exit 0
group=61000
as() {
  user=$1
  groups=$2
  shift 2
  setpriv --reuid "$user" --regid "$user" --groups "$groups" --inh-caps=-all \
    env HOME="$folder/home.$user" XDG_STATE_HOME="$folder/home.$user" ATMOST_DIR="$folder/ours" "$@"
}
chmod 0755 .
for user in 61001 61002 61003; do
  mkdir "home.$user"
  chown "$user" "home.$user"
done
expect_code 0 atmost doctor --setup-group $group ours
[ "$(stat -c '%g %a' ours)" = "$group 2770" ] || fail "$(stat -c '%g %a' ours)"

# Two members exclude each other, and see each other's names; each may make the lock.
start setpriv --reuid 61001 --regid 61001 --groups $group --inh-caps=-all \
  env HOME="$folder/home.61001" ATMOST_DIR="$folder/ours" "$ATMOST_BIN/atmost" run job sleep 100
one=$started
wait_until '[ "$(as 61002 $group "$ATMOST_BIN/atmost" check job)" = 1 ]'
expect_code 75 as 61002 $group "$ATMOST_BIN/atmost" run job true
expect_in err 'busy: job'
expect_code 0 as 61002 $group "$ATMOST_BIN/atmost" run other true
[ "$(stat -c '%u %g %a' ours/other.lock)" = "61002 $group 660" ] || fail "other: $(stat -c '%u %g %a' ours/other.lock)"
[ "$(stat -c '%g %a' ours/history.jsonl)" = "$group 660" ] || fail "history: $(ls -l ours)"
expect_code 0 as 61001 $group "$ATMOST_BIN/atmost" run other true
expect_code 0 as 61001 $group "$ATMOST_BIN/atmost" history other
for user in 61001 61002; do
  [ "$(grep -c "	$user	" out)" = 2 ] || fail "not logged by $user: $(cat out)"
done

# A user outside gets the remedy, and no lock.
expect_code 77 as 61003 61003 "$ATMOST_BIN/atmost" run job true
for words in "$folder/ours" '--dir' 'ATMOST_DIR' 'group'; do expect_in err "$words"; done
expect_line 1 err
kill -TERM "$one"
expect_end 143 "$one"

# A user outside the group cannot give a directory to it.
mkdir theirs
chown 61003 theirs
expect_code 77 as 61003 61003 "$ATMOST_BIN/atmost" doctor --setup-group $group "$folder/theirs"
[ "$(stat -c '%u %g %a' theirs)" = "61003 0 755" ] || [ "$(stat -c %a theirs)" = 700 ] || fail "left as $(stat -c '%u %g %a' theirs)"
