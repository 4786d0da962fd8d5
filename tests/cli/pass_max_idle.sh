#!/bin/sh
# max_idle in a pass file stops an atom that does nothing, and its beats count.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "needs /proc"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"

cat >jobs.toml <<'TOML'
[defaults]
max_idle = "500ms"
kill_grace = "5s"

[[atom]]
operator = "hangs"
operand = "1"
command = ["sleep", "60"]

[[atom]]
operator = "waits"
operand = "1"
command = ["sh", "-c", "atmost beat --eta 1m; exec sleep 1.5"]
TOML
got=0
atmost pass -v jobs.toml >out 2>err || got=$?
cat out err >said
expect_in said 'stopped: idle for its max_idle'
expect_code 0 atmost history --event ended hangs:1
expect_in out 'stopped by --max-idle'
expect_code 0 atmost history --event ended waits:1
expect_in out 'exit 0'

# A learned limit: none before the atom has runs.
cat >auto.toml <<'TOML'
[[atom]]
operator = "learns"
operand = "1"
max_idle = "auto"
command = ["sleep", "1.2"]
TOML
expect_code 0 atmost pass auto.toml
expect_code 0 atmost history --event ended learns:1
expect_in out 'exit 0'
