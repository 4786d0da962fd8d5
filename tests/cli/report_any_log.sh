#!/bin/sh
# Any log makes a page, and exactly one.
. "$(dirname "$0")/lib.sh"

expect_code 0 atmost report -q -o page.html
expect_in page.html "Nothing has happened yet."
cat >log <<'X'
torn {"v":1,"event":"adm
{"v":2,"event":"admitted","at":1795000000,"lock":"later","path":"/later"}
{"v":1,"event":"ended","at":9223372036,"lock":"far","path":"/far"}
{"v":1,"event":"ended","at":1795000000,"lock":"<!--</script><script>{{DATA}}","path":"/\u001b<img>","ran_s":1000000000,"exit":0,"host":"<h1>"}
{"v":1,"event":"admitted","at":1795000000,"lock":"wide","path":"/wide","slot":4000000000,"take":4000000000,"max":4000000000,"token":1,"waited_s":9000000000}
{"v":1,"event":"denied","at":1795000001,"lock":"wide","path":"/wide","why":"<b>","waited_s":0.5,"retry_in_s":-5}
{"v":1,"event":"ended","at":0,"lock":"old","path":"/old","ran_s":5,"exit":0}
X
expect_code 0 atmost report --log log -o page.html
expect_in err "3 lines were skipped"
expect_in page.html '<h1>atmost on &lt;h1&gt;</h1>'
[ "$(grep -o '<script' page.html | wc -l)" = 2 ] || fail "a name is a script"
[ "$(grep -o '<!--' page.html | wc -l)" = 0 ] || fail "a name is a comment"
grep -q "$(printf '\033')" page.html && fail "a control byte" || :
for lock in /wide /old; do
  expect_code 0 atmost report -q --log log --svg $lock
  expect_in out "</svg>"
done
# Two generations make one page.
head -n 4 log >old.1
tail -n 3 log >old
expect_code 0 atmost report -q --log old -o two.html
for name in wide old '&lt;script&gt;'; do expect_in two.html "$name"; done
