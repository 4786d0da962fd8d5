#!/bin/sh
# The page of one lock lists its runs, the newest first; that of several hosts' logs shows each
# host's part of a lock apart, as stats does.
. "$(dirname "$0")/lib.sh"

expect_code 0 atmost run 'a<b' true
expect_code 3 atmost run 'a<b' sh -c 'exit 3'
expect_code 124 atmost run --max-runtime 50ms 'a<b' sleep 100
expect_code 0 atmost run other true
expect_code 0 atmost report -o one.html 'a<b'
expect_in one.html '<title>a&lt;b, a lock of atmost on '
expect_in one.html 'Its runs, the newest first'
sed -n '/id="runs"/,/<\/section>/p' one.html | grep '^<tr' >rows
expect_line 3 rows
sed -n 1p rows | grep -q 'stopped: max_runtime' || fail "$(cat rows)"
sed -n 2p rows | grep -q '<tr class="bad">.*exit 3.*@.*<td>sh</td>' || fail "$(cat rows)"
sed -n 3p rows | grep -q '^<tr><th.*exit 0' || fail "$(cat rows)"
expect_code 0 atmost report -o all.html
if grep -q 'Its runs' all.html; then fail "runs of several locks"; fi

# The same history as if from two hosts, and a third one that has none.
here=$(sed -n '1s/.*"host":"\([^"]*\)".*/\1/p' "$ATMOST_DIR/history.jsonl")
for host in red blue; do sed "s/\"host\":\"$here\"/\"host\":\"$host\"/" "$ATMOST_DIR/history.jsonl" >$host.log; done
expect_code 0 atmost report --log red.log --log blue.log -o hosts.html
expect_in hosts.html '<title>atmost on 2 hosts</title>'
for host in red blue; do
  expect_in hosts.html ">a&lt;b on $host</a>"
  expect_in hosts.html ">other on $host</a>"
done
expect_code 0 atmost stats --json --log red.log --log blue.log
expect_line 4 out
expect_in out '"lock":"a<b on red"'
expect_code 0 atmost stats --json --log red.log
expect_in out '"lock":"a<b"'
expect_code 0 atmost report --log red.log --log none.log -o hosts.html
expect_in err 'no history yet'
expect_code 0 atmost history --json --log red.log --log blue.log 'a<b'
[ "$(grep -c '"host":"blue"' out)" = "$(grep -c '"host":"red"' out)" ] || fail "history left one out"
