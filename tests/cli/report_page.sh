#!/bin/sh
# atmost report writes one page that needs no other file, whole or not at all; its table can be
# read without its script.
. "$(dirname "$0")/lib.sh"

for code in 0 0 3; do expect_code $code atmost run 'a<b>&"c' -- sh -c "exit $code"; done
expect_code 75 atmost run -n 0 'a<b>&"c' -- true
expect_code 0 atmost report -o page.html
expect_line 0 out
expect_line 0 err
expect_in page.html '<a href="#lock-0">a&lt;b&gt;&amp;&quot;c</a>'
expect_in page.html '<small>1 of 3 runs failed; 1 refused as busy</small>'
grep -qF 'a<b>' page.html && fail "a name is markup" || :
grep -qE '(src|href)="?(https?:)?//' page.html && fail "it needs something else" || :
[ "$(grep -c '<script' page.html)" = 2 ] || fail "one script, and its data"
[ "$(wc -c <page.html)" -lt 100000 ] || fail "$(wc -c <page.html) bytes for four events"
expect_code 0 atmost report
tail -n 1 out | grep -q '</html>' || fail "not to standard output"

expect_code 0 atmost report --svg 'a<b>&"c'
expect_in out '<title>a&lt;b&gt;&amp;&quot;c</title>'
expect_in out '<path class="busy"'
[ "$(grep -cE '<rect class="(success|failure)"' out)" = 3 ] || fail "three runs: $(cat out)"
if command -v python3 >/dev/null; then python3 -c 'import sys, xml.dom.minidom as x; x.parse("out")' || fail "no XML"; fi

expect_code 64 atmost report --svg
expect_in err "--svg: it draws one lock: name it"
expect_code 127 atmost report --svg none
expect_in err "the history knows no such lock"
expect_code 74 atmost report -o none/page.html
expect_in err "none/page.html: cannot"
cp page.html before
if [ -c /dev/full ]; then expect_code 74 atmost report -o /dev/full; fi
code=0
(trap '' XFSZ 2>/dev/null || :; ulimit -f 8; exec atmost report -o page.html) 2>err || code=$?
[ "$code" = 74 ] || fail "exit code $code instead of 74 beyond the limit"
cmp before page.html || fail "the old page is gone"
[ "$(find . -name '.*.??????' | wc -l)" = 0 ] || fail "something stayed behind"
code=0
atmost report >&- 2>err || code=$?
[ "$code" = 74 ] || fail "exit code $code on a closed standard output"
