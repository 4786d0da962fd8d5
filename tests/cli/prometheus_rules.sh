#!/bin/sh
# The example alert rules are rules, fire when they should, and name only metrics that stats prints;
# Prometheus reads the output of stats for any name of a lock.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-stats" ] || skip "built without the back tier"
rules=$root/examples/prometheus

expect_code 0 atmost run job -- true
expect_code 0 atmost run 'say:"it" \ {now}' -- true
expect_code 75 atmost run -n 0 job -- true
expect_code 0 atmost stats --prometheus=atmost.prom
grep -o 'atmost_[a-z_]*' "$rules/atmost.rules.yml" | sort -u >named
[ -s named ] || fail "the rules name no metric"
while read -r metric; do
  grep -q "^# TYPE $metric " atmost.prom || fail "$metric is not printed"
  grep -Eq "^${metric}[{ ]" atmost.prom || fail "$metric has no sample"
done <named

command -v promtool >/dev/null || skip "no promtool"
# Advice counts, too.
promtool check metrics <atmost.prom >said 2>&1 || fail "$(cat said)"
expect_line 0 said
promtool check rules "$rules/atmost.rules.yml" >said 2>&1 || fail "$(cat said)"
promtool test rules "$rules/atmost.rules.test.yml" >said 2>&1 || fail "$(cat said)"
