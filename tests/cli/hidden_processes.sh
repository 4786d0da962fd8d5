#!/bin/sh
# If /proc hides other users' processes (mount option hidepid), a process that cannot be seen
# counts as running: its symbolic link is not taken, and it is not idle.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "needs /proc"
[ "$(id -u)" = 0 ] || skip "needs root, who can be two users"
command -v setpriv >/dev/null || skip "needs setpriv"
if [ ! "${ATMOST_HIDES-}" ]; then
  unshare -m mount -t proc -o hidepid=2 proc /proc 2>/dev/null || skip "/proc cannot be mounted"
  for hides in 1 2; do
    (cd "$OLDPWD" && ATMOST_HIDES=$hides unshare -m sh "$0")
  done
  exit 0
fi
mount -t proc -o "hidepid=$ATMOST_HIDES" proc /proc
chmod 755 "$folder"
as() {  # USER COMMAND...
  user=$1
  shift
  setpriv --reuid "$user" --regid "$user" --groups 64321 "$@"
}
mkdir -m 770 links
chgrp 64321 links
mkdir -m 1777 own
export ATMOST_DIR="$folder/own"

start as 64322 atmost run --no-history --store symlink: links/a \
  sh -c 'echo $$ >own/pid; mv own/pid own/command; exec sleep 60 >/dev/null 2>&1'
holder=$started
wait_until '[ -e own/command ]'
expect_code 75 as 64323 atmost run --no-history --store symlink: links/a echo inside
expect_code 75 as 64322 atmost run --no-history --store symlink: links/a echo inside
# A process that was killed is gone for everybody.
kill -KILL "$(readlink links/a | sed 's/pid=\([0-9]*\) .*/\1/')"
expect_end 137 "$holder"
kill -KILL "$(cat own/command)"
expect_code 0 as 64323 atmost run --no-history --store symlink: links/a true

start sleep 60
expect_code 77 as 64323 atmost hold --no-history --for-pid "$started" own/x
expect_in err "process $started: "
expect_code 0 as 64323 atmost doctor own
expect_in out 'hides the processes of other users (hidepid)'

# --max-idle: only what can be seen is idle.
expect_code 124 as 64323 atmost run --no-history --max-idle 500ms --kill-grace 5s own/idle sh -c 'sleep 60; :'
cp "$(command -v setpriv)" own/raise
chmod 4755 own/raise
if [ "$(as 64323 own/raise --reuid 0 --regid 0 --clear-groups id -u)" = 0 ]; then
  expect_code 0 as 64323 atmost run --no-history --max-idle 500ms --kill-grace 5s own/idle \
    sh -c 'own/raise --reuid 0 --regid 0 --clear-groups sleep 3; :'
  # A part that cannot be seen is not gone: it keeps the slot until it ends.
  start as 64323 atmost run --no-history --max-runtime 300ms --kill-grace 100ms own/part \
    sh -c 'own/raise --reuid 0 --regid 0 --clear-groups sleep 8; :' 2>said
  part=$started
  wait_until 'grep -q "not visible from here has not ended" said'
  expect_code 75 as 64323 atmost run --no-history own/part echo beside
  expect_end 124 "$part"
fi
