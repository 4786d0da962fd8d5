#!/bin/sh
# Limits in a pass file may be learned.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"

cat >atoms.toml <<'END'
[defaults]
max_runtime = "auto"

[[atom]]
operator = "copy"
operand = "it"
command = ["true"]
if_elapsed = "auto"

[[atom]]
operator = "fixed"
operand = "it"
command = ["true"]
max_runtime = "1h"
END

i=0
while [ $i -lt 6 ]; do
  expect_code 0 atmost pass --now $((1700000000 + i * 3600)) atoms.toml
  i=$((i + 1))
done
expect_code 0 atmost tune --json copy:it
expect_in out '"completed":6,'
expect_in out '"usual_interval_s":3526.975,'
if grep -q '"max_runtime_s":0,' out; then fail "no limit after six runs"; fi

# Half of the usual interval has not passed.
expect_code 0 atmost pass --now $((1700000000 + 5 * 3600 + 600)) atoms.toml
expect_code 0 atmost tune --json copy:it
expect_in out '"completed":6,'
expect_code 0 atmost tune --json fixed:it
expect_in out '"completed":7,'

sed 's/"auto"/"automatic"/' atoms.toml >wrong.toml
expect_code 78 atmost pass wrong.toml
expect_in err 'wrong.toml:2:'
