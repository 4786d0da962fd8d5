// One attempt under way.
#ifndef ATMOST_STORE_POSTGRES_ATTEMPT_H
#define ATMOST_STORE_POSTGRES_ATTEMPT_H

#include <string>
#include <vector>

#include "core/session.h"
#include "snapshot.h"
#include "statements.h"

namespace atmost::postgres {

// One lock of the attempt.
struct LockAttempt {
  std::uint32_t index = 0;  // in the request
  std::string key;
  Snapshot snapshot = {};
  LockView seen = {};
};

// A whole attempt. The locks are in the order of their keys, in which every caller locks their
// rows.
struct Attempt {
  DecideFn decide = nullptr;
  Instant now;
  Ticket* queue = nullptr;
  Lease* lease = nullptr;
  std::vector<LockAttempt> locks;
  Decision answer;
  bool doubts = false;  // some holders are given time to answer

  bool has_ticket() const { return queue != nullptr && queue->drawn; }
};

}  // namespace atmost::postgres

#endif
