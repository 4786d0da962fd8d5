#!/bin/sh
# Two hosts that pass at the same moment run each job once; the interval holds on both; jobs of a
# single host run on each; each host's log has its own runs.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"

# expect_count COUNT PATTERN FILE...: so many of the files' lines, taken together, match the pattern
# (grep -E).
expect_count() {
  count=$1 pattern=$2
  shift 2
  [ "$(cat "$@" | grep -cE -- "$pattern")" -eq "$count" ] || fail "not $count times $pattern in $*: $(cat "$@")"
}

for i in 1 2 3 4 5 6 7 8; do
  cat <<END
[[atom]]
operator = "once"
operand = "$i"
if_elapsed = "1h"
command = ["sh", "-c", "echo \$ATMOST_TOKEN \$ATMOST_LOCK >>$folder/ran"]
END
done >f
cat >>f <<END
[[atom]]
operator = "once"
operand = "of-each-host"
scope = "host"
command = ["sh", "-c", "echo \$ATMOST_LOCKFILE >>$folder/hosts"]
END
start as_host red atmost pass --store "$FLEET_STORE" --json f >red.out
red=$started
start as_host blue atmost pass --store "$FLEET_STORE" --json -j 4 f >blue.out
expect_end 0 "$red"
expect_end 0 "$started"
expect_line 8 ran
[ "$(cut -d' ' -f2 ran | sort -u | wc -l)" -eq 8 ] || fail "a job ran twice: $(cat ran)"
expect_line 2 hosts
expect_count 10 '"kind":"ran"' red.out blue.out
expect_count 8 '"kind":"(busy|too_soon)"' red.out blue.out
expect_count 10 '"event":"ended"' red/history.jsonl blue/history.jsonl

# A third host, later; the store may come from the environment.
ATMOST_STORE=$FLEET_STORE as_host green atmost pass -v f 2>err
expect_count 8 'too soon: not before' err
expect_line 8 ran
expect_line 3 hosts

# The command line calls a job by the same name.
expect_code 0 atmost list --json --store "$FLEET_STORE" once:1
expect_code 76 atmost run --store "$FLEET_STORE" --if-elapsed 1h once:1 true
