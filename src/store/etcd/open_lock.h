// One lock of an open session, as its caller last saw it.
#ifndef ATMOST_STORE_ETCD_OPEN_LOCK_H
#define ATMOST_STORE_ETCD_OPEN_LOCK_H

#include <cstdint>
#include <string>

#include "core/request.h"
#include "keys.h"
#include "snapshot.h"

namespace atmost::etcd {

// The interval that an admission begins (intervals.h).
struct Interval {
  std::int64_t lease = 0;  // 0: none
  std::int64_t span_s = 0;
  std::int64_t asked_boot_ns = 0;   // for the lease
  std::int64_t moment_boot_ns = 0;  // that it counts from, as it is written
};

struct OpenLock {
  OpenLock(const std::string& prefix, const LockSpec& wanted)
      : keys(prefix, lock_of(wanted)), spec(wanted) {}

  Keys keys;
  const LockSpec& spec;  // of the request
  Snapshot seen;         // its revision is 0 until the caller looked
  Interval interval;
  // How long ago the moment was that its interval counts from; -1: there is none.
  std::int64_t cooled_ns = -1;
  bool deep = false;           // its place in the queue lies far behind the first
  std::uint64_t in_queue = 0;  // how many were there when it drew its place
  bool place_kept = false;     // while it holds the slot
  // A place so far before ours that we are near when it is gone; empty: none is known.
  std::string milestone;
  // Of slots that are owed to others: there was no admission after this revision, and nobody took
  // them since. 0: none is owed.
  std::uint64_t idle_revision = 0;
  std::int64_t idle_since_boot_ns = 0;

  void note_idle(std::uint64_t revision);
  // When those to whom they are owed have had their turns (queue.h).
  std::int64_t turns_end_boot_ns() const;
};

}  // namespace atmost::etcd

#endif
