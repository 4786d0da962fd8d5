#!/bin/sh
# The lock directory of examples/shared-locks, as systemd makes it: members of its group exclude one
# another there, and strangers can do nothing.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"
command -v systemd-tmpfiles >/dev/null && command -v systemd-sysusers >/dev/null || skip "no systemd"
command -v setpriv >/dev/null || skip "no setpriv"
[ "$(id -u)" = 0 ] || skip "only root makes groups and their directories"

etc=$folder/system/etc
mkdir -p "$etc/sysusers.d" "$etc/tmpfiles.d"
cp "$root/examples/shared-locks/sysusers.conf" "$etc/sysusers.d/atmost.conf"
cp "$root/examples/shared-locks/tmpfiles.conf" "$etc/tmpfiles.d/atmost.conf"
systemd-sysusers --root="$folder/system" 2>said || fail "$(cat said)"
systemd-tmpfiles --root="$folder/system" --create 2>said || fail "$(cat said)"
group=$(sed -n 's/^atmost:x:\([0-9]*\):.*/\1/p' "$etc/group")
shared=$folder/system/var/lib/atmost-shared
[ "$(stat -c %a:%u:%g "$shared")" = "2770:0:$group" ] || fail "$(stat "$shared")"

chmod 755 "$folder" "$folder/system" "$folder/system/var" "$folder/system/var/lib"
mkfifo -m 666 ready
as() {
  uid=$1
  shift
  setpriv --reuid "$uid" --regid "$uid" "$@"
}
member() {
  user=$1
  shift
  as "$user" --groups "$group" env ATMOST_DIR="$shared" "$@"
}
# shellcheck disable=SC2119
as 65501 --clear-groups test -x "$ATMOST_BIN/atmost" || skip "other users may not look into this folder"
start setpriv --reuid 65501 --regid 65501 --groups "$group" env ATMOST_DIR="$shared" \
  atmost run job -- sh -c 'echo in >ready; exec sleep 3600'
read -r _ <ready
expect_code 75 member 65502 atmost run -q job -- true
expect_code 0 member 65502 atmost list job
expect_in out held
[ "$(stat -c %a:%g "$shared/job.lock")" = "660:$group" ] || fail "$(stat "$shared/job.lock")"
expect_code 77 as 65503 --clear-groups env ATMOST_DIR="$shared" atmost run -q job -- true
expect_code 75 env ATMOST_DIR="$shared" atmost run -q job -- true
expect_code 0 member 65502 atmost run other -- true
kill "$started"
wait "$started" || :
for user in 65501 65502; do
  expect_code 0 grep "uid..$user" "$shared/history.jsonl"
done
