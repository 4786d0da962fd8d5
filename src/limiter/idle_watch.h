// A waiter's looks at the holders in its way, for --expire-idle.
#ifndef ATMOST_LIMITER_IDLE_WATCH_H
#define ATMOST_LIMITER_IDLE_WATCH_H

#include <cstdint>

#include "core/store.h"
#include "run/silence.h"

namespace atmost::limiter {

// Watches one holder at a time, and goes on to the next when it sees that this one is active. Only
// holders with a supervisor on this machine are watched: of others it is not known which processes
// belong to them. A supervisor whose command has announced a silence (atmost beat --eta) is active.
// Borrows all. One at a time in a process (os/activity.h).
class IdleWatch {
 public:
  IdleWatch(Store& store, const Request& request) : store_(store), request_(request) {}

  // When to look next; kForever: while nothing is watched.
  std::int64_t next_ns() const { return watching_ ? silence_.next_ns() : Duration::kForever; }
  // The caller is the first in the queue, and a holder is in its way. Begins to watch, or looks if
  // it is time. `victim` is the decision, with its limits. True: a holder has been idle for the
  // limit; `victim` becomes the decision to stop it. Reads the lock and /proc: milliseconds.
  bool finds_idle(std::uint32_t lock, Decision& victim);
  // Watching begins anew with the next look.
  void rest() { watching_ = false; }

 private:
  struct Watched {
    std::uint32_t slot = 0;
    std::uint64_t hold = 0;
    std::int64_t pid = 0;
  };
  class Finder;

  bool choose(std::uint32_t lock, bool next);
  void begin(std::int64_t now_ns);

  Store& store_;
  const Request& request_;
  Duration limit_;  // of the last decision; while nothing is watched it may change
  run::Silence silence_{Duration{}};
  bool watching_ = false;
  Watched watched_;
};

// One in the memory of the run; null: there is none. REQUIRES: watches_holders(request).
IdleWatch* idle_watch_for(Store& store, const Request& request);

}  // namespace atmost::limiter

#endif
