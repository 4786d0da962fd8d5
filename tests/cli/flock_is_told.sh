#!/bin/sh
# A caller that takes a file that flock(1) has locked for an atmost lock gets a message, once, and
# doctor has a finding; nothing is locked to find out, and later runs do not look.
. "$(dirname "$0")/lib.sh"
# The command of flock -o: it ends soon after flock has.
beside='while kill -0 "$PPID" 2>/dev/null; do sleep 0.1; done'
command -v flock >/dev/null || skip "no flock(1)"
[ -z "${ATMOST_PORTABLE-}" ] || skip "POSIX has no flock(2)"

mkdir jobs
start flock -o jobs/nightly sh -c "$beside"
other=$started
wait_until '! flock -n jobs/nightly true'
expect_code 0 atmost doctor jobs
grep -qE 'warn.*flock.*nightly is locked by flock\(2\), by process [0-9]+.*--with-flock' out || fail "doctor: $(cat out)"
expect_code 0 atmost run --no-history ./jobs/nightly echo ran
[ "$(cat out)" = ran ] || fail "it did not run"
expect_line 1 err
expect_in err "warning: ./jobs/nightly: process "
expect_in err "holds a flock(2) lock on it"
expect_in err "--with-flock"
expect_code 0 atmost run --no-history ./jobs/nightly true
expect_line 0 err
expect_code 0 atmost explain ./jobs/nightly
grep -q 'flock(2).*exclusive, taken by' out || fail "explain: $(grep flock out)"

# doctor has no finding about files that cannot be locks, nor about one that is not locked.
echo words >jobs/document
start flock -o jobs/document sh -c "$beside"
wait_until '! flock -n jobs/document true'
kill "$other"
expect_end 143 "$other"
expect_code 0 atmost doctor jobs
grep -qE '^ok +flock' out || fail "doctor: $(grep flock out)"
expect_code 0 atmost explain -v ./jobs/nightly
grep -q 'flock(2).*: none' out || fail "explain: $(grep flock out)"

# An empty file that is not locked, a new one, one of ours and one of exectimes: no message.
: >empty
expect_code 0 atmost run --no-history ./empty true
expect_line 0 err
expect_code 0 exectimes ./original 1 true
start flock -o original sh -c "$beside"
wait_until '! flock -n original true'
expect_code 0 atmost run --no-history ./original true
expect_line 0 err
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
  expect_code 0 strace -f -o calls atmost run --no-history ./empty true
  if grep -qE 'flock\(|proc/locks' calls; then fail "a plain run pays: $(grep -E 'flock\(|proc/locks' calls)"; fi
  : >fresh
  expect_code 0 strace -f -o calls atmost run --no-history ./fresh true
  grep -q 'proc/locks' calls || fail "it did not look"
  if grep -qE 'flock\(' calls; then fail "a flock was taken: $(grep 'flock(' calls)"; fi
fi
