#!/bin/sh
# The same with a queue of sixty, and short waits.
COUNT=60 WAIT=3
. "$(dirname "$0")/waiters_that_cannot_come.sh"
