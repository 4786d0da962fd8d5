#!/bin/sh
# atmost stats names a change of level, with its date.
. "$(dirname "$0")/lib.sh"
TZ=UTC
export TZ

# A run a day, of a minute and a few seconds; from the 41st on of two minutes.
i=0
while [ $i -lt 60 ]; do
  seconds=$(((i < 40 ? 60 : 120) + i * 7 % 5))
  at=$((1767225600 + i * 86400 + seconds)) # from 2026-01-01 on
  printf '{"v":1,"event":"ended","at":%d.0,"lock":"backup","path":"/b.lock","token":%d,"exit":0,"ran_s":%d.0}\n' \
    $at $((i + 1)) $seconds
  i=$((i + 1))
done >log

expect_code 0 atmost stats --log log
expect_in out '2 times as long since 2026-02-10 00:00'
expect_code 0 atmost stats --json --log log
expect_in out '"level_since":1770681600,"level_before_s":6'

# Before it has lasted for six runs, nothing is named.
sed 45q log >earlier
expect_code 0 atmost stats --json --log earlier
if grep -q level out; then fail "named too early"; fi
sed 47q log >earlier
expect_code 0 atmost stats --json --log earlier
expect_in out '"level_since":1770681600'

expect_code 0 atmost report --log log --output page.html
expect_in page.html 'runs take 2 times as long since 2026-02-10 00:00'
