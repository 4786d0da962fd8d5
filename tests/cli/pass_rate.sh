#!/bin/sh
# rate in a pass file: at most K runs of an atom in any window, with passes of any caller.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"

cat >jobs.toml <<'TOML'
[[atom]]
operator = "ask"
operand = "api"
rate = "2/1h"
command = ["sh", "-c", "echo >>ran"]
TOML
for _ in 1 2 3 4; do atmost pass -q jobs.toml || :; done
expect_line 2 ran
# The command line counts in the same lock.
expect_code 76 atmost run --rate 2/1h ask:api true
expect_code 0 atmost run ask:api true

sed 's|2/1h|2 an hour|' jobs.toml >wrong.toml
expect_code 78 atmost pass wrong.toml
expect_in err '"2 an hour" is not a rate: use K/DUR, for example 5/1m'
