#!/bin/sh
# --rate in a fleet: at most K in any window, in the order in which callers came, and on time. The
# soak has 2,000 callers.
line=$(cd "$(dirname "$0")" && pwd)/rate_line.py
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "needs python3"
export ATMOST_STORE="$FLEET_STORE"
atmost check --rate 1/1s probe >/dev/null 2>err || ! grep -q "this store does not" err || skip "$(cat err)"
for missing in one two three; do expect_code 127 atmost run --rate 2/1h many "./$missing"; done # none counts
expect_code 0 atmost run --rate 2/1h many true
expect_code 0 atmost run many true # every admission counts from then on
expect_code 76 atmost run --rate 2/1h many touch ran
expect_line 1 err
expect_in err "2 runs started within the last 1h"
expect_code 0 atmost run many true
expect_code 0 atmost forget many
expect_code 0 atmost run --rate 2/1h many true
[ ! -e ran ] || fail "a third ran within the window"

expect_code 0 python3 "$line" 60 10 1
expect_in out "never more than 10 in 1.0 s"
