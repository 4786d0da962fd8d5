#!/bin/sh
# A command is stopped and continued, without the other processes of its job. Its supervisor stops
# with it and wakes to renew its lease; no process above the command stays stopped.
. "$(dirname "$0")/lib.sh"

# The job has its own group in our session, as an orphaned group could not be stopped this way.
leader='import os, sys; os.setpgid(0, 0); os.execvp(sys.argv[1], sys.argv[1:])'
start python3 -c "$leader" atmost run --no-history --store "$FLEET_STORE" --ttl 5s --kill-grace 500ms alone -- \
  sh -c 'echo $$ >pid; exec sleep 1'
job=$started
wait_until '[ -s pid ]'
kill -STOP "$(cat pid)"
wait_until '[ "$(state_of "$job")" = T ]'
kill -CONT "$(cat pid)"
wait_until '[ ! -e "/proc/$job" ] || [ "$(state_of "$job")" = Z ]' 12
wait "$job" || [ $? -eq 79 ] || fail "exit code $?"
