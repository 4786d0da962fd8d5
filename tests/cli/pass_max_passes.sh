#!/bin/sh
# --max-passes limits the passes over one file.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"

cat >f <<'END'
[[atom]]
operator = "job"
operand = "long"
shell = true
command = "touch inside; until [ -e go ]; do sleep 0.01; done"
max = 5
END
start atmost pass --max-passes 1 f
wait_until '[ -e inside ]'
expect_code 75 atmost pass --max-passes 1 f
expect_line 1 err
expect_in err "f: 1 passes run already"
expect_code 75 atmost pass -q --max-passes 1 f
expect_line 0 err
touch go
expect_code 0 atmost pass --max-passes 2 f
expect_end 0 "$started"
expect_code 0 atmost pass --max-passes 1 f
