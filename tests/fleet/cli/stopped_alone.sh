#!/bin/sh
# A command that somebody stops and continues, it alone, as a job's leader: its supervisor stops
# with it and wakes for its lease's sake; nobody above it stays behind stopped.
. "$(dirname "$0")/lib.sh"
state_of() { sed 's/.*) \(.\).*/\1/' "/proc/$1/stat"; }

# A group of its own, in our session: an orphaned group could not be stopped so.
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
