// Two ends, each with a descriptor to poll: one thread wakes another, or an event loop.
#ifndef ATMOST_OS_WAKE_PAIR_H
#define ATMOST_OS_WAKE_PAIR_H

#include "fd.h"

namespace atmost::os {

// Both ends are close-on-exec and nonblocking. Children made by fork() share them: a parent sees
// the wake-up of its child.
class WakePair {
 public:
  enum class End { near, far };

  // 0 or an errno value.
  int open();
  void close();
  bool is_open() const { return near_.open(); }

  // To be polled for reading: readable once the other end was raised, from then on.
  int fd(End end) const { return end == End::near ? near_.get() : far_.get(); }
  // Makes the descriptor of the other end readable. Async-signal-safe, any thread; errno is kept.
  void raise(End end) const;

 private:
  Fd near_;
  Fd far_;
};

}  // namespace atmost::os

#endif
