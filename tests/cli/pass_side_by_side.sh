#!/bin/sh
# --jobs runs atoms side by side; their output comes in whole lines under their names.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"

# Each waits for the other: they end only when both run at once.
meet() {
  cat <<END
[[atom]]
operator = "job"
operand = "$1"
shell = true
command = '''
touch $folder/$1.here
until [ -e $folder/$2.here ]; do sleep 0.01; done
i=0
while [ \$i -lt 200 ]; do echo line \$i of $1; i=\$((i + 1)); done
printf 'no newline' >&2'''
END
}
{
  meet one two
  meet two one
} >f
expect_code 0 atmost pass --jobs 2 f
expect_line 400 out
for name in one two; do
  [ "$(grep -c "^job:$name: line [0-9]* of $name\$" out)" -eq 200 ] || fail "lines of $name are mixed"
  expect_in err "job:$name: no newline"
done
expect_line 2 err

# A daemon that keeps the pipe does not keep the pass.
cat >f <<'END'
[[atom]]
operator = "job"
operand = "daemon"
shell = true
command = "sleep 100 & echo $! >pid; echo bye"
END
expect_code 0 atmost pass --jobs 2 f
expect_in out "job:daemon: bye"
kill "$(cat pid)"
