#!/bin/sh
# Logs of any content: torn lines, lines of other programs, other versions, far moments, hostile
# names, two generations.
. "$(dirname "$0")/lib.sh"

expect_code 0 atmost stats
expect_line 0 out
expect_in err "no history yet"
: >locks/history.jsonl
expect_code 0 atmost stats
expect_line 0 out
expect_line 0 err
expect_code 0 atmost stats --json
expect_line 0 out

expect_code 0 atmost run job -- true
mv locks/history.jsonl locks/history.jsonl.1
printf '{"v":1,"event":"adm' >>locks/history.jsonl.1
expect_code 0 atmost run job -- true
cat >>locks/history.jsonl <<'X'
somebody else
{"v":2,"event":"admitted","at":1795000000,"lock":"later","path":"/later"}
{"v":1,"event":"invented","at":1795000000,"lock":"other","path":"/other"}
{"v":1,"event":"ended","at":9223372036,"lock":"far","path":"/far"}
{"v":1,"event":"ended","at":-5,"lock":"early","path":"/early"}
{"v":1,"event":"ended","at":"soon","lock":"soon","path":"/soon"}
{"v":1,"event":"ended","at":1795000000}
{"v":1,"event":"ended","at":1795000000,"lock":"evil \u001b[31m\"<b>\u202e","path":"/evil\n/x","ran_s":1,"exit":0}
X
expect_code 0 atmost stats
expect_in err "7 lines were skipped"
expect_line 3 out
grep -q '^job	2	' out || fail "two generations make one lock: $(cat out)"
expect_in out 'evil \x1B[31m"<b>\xE2\x80\xAE'
for format in --json --prometheus -q; do
  expect_code 0 atmost stats $format
  if LC_ALL=C tr -d '\n\t' <out | LC_ALL=C grep -q '[[:cntrl:]]'; then fail "a control byte was shown ($format)"; fi
done
expect_line 0 err

# From now on, until now.
expect_code 0 atmost stats -q --since 1h --json job
expect_in out '"runs":2'
expect_code 0 atmost stats -q --until 2001-01-01 job
expect_line 0 out

expect_code 64 atmost stats --since never
expect_code 64 atmost stats --json --prometheus
expect_in err "two formats"
expect_code 64 atmost stats --what
expect_in err "no such option; see atmost stats --help"
expect_code 0 atmost stats --help
expect_in out "usage: atmost stats"
code=0
atmost stats -q >&- 2>err || code=$?
[ "$code" = 74 ] || fail "exit code $code on a closed standard output"
expect_in err "cannot write"
