// One lock of an open session, as its caller last saw it.
#ifndef ATMOST_STORE_ETCD_OPEN_LOCK_H
#define ATMOST_STORE_ETCD_OPEN_LOCK_H

#include <cstdint>
#include <string>

#include "core/request.h"
#include "facts.h"
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
  OpenLock(const std::string& prefix, const LockSpec& wanted, Transactions& transactions)
      : keys(prefix, lock_of(wanted)), spec(wanted), facts(transactions) {}

  Keys keys;
  const LockSpec& spec;  // of the request
  Snapshot seen;         // its revision is 0 until the caller looked
  EtcdFacts facts;       // of the last look
  Interval interval;
  // The time since the moment that the request's interval counts from; -1 if there is none.
  std::int64_t cooled_ns = -1;
  std::optional<Ring::Entry> admitted;  // our admission, as it was written into the ring
  Admissions admissions;                // set by Rates::see()
};

}  // namespace atmost::etcd

#endif
