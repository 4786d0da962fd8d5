#!/bin/sh
# The overdue holder, the signals to it with their effect, the loss of the lock, and the holder's
# end: both sides write their part, and the token connects them.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "nobody can be taken over from"

# Deaf to INT; not to TERM.
start atmost run --id nightly job -- sh -c 'trap "" INT; echo $$ >pid; exec sleep 600'
holder=$started
wait_until '[ -s pid ]'
expect_code 0 atmost run --expire-after 1ms --kill-grace 100ms job -- true
expect_end 79 "$holder"

# lines EVENT [WORDS]: the lines of that event that have the words.
lines() { atmost history --json --event "$1" job | grep -F -- "${2-}"; }
once() { [ "$(lines "$@" | wc -l)" -eq 1 ] || fail "not once $*: $(atmost history --json job)"; }
token=$(lines admitted '"id":"nightly"' | sed 's/.*"token":\([0-9]*\).*/\1/')

once expired "\"holder_pid\":$holder,\"holder_token\":$token,\"age_s\":"
once expired '"expire_after_s":0.001000'
once signalled "\"signal\":\"INT\",\"worked\":false,\"holder_pid\":$holder,\"holder_token\":$token"
once signalled "\"signal\":\"TERM\",\"worked\":true,\"holder_pid\":$holder,\"holder_token\":$token"
if lines signalled KILL; then fail "KILL was not needed"; fi
once lost "\"slot\":1,\"token\":$token,\"pid\":$holder"
once ended "\"token\":$token,\"pid\":$holder,\"uid\":$(id -u),\"id\":\"nightly\",\"command\":\"sh\",\"signal\":\"TERM\",\"stopped\":\"taken_over\""
once admitted '"command":"true"'
once ended '"command":"true","exit":0,"waited_s":0.'
for field in ran_s cpu_s peak_kib; do lines ended "\"$field\":" | wc -l | grep -qx " *2" || fail "no $field"; done

# A refusal has its reason and the time to come back.
expect_code 76 atmost run --if-elapsed 1h job -- true
once denied '"why":"too_soon","retry_in_s":35'
expect_code 75 atmost run -n 0 job -- true
once denied '"why":"zero","retry_in_s":null'

# A holder that atmost kill stops is recorded likewise. (A shell's background jobs ignore INT.)
start atmost run other -- sh -c 'echo $$ >pid2; exec sleep 600'
wait_until '[ -s pid2 ]'
expect_code 0 atmost kill --kill-grace 1s other
atmost history --json other >told
for words in '"event":"stopping"' '"signal":"TERM","worked":true' '"stopped":"killed"'; do expect_in told "$words"; done

# It takes --log and --no-history, as run does.
lines=$(wc -l <locks/history.jsonl)
for option in '--log elsewhere' --no-history; do
  start atmost run --no-history other sleep 100
  wait_until 'atmost list other | grep -q sleep'
  # shellcheck disable=SC2086 # words
  expect_code 0 atmost kill $option other
done
[ "$(wc -l <locks/history.jsonl)" = "$lines" ] || fail "kill wrote to the usual log"
grep -q '"event":"stopping"' elsewhere || fail "$(cat elsewhere)"
