// Interruptions of a blocking lock call: a deadline, or a stop signal from the terminal.
#ifndef ATMOST_OS_INTERRUPT_H
#define ATMOST_OS_INTERRUPT_H

#include <cstdint>

#include "byte_lock.h"

namespace atmost::os {

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
  void install();
  // True if a SIGTSTP came since the last call.
  bool asked();
  // Stops this process as SIGTSTP would have; returns once it was continued.
  void obey();

 private:
  bool installed_ = false;
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

}  // namespace atmost::os

#endif
