#!/bin/sh
# --dry-run shows the atoms that would run, and the reasons of the others; it runs nothing and
# creates nothing.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"

cat >f <<'END'
[groups]
asked = { command = ["false"] }
[[atom]]
operator = "job"
operand = "due"
command = ["touch", "ran"]
[[atom]]
operator = "job"
operand = "elsewhere"
command = ["touch", "ran"]
when = "any.!any"
[[atom]]
operator = "job"
operand = "asked"
command = ["touch", "ran"]
when = "asked"
[[atom]]
operator = "job"
operand = "done"
command = ["true"]
if_elapsed = "inf"
[[atom]]
operator = "job"
operand = "none"
command = ["true"]
max = 0
END
expect_code 0 atmost run job:done -- true
expect_code 0 atmost pass --dry-run f
expect_line 5 out
expect_in out "job:due: would run"
expect_in out "job:elsewhere: not due: any.!any does not hold"
expect_in out "job:asked: not due: asked does not hold"
expect_in out "job:done: too soon: it ran, and runs once only"
expect_in out "job:none: busy: its max is 0"
[ ! -e ran ] || fail "something ran"
# shellcheck disable=SC2012  # escaped names hold no newline
[ "$(ls locks/*.lock | wc -l)" -eq 1 ] || fail "locks were created: $(ls locks)"

# A missing user is reported before the night.
printf '[[atom]]\noperator = "job"\noperand = "who"\ncommand = ["true"]\nuser = "nobody-of-this-name"\n' >g
expect_code 0 atmost pass --dry-run g
expect_in out "job:who: "
expect_in out "nobody-of-this-name"
[ "$(grep -c 'would run' out)" -eq 0 ] || fail "$(cat out)"

expect_code 0 atmost pass --dry-run --json f
expect_in out '{"kind":"would_run","lock":"job:due","code":null,'
expect_in out '{"kind":"too_soon","lock":"job:done","code":76,'

# A holder that would be stopped is not stopped.
printf '[[atom]]\noperator = "job"\noperand = "over"\nexpire_after = "1"\ncommand = ["touch", "ran"]\n' >g
start atmost run job:over sleep 100
wait_until 'atmost pass --dry-run g | grep -qF "job:over: would run, after stopping an overdue one"'
expect_code 0 atmost pass --dry-run --json g
expect_in out '{"kind":"would_take_over","lock":"job:over","code":null,'
kill -0 "$started" || fail "it was stopped"
[ ! -e ran ] || fail "something ran"
