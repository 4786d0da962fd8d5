#!/bin/sh
# For the scripts in this folder, which begin with:  . "$(dirname "$0")/lib.sh"
#
# A store that many machines share, as a user sees it. Each script runs once with every such store:
# with_etcd, with_postgres and with_shared start a cluster (or make a directory) and run the scripts
# one after the other, with
#
#   FLEET_STORE   the store's URL
#   FLEET_DEAD    a URL of the same kind where nobody answers
#   FLEET_PIDS    the servers
#
# One cluster for all of them: their locks have names of their own. By hand:
#   ATMOST_BIN=build/bin build/tests/bin/with_etcd tests/fleet/cli/SCRIPT.sh
#
# as_host NAME COMMAND... is a program beside them: another machine, as far as one can tell.
tests_fleet=$(cd "$(dirname "$0")" && pwd)
. "$tests_fleet/../../cli/lib.sh"
[ -n "${FLEET_STORE-}" ] || skip "started by with_etcd or with_postgres only"

PATH=$PATH:$tests_fleet

# The letter of a process's state in /proc/PID/stat.
state_of() { sed 's/.*) \(.\).*/\1/' "/proc/$1/stat"; }

# Makes the script `look`, which prints "left" if the process runs whose number the file `daemon`
# has, else "nothing". A process that has ended may be seen until its parent has read that.
write_look() {
  cat >look <<'EOF'
case $(sed 's/.*) \(.\).*/\1/' "/proc/$(cat daemon)/stat" 2>/dev/null) in
  '' | X | Z) echo nothing ;;
  *) echo left ;;
esac
EOF
}
