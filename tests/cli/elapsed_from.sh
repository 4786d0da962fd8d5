#!/bin/sh
# --elapsed-from: the interval is measured from the last start, finish or success.
. "$(dirname "$0")/lib.sh"

expect_code 1 atmost run --if-elapsed 1h --elapsed-from=success job false
expect_code 1 atmost run --if-elapsed 1h --elapsed-from=success job false
expect_code 76 atmost run --if-elapsed 1h --elapsed-from=finish job true
expect_in err 'the last run finished less than 1h ago'
expect_code 76 atmost run --if-elapsed 1h job true
expect_in err 'the last run started less than 1h ago'
expect_code 0 atmost run --if-elapsed 1h --elapsed-from=success job true
expect_code 76 atmost run --if-elapsed 1h --elapsed-from=success job true
expect_in err 'the last run succeeded less than 1h ago'

# A run that was killed has started, and neither finished nor succeeded.
atmost run cut sh -c 'kill -KILL $PPID; kill -KILL $$' 2>/dev/null || :
wait_until '[ "$(atmost check cut)" = 0 ]'  # the command ends after its supervisor
expect_code 76 atmost run --if-elapsed 1h cut true
expect_code 0 atmost run --if-elapsed 1h --elapsed-from=finish cut true
