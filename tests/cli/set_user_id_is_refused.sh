#!/bin/sh
# A set-user-id atmost refuses to run.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || skip "needs root"
command -v setpriv >/dev/null || skip "no setpriv"
chmod 755 .
cp "$ATMOST_BIN/atmost" "$ATMOST_BIN/exectimes" .
chmod 4755 atmost exectimes
expect_code 77 setpriv --reuid 65534 --clear-groups ./atmost run /tmp/x true
expect_in err "refuses to run set-user-id"
expect_line 1 err
expect_code 1 setpriv --reuid 65534 --clear-groups ./exectimes /tmp/x 1 true
