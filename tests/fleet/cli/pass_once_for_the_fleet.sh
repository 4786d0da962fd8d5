# Two hosts that pass at the same moment run each job once; the interval holds on both; what is each host's own runs on
# each; each host's log says what it did.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"

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
blue=$started
expect_end 0 "$red"
expect_end 0 "$blue"
expect_line 8 ran
[ "$(cut -d' ' -f2 ran | sort -u | wc -l)" -eq 8 ] || fail "a job ran twice: $(cat ran)"
expect_line 2 hosts
[ "$(cat red.out blue.out | grep -c '"kind":"ran"')" -eq 10 ] || fail "not ten runs: $(cat red.out blue.out)"
[ "$(cat red.out blue.out | grep -cE '"kind":"(busy|too_soon)"')" -eq 8 ] || fail "not eight refusals"
[ "$(cat red/history.jsonl blue/history.jsonl | grep -c '"event":"ended"')" -eq 10 ] || fail "not ten runs logged"

# A third host, later; the store may come from the environment.
ATMOST_STORE=$FLEET_STORE as_host green atmost pass -v f 2>err
[ "$(grep -c 'too soon: not before' err)" -eq 8 ] || fail "the interval does not hold: $(cat err)"
expect_line 8 ran
expect_line 3 hosts

# The command line calls a job by the same name.
expect_code 0 atmost list --json --store "$FLEET_STORE" once:1
expect_code 76 atmost run --store "$FLEET_STORE" --if-elapsed 1h once:1 true
