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
  std::int64_t asked_boot_ns = 0;   // when the lease was asked for
  std::int64_t moment_boot_ns = 0;  // the moment that it counts from, as written
};

struct OpenLock {
  OpenLock(const std::string& prefix, const LockSpec& wanted)
      : keys(prefix, lock_of(wanted)), spec(wanted) {}

  Keys keys;
  const LockSpec& spec;  // of the request
  Snapshot seen;         // its revision is 0 until the caller looked
  Interval interval;
  // How long ago the moment was that the request's interval counts from; -1: there is none.
  std::int64_t cooled_ns = -1;
  std::optional<Ring::Entry> admitted;  // our admission, as it was written into the ring
  Admissions admissions;                // set by Rates::see()
  // Waiters before us that their rates keep back, and that we need not wait for: only a new look
  // shows whether they are there.
  bool early_ahead = false;
  bool deep = false;           // its place in the queue lies far behind the first
  std::uint64_t in_queue = 0;  // number of waiters when it drew its place
  bool place_kept = false;     // while it holds the slot
  // A place so far ahead of ours that our turn is near when it is gone; empty: none is known.
  std::string milestone;
  // The slots owed to others have not been taken since this revision: there was no admission. 0:
  // none is owed.
  std::uint64_t idle_revision = 0;
  std::int64_t idle_since_boot_ns = 0;

  void note_idle(std::uint64_t revision);
  // When the turns of the waiters that they are owed to have ended (queue.h).
  std::int64_t turns_end_boot_ns() const;
};

}  // namespace atmost::etcd

#endif
