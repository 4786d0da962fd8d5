#!/bin/sh
# atmost history --since, --until, --event, --outcome, -n; wrong values are usage errors.
. "$(dirname "$0")/lib.sh"

line() {
  printf '{"v":1,"event":"%s","time":"%sZ","at":%s,"lock":"%s","path":"%s/%s.lock","uid":0,"token":%s%s}\n' \
    "$1" "$2" "$3" "$4" "$ATMOST_DIR" "$4" "$5" "$6"
}
{
  line admitted 2026-01-01T00:00:00.000000 1767225600.000000 one 1 ''
  line ended 2026-01-01T00:00:10.000000 1767225610.000000 one 1 ',"exit":0,"ran_s":10.000000'
  line denied 2026-01-02T00:00:00.000000 1767312000.000000 two 0 ',"why":"too_soon","retry_in_s":60.000000'
  line ended 2026-01-03T00:00:00.000000 1767398400.000000 two 2 ',"signal":"TERM","stopped":"max_runtime"'
  line ended 2026-01-04T00:00:00.000000 1767484800.000000 two 3 ',"exit":1'
} >locks/history.jsonl

count() {
  wanted=$1
  shift
  expect_code 0 atmost history --json "$@"
  expect_line "$wanted" out
}
count 5
count 2 one
count 3 --lock two
count 5 one two
count 3 --since 2026-01-02T00:00:00Z
count 2 --until 2026-01-02T01:00:00+01:00
count 1 --since @1767484799.5
count 0 --since 1h
count 4 --event ended,denied
count 1 --outcome timed_out
count 1 --outcome success
count 2 --outcome failure,too_soon
count 2 -n 2
expect_in out '"token":3'
count 0 -n 0
for wrong in '--since yesterdy' '--since 2026-02-30' '--until 2026-13-01' '--event run' '--outcome bad' '-n x' '--what'; do
  # Option and value are two words.
  # shellcheck disable=SC2086
  expect_code 64 atmost history $wrong
done
expect_in err "--what"
