#!/bin/sh
# Only the lock's owner and root change its limit of record.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "not root"
id nobody >/dev/null 2>&1 && command -v setpriv >/dev/null || skip "no other user, or no setpriv"

stranger() {
  setpriv --reuid nobody --regid nogroup --clear-groups env HOME=/nonexistent "$@"
}
chmod 755 "$folder" locks
stays="until [ -e '$folder/over' ]; do sleep 0.05; done"
expect_code 0 atmost limit --mode 666 build 2
expect_code 77 stranger atmost limit --dir "$folder/locks" --no-history build 9
expect_in err "build.lock: only its owner and root may change its limit of record"
expect_code 77 stranger atmost limit --dir "$folder/locks" --no-history --clear build
stranger chmod -t locks/build.lock 2>/dev/null && fail "the bit was cleared"
stranger rm -f locks/build.limit 2>/dev/null && fail "the record was removed"
expect_code 0 stranger atmost limit --dir "$folder/locks" build
expect_in out "build: 2"
start stranger atmost run --dir "$folder/locks" --no-history -n 9 build sh -c "$stays"
start atmost run build sh -c "$stays"
wait_until '[ "$(atmost check build)" = 2 ]'
expect_code 75 stranger atmost run --dir "$folder/locks" --no-history -n 9 build true
expect_code 75 stranger env -u ATMOST_HELD ATMOST_LOCK=x atmost run --dir "$folder/locks" --no-history -n 9 build true
touch over
for pid in $started_all; do expect_end 0 "$pid"; done

# Root may set it for a user, who may change it where the directory is the user's own.
chown nobody locks/build.lock
expect_code 0 atmost limit build 1
expect_code 77 stranger atmost limit --dir "$folder/locks" --no-history build 9
expect_in err "cannot write the limit of record"
expect_code 0 atmost limit build
expect_in out "build: 1"
mkdir theirs
chown nobody theirs
expect_code 0 stranger atmost limit --dir "$folder/theirs" --no-history mine 3
expect_code 0 stranger atmost limit --dir "$folder/theirs" --no-history mine 4
expect_code 0 stranger atmost limit --dir "$folder/theirs" mine
expect_in out "mine: 4"
