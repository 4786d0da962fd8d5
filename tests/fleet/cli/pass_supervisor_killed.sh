#!/bin/sh
# A job whose supervisor is killed leaves no process behind, even outside of its session; the pass
# goes on and reports it. The file's keys about a job's surroundings hold in a fleet, too, and are
# in nobody's arguments.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"
cat >f <<END
[[atom]]
operator = "monitored"
operand = "one"
directory = "$folder/state"
environment = { SAID = "in-the-file" }
shell = true
command = '''
setsid sleep 1000 &
echo \$! >$folder/stray
echo \$SAID \$PWD >$folder/said
echo \$PPID >$folder/supervisor.new
mv $folder/supervisor.new $folder/supervisor
sleep 1000
'''
[[atom]]
operator = "monitored"
operand = "two"
command = ["touch", "$folder/two"]
END
mkdir -p state
start atmost pass --store "$FLEET_STORE" f 2>err
pass=$started
wait_until '[ -e supervisor ]'
[ "$(cat said)" = "in-the-file $folder/state" ] || fail "other surroundings: $(cat said)"
if tr '\0' ' ' <"/proc/$(cat supervisor)/cmdline" | grep in-the-file; then fail "ps shows it"; fi
kill -0 "$(cat stray)" || fail "no stray"
kill -KILL "$(cat supervisor)"
expect_end 1 "$pass"
wait_until '! kill -0 "$(cat stray)" 2>/dev/null'
expect_in err "monitored:one: the supervisor was killed: its command is stopped"
[ -e two ] || fail "the pass did not go on"
