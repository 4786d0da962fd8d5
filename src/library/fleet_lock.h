// A lock in a store of many machines, for the C library: helper processes ask for it and keep it.
#ifndef ATMOST_LIBRARY_FLEET_LOCK_H
#define ATMOST_LIBRARY_FLEET_LOCK_H

#include <cstdint>

#include "core/outcome.h"
#include "core/request.h"
#include "os/file.h"
#include "os/threads.h"
#include "os/waiting.h"
#include "request.h"

namespace atmost::limiter {

// `atmost run` supervises a process of atmost-relay, which alone has the other end of a socket
// pair of ours. So the lock is held as long as that end is open; if the supervisor loses it, it
// kills that process, and if our process dies, that process ends. Processes that this one forks
// while the program has the lock share the connection. Not thread-safe, but for is_held().
class FleetLock {
 public:
  // `forks`: every fork waits for it, and it is locked while descriptors are made and closed, so
  // that a child has a complete record of them.
  explicit FleetLock(os::Mutex& forks) : forks_(forks) {}

  // Those of `atmost run`, to be set before ask().
  Words& arguments() { return arguments_; }

  // Blocks until `atmost run` answers, or a handler ran at the gate (then the answer is
  // Code::interrupted, and nothing is held). `gate` null: handlers interrupt nothing.
  Outcome ask(const Request& request, const os::WaitGate* gate);
  // The program has the lock from now on, and children that it forks share it.
  void hand_over();
  // True if the connection is open. Does not block.
  bool is_held() const;
  // Says that the work has ended, and how.
  void let_go(bool success);
  // After let_go(): blocks until the slots are free, at most ten seconds, and closes all.
  void await_end();
  // Gives up what is open: the place in the queue or the hold.
  void close();
  // To be waited for: readable when the lock is lost.
  int descriptor() const { return hold_.get(); }
  // In a forked child: closes what must not outlive the parent. Async-signal-safe.
  void close_private();

 private:
  int start(const os::Fd& socket);
  Outcome answer(const Request& request, std::string_view packet);
  bool has_come_true(std::string_view packet, Outcome& to);
  void close_theirs();

  os::Mutex& forks_;
  Words arguments_;
  os::Fd asker_;   // to the process that asks
  os::Fd theirs_;  // its end, until it has it
  os::Fd hold_;    // to the process that stands for our work
  bool handed_over_ = false;
};

}  // namespace atmost::limiter

#endif
