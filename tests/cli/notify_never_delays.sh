#!/bin/sh
# A --notify that hangs keeps no slot, no terminal and no pipe, and atmost does not wait for it,
# unless the end of its process is the end of a service.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "needs /proc"

# A pipe that a process kept open would keep cat here.
atmost run --also other --notify 'echo $$ >pid; mv pid hangs; exec sleep 60' job false | cat
wait_until '[ -s hangs ]'
hangs=$(cat hangs)
[ "$(atmost check job)" = 0 ] && [ "$(atmost check other)" = 0 ] || fail "a slot is held"
expect_code 0 atmost run --also other job true
for fd in "/proc/$hangs/fd/"*; do
  case $(readlink "$fd") in
    /dev/null | /memfd:event*) ;;
    *) fail "it inherited $(readlink "$fd")" ;;
  esac
done
[ "$(cut -d ' ' -f 6 "/proc/$hangs/stat")" != "$(cut -d ' ' -f 6 /proc/self/stat)" ] ||
  fail "it is in our session"
tr '\0' '\n' <"/proc/$hangs/environ" >variables
! grep -q 'ATMOST_TELL\|ATMOST_HELD' variables || fail "$(cat variables)"
kill "$hangs"

# As the main process of a service, atmost waits, and its streams are those of the service.
cat >service <<'SH'
SYSTEMD_EXEC_PID=$$
export SYSTEMD_EXEC_PID
exec atmost run --notify 'sleep 0.3; echo told' job false
SH
expect_code 1 sh service
expect_in out told
# For 10 s at most.
cat >service <<'SH'
SYSTEMD_EXEC_PID=$$
export SYSTEMD_EXEC_PID
exec atmost run --notify 'trap "" TERM; while :; do sleep 1; done' job false
SH
before=$(date +%s)
expect_code 1 sh service
took=$(($(date +%s) - before))
[ "$took" -ge 8 ] && [ "$took" -le 14 ] || fail "it took $took s"
wait_until 'atmost history job | grep -q "undelivered.*took too long"'
