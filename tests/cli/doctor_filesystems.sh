#!/bin/sh
# The messages of doctor and run on other filesystems, each mounted for this test alone.
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

mount=$ATMOST_OWN_MOUNTS
tried=
for type in tmpfs ramfs; do
  mount -t $type none "$mount" 2>/dev/null || continue
  tried="$tried $type"
  expect_code 0 atmost doctor "$mount"
  expect_in out "ok    filesystem"
  umount "$mount"
done

for type in ext4 xfs btrfs; do
  command -v mkfs.$type >/dev/null || continue
  truncate -s 320M image
  mkfs.$type -q image >/dev/null 2>&1 && mount -o loop image "$mount" 2>/dev/null || continue
  tried="$tried $type"
  expect_code 0 atmost doctor "$mount"
  expect_in out "ok    filesystem      $type at "
  start atmost run "$mount/a.lock" -- sleep 100
  wait_until '[ "$(atmost check "$mount/a.lock")" = 1 ]'
  expect_code 75 atmost run "$mount/a.lock" -- true
  kill -TERM $started
  expect_end 143 $started
  umount "$mount"
  rm image
done

if truncate -s 16M image && mkfs.ext4 -q image >/dev/null 2>&1 && mount -o loop,ro image "$mount" 2>/dev/null; then
  tried="$tried read-only"
  expect_code 74 atmost doctor "$mount"
  expect_in out "FAIL  room            the filesystem is read-only"
  umount "$mount"
fi

# A filesystem on which locks were not tried is refused, with the remedy.
if mount -t mqueue none "$mount" 2>/dev/null; then
  tried="$tried mqueue"
  expect_code 74 atmost doctor "$mount"
  expect_in out "FAIL  filesystem      mqueue (unknown)"
  expect_code 74 atmost run "$mount/$$.lock" -- true
  expect_in err "locks on this filesystem (unknown) cannot be trusted"
  expect_in err "atmost doctor $mount, or say --trust-fs"
  [ ! -e "$mount/$$.lock" ] || fail "a refusal left a file behind"
  umount "$mount"
fi
echo "tried:$tried"
[ -n "$tried" ] || skip "nothing can be mounted here"
