#!/bin/sh
# atmost limit: every caller obeys the lock's limit of record, whatever its own -n; a stricter
# one of its own holds, too. It is shown, changed and cleared, and each change is in the log.
. "$(dirname "$0")/lib.sh"

expect_code 0 atmost limit build
expect_in out "build: none"
expect_code 0 atmost limit -v build 2
expect_in err "build: limit of record 2, was none"
[ "$(stat -c %a locks/build.lock)" = 1600 ] || fail "mode $(stat -c %a locks/build.lock)"
[ "$(stat -c %a locks/build.limit)" = 644 ] || fail "mode $(stat -c %a locks/build.limit)"
expect_code 0 atmost limit build
expect_in out "build: 2"

start atmost run build sleep 60
start atmost run -n 9 build sleep 60
wait_until '[ "$(atmost check build)" = 2 ]'
for n in "" "-n 2" "-n 9" "-n inf" "--shared"; do
  # shellcheck disable=SC2086  # words
  expect_code 75 atmost run $n build true
  expect_in err "build: 2 of 2 slots held"
done
expect_code 75 atmost run -n 9 build true
expect_in err "(the limit of record)"
expect_code 75 env -i PATH="$PATH" ATMOST_DIR="$ATMOST_DIR" atmost run -n 9 build true
expect_code 75 atmost check -n 9 build
expect_code 75 atmost run -n 1 build true
expect_in err "build: 2 slots held"
expect_code 75 atmost wait -w 0.1 build
[ -n "${ATMOST_PORTABLE-}" ] || expect_code 75 atmost hold -n 5 --for-pid $$ build

# More slots than it has: at once, however long the caller would wait.
expect_code 75 atmost run -n 9 -k 3 -w inf build true
expect_in err "build: 3 slots wanted, and the limit of record is 2"

# Shown by list, explain and jobs.
expect_code 0 atmost list build
expect_in out "build	-	limit"
expect_code 0 atmost list --json build
expect_in out '"state":"limit"'
expect_in out '"limit":"2"'
expect_code 0 atmost explain build
expect_in out "limit of record: 2"
expect_code 0 atmost jobs build
expect_in out "2 running, limit 2"
expect_code 0 atmost jobs --json build
expect_in out '"limit":"2"'

# Raised, then lowered, which stops nobody.
expect_code 0 atmost limit build 3
start atmost run build sleep 60
wait_until '[ "$(atmost check build)" = 3 ]'
expect_code 0 atmost limit build 1
[ "$(atmost check build)" = 3 ] || fail "a holder was stopped"
expect_code 75 atmost run build true
expect_in err "build: 3 slots held"

expect_code 0 atmost limit --clear build
[ ! -e locks/build.limit ] || fail "the record is still there"
[ "$(stat -c %a locks/build.lock)" = 600 ] || fail "mode $(stat -c %a locks/build.lock)"
expect_code 0 atmost run -n 9 build true
expect_code 0 atmost history build
grep -c limited out >count || :
[ "$(cat count)" = 4 ] || fail "$(cat count) changes in the log: $(cat out)"
grep '"event":"limited"' locks/history.jsonl >lines
expect_in lines '"from":"none","to":"2"'
expect_in lines '"from":"3","to":"1"'
expect_in lines "\"uid\":$(id -u)"

# Without -n, K of its slots.
expect_code 64 atmost run -k 2 build true
expect_in err "--take: more slots than one"
expect_code 0 atmost limit build 4
expect_code 75 atmost run -k 2 build true
expect_in err "2 wanted"
expect_code 0 atmost limit other 4
expect_code 0 atmost run -k 2 other sh -c 'echo $ATMOST_SLOTS'
expect_in out "1,2"
