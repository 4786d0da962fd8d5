#!/bin/sh
# A pass that needs no attention prints nothing; one with a failure names it, and runs the other
# atoms nevertheless.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"

cat >f <<'END'
[[atom]]
operator = "job"
operand = "good"
command = ["true"]
if_elapsed = "1h"
END
expect_code 0 atmost pass f
expect_line 0 out
expect_line 0 err
expect_code 0 atmost pass f # too soon
expect_line 0 out
expect_line 0 err
expect_code 0 atmost pass -v f
expect_in err "job:good: too soon: not before "

cat >>f <<'END'
[[atom]]
operator = "job"
operand = "bad"
command = ["sh", "-c", "exit 3"]
[[atom]]
operator = "job"
operand = "missing"
command = ["/no/such/program"]
[[atom]]
operator = "job"
operand = "after"
command = ["touch", "after"]
END
expect_code 1 atmost pass f
expect_line 0 out
[ "$(grep -c '^atmost pass: ' err)" -eq 2 ] || fail "not the failures alone are named: $(cat err)"
expect_in err "atmost pass: job:bad: ran "
expect_in err "exited with 3"
expect_in err "job:missing: /no/such/program: "
[ -e after ] || fail "a failure stopped the atoms after it"
