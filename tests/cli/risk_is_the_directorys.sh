#!/bin/sh
# --auto-risk is a promise for all locks of a directory together. The manual explains that, and
# tune shows each lock's own share.
manual=$(cd "$(dirname "$0")/../../man" && pwd)/atmost.7
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "a lock cannot be held for another process"

tr '\n' ' ' <"$manual" >words
expect_in words 'runs in the directory about'
expect_in words 'The promise is not for each lock'
if grep -q 'whatever the runs are like' words; then fail "the manual promises it for each lock"; fi

at=1700000000
took() { # LOCK SECONDS
  at=$((at + 1000000))
  expect_code 0 atmost hold --expire-after auto --now $at --for-pid $$ "$1"
  expect_code 0 atmost release --now $((at + $2)) --for-pid $$ "$1"
}
i=0
while [ $i -lt 40 ]; do
  took steady 100
  took mixed $((10 + (i * 37 % 41) * (i * 37 % 41)))
  i=$((i + 1))
done

# The share of the next runs that are expected to be longer than the best limit.
share() {
  expect_code 0 atmost tune -v --auto-risk 20 "$1"
  expect_in out 'over all locks of the directory'
  sed -n 's/.*: \([0-9.]*\) in 1,000 of its next runs are longer.*/\1/p' out
}
steady=$(share steady)
mixed=$(share mixed)
if [ -z "$steady" ] || [ -z "$mixed" ] || [ "$steady" = "$mixed" ]; then
  fail "of the steady lock's runs $steady in 1,000, of the other's $mixed"
fi
