#!/bin/sh
# An overlay's files have other locks than the same files in its layers: a process inside cannot
# see that, and doctor reports it.
. "$(dirname "$0")/lib.sh"
[ "${ATMOST_PORTABLE-}" ] && skip "a POSIX-only build cannot tell filesystems apart"
[ "$(id -u)" = 0 ] || skip "only root can mount"
if [ ! "${ATMOST_OWN_MOUNTS-}" ]; then
  unshare -m true 2>/dev/null || skip "no mount namespace can be made"
  # Once more in a mount namespace of its own, which takes its mounts with it; they lie in this
  # folder, not in its.
  mkdir mounts
  code=0
  (cd "$OLDPWD" && ATMOST_OWN_MOUNTS=$folder/mounts unshare -m sh "$0") || code=$?
  exit $code
fi

area=$ATMOST_OWN_MOUNTS
mount -t tmpfs none "$area" || skip "no tmpfs can be mounted"
cd "$area"
mkdir lower upper work merged
: >lower/image.lock
mount -t overlay none -o "lowerdir=$area/lower,upperdir=$area/upper,workdir=$area/work" merged ||
  skip "no overlay can be mounted"

expect_code 0 atmost doctor merged
expect_in out "warn  overlay         an overlay, whose files lie in $area/upper"
expect_in out "warn  other-paths     tried: one exclusive lock was granted twice, here and by $area/upper"
expect_in out "warn  lower-layer     image.lock comes from a lower layer"
expect_code 0 atmost doctor upper
expect_in out "warn  other-paths     this is the upper layer of the overlay mounted at $area/merged"
expect_code 0 atmost doctor lower
expect_in out "warn  other-paths     this is the lower layer of the overlay mounted at $area/merged"

# The fact itself.
start atmost run merged/a.lock -- sleep 100
wait_until '[ "$(atmost check merged/a.lock)" = 1 ]'
expect_code 75 atmost run merged/a.lock -- true
expect_code 0 atmost run upper/a.lock -- true

# A lock file of the image is copied up by its first user: from then on it is like any other, and no
# longer warned of.
start atmost run merged/image.lock -- sleep 100
wait_until '[ "$(atmost check merged/image.lock)" = 1 ]'
expect_code 75 atmost run merged/image.lock -- true
expect_code 0 atmost doctor merged
if grep -q lower-layer out; then fail "still warned of: $(cat out)"; fi
