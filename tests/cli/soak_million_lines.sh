#!/bin/sh
# A million lines: stats within 2 s and 200 MiB, report within 5 s, its page under 5 MiB.
. "$(dirname "$0")/lib.sh"
[ -x /usr/bin/time ] || skip "no /usr/bin/time"

awk 'BEGIN {
  for (run = 0; run < 500000; run++) {
    lock = run % 40; at = 1795000000 + run * 3.1; token = run + 1
    head = sprintf("\"time\":\"2026-11-21T07:42:42.666163Z\",\"at\":%.6f,\"boot_s\":4307.700994,\"host\":\"alder\",\"lock\":\"job-%02d\",\"path\":\"/var/lib/atmost/job-%02d.lock\",\"max\":1,\"take\":1,", at, lock, lock)
    same = sprintf("\"slot\":1,\"token\":%d,\"pid\":19217,\"uid\":0,\"command\":\"rsync\"", token)
    printf "{\"v\":1,\"event\":\"admitted\",%s%s,\"waited_s\":%.6f}\n", head, same, run % 7
    printf "{\"v\":1,\"event\":\"ended\",%s%s,\"exit\":%d,\"waited_s\":%.6f,\"ran_s\":%.6f,\"cpu_s\":12.031000,\"peak_kib\":18432}\n", head, same, run % 97 == 0, run % 7, 10 + run % 89
  }
}' >log
expect_line 1000000 log
measure() {
  most_s=$1 most_kib=$2
  shift 2
  /usr/bin/time -o used -f '%e %M' "$@"
  read -r s kib <used
  echo "$*: $s s, $kib KiB"
  awk "BEGIN { exit !($s <= $most_s && $kib <= $most_kib) }" || fail "$*: $s s and $kib KiB"
}
measure 2 204800 atmost stats --json --log log >out
tail -n 1 out
measure 5 204800 atmost report --log log -o page.html
size=$(wc -c <page.html)
[ "$size" -lt 5242880 ] || fail "the page has $size bytes"
echo "page: $size bytes"
