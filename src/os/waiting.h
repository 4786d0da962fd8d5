// Waits that something else may end: a deadline, a signal, another thread.
#ifndef ATMOST_OS_WAITING_H
#define ATMOST_OS_WAITING_H

#include <poll.h>
#include <signal.h>

#include <cstdint>

#include "file.h"
#include "locks.h"

namespace atmost::os {

// Interruptions of a blocking lock call: a deadline, or a stop signal from the terminal.

// While alive, SIGALRM arrives from `boot_deadline_ns` on, again every 10 ms, until destruction: so
// a blocking call returns EINTR even when the first alarm fell before it. kForever: no alarm. The
// previous handler and timer are restored. Process-wide: one at a time, single-threaded callers
// (library callers poll instead).
class Alarm {
 public:
  explicit Alarm(std::int64_t boot_deadline_ns);
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  ~Alarm();

 private:
  bool armed_ = false;
};

// While alive, a SIGTSTP (Ctrl-Z) does not stop the process but makes blocking calls return EINTR,
// again every 10 ms until asked() was called, so that it is not lost between two calls; the waiter
// first gives up its place in the queue and then stops (obey()). An ignored SIGTSTP stays ignored.
// Process-wide, one at a time, single-threaded.
class StopNotice {
 public:
  StopNotice() = default;
  StopNotice(const StopNotice&) = delete;
  StopNotice& operator=(const StopNotice&) = delete;
  ~StopNotice();

  // Takes effect from this call on; further calls do nothing.
  // `interrupts`: also SIGINT, which ends the process then.
  void install(bool interrupts = false);
  // True if such a signal came since the last call.
  bool asked();
  // Of the last one that was asked about.
  bool interrupts() const;
  // Stops this process as SIGTSTP would have, and returns once it was continued; or ends it as
  // SIGINT would have.
  void obey();

 private:
  bool installed_ = false;
  bool hears_interrupts_ = false;
};

// The ways in which a caller may block. A program with one thread lets an Alarm end the call. A
// library, which owns neither the threads nor the signals of its process, polls every few
// milliseconds instead: whatever handlers run meanwhile or, if interruptible, until one has run.
// never: not at all. thread_alarm: as alarm, for one thread of several, in which SIGALRM is blocked
// otherwise.
enum class Blocking { alarm, polling, interruptible, never, thread_alarm };

// Blocks until the bytes are held (0), the deadline has come or, unless polling, a signal handler
// ran (EINTR); or an errno value. REQUIRES: `blocking` is not never.
int wait_lock_until(int fd, Owner owner, LockKind kind, Bytes bytes, std::int64_t boot_deadline_ns,
                    Blocking blocking);

// Signals of a thread that are let through only while it waits.
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

// Two ends, each with a descriptor to poll: one thread wakes another, or an event loop.
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
