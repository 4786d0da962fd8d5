#!/bin/sh
# notify and ping of an atom: in a fleet its supervisor is a program of its own, which has to be
# given both.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"

cat >f <<END
[[atom]]
operator = "tells"
operand = "$$"
command = ["false"]
notify = ": >told"
ping = "http://127.0.0.1:1/secret"
END
expect_code 1 atmost pass --store "$FLEET_STORE" f
expect_in err "tells:$$: ran"
if grep -q secret err; then fail "the URL is in the message"; fi
wait_until '[ -e told ]'
history=$ATMOST_DIR/history.jsonl
wait_until 'grep -q "\"event\":\"undelivered\".*\"to\":\"ping\"" "$history"'
if grep -q secret "$history"; then fail "the history has the URL"; fi
