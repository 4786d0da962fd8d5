// Signals of a thread that are let through only while it waits.
#ifndef ATMOST_OS_WAIT_GATE_H
#define ATMOST_OS_WAIT_GATE_H

#include <poll.h>
#include <signal.h>

namespace atmost::os {

// While the gate exists, this thread's signals are blocked, except those raised by its own faults.
// Where src/os lets the thread wait (sleep_until(), Watch::wait(), wait_lock_until() without an
// alarm), `mask` is its mask, without a gap in between: a handler runs there or at the end, and one
// that ran there is never missed. A thread has at most one gate at a time.
//
// REQUIRES: prepare_gates() came before, for this thread.
class WaitGate {
 public:
  // `mask`: a sigset_t, borrowed; null: the mask of the thread as it is now. `end_fd`: a descriptor
  // that counts as a handler that ran once it is readable; -1: none.
  explicit WaitGate(const void* mask, int end_fd = -1);
  WaitGate(const WaitGate&) = delete;
  WaitGate& operator=(const WaitGate&) = delete;
  ~WaitGate();

  // True if a handler ran while the thread waited, or the descriptor was readable then.
  bool interrupted() const { return interrupted_; }

 private:
  friend int poll_at_gate(struct pollfd* fds, unsigned count, int timeout_ms);
  sigset_t before_;
  const sigset_t* mask_;
  int end_fd_;
  bool interrupted_ = false;
};

// Makes the waits of src/os use gates, for the whole process. Programs without gates do not call
// it, and pay nothing. The caller makes sure that other threads see it before they wait.
void prepare_gates();

}  // namespace atmost::os

#endif
