#!/bin/sh
# Events are shown in the order of time, though ends and signals are logged later than what
# came after them.
. "$(dirname "$0")/lib.sh"

line() { # EVENT SECONDS TOKEN [FIELDS]
  printf '{"v":1,"event":"%s","time":"2026-01-01T00:00:%s.000000Z","at":17672256%s.000000,"host":"h","lock":"job","path":"%s/locks/job.lock","max":1,"take":1,"slot":1,"token":%s,"pid":1,"uid":0,"command":"c"%s}\n' \
    "$1" "$2" "$2" "$folder" "$3" "${4-}"
}
{
  line admitted 01 1
  line expired 05 2
  line admitted 09 2
  line signalled 06 2 ',"signal":"INT","worked":true'
  line ended 08 1 ',"exit":0'
  line ended 10 2 ',"exit":0'
} >locks/history.jsonl
order() { sed 's/.*T00:00:\([0-9]*\).*/\1/' out | grep -v TIME | tr '\n' ' '; }
expect_code 0 atmost history job
[ "$(order)" = "01 05 06 08 09 10 " ] || fail "$(order)"
expect_code 0 atmost history --json job
[ "$(order)" = "01 05 06 08 09 10 " ] || fail "$(order)"
expect_code 0 atmost history -n 3 job
[ "$(order)" = "08 09 10 " ] || fail "$(order)"
