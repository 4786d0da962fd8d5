// Wall clocks that a test sets, forward and back, while programs run.
#ifndef ATMOST_TESTS_FLEET_CLOCKS_H
#define ATMOST_TESTS_FLEET_CLOCKS_H

#include <sys/types.h>

#include <string>

namespace fleet_kit {

// The clock of all programs that are started with `settings()` in their environment: wall_clock.cc
// is preloaded there. For programs whose time comes through the C library: PostgreSQL,
// atmost-fleet.
class SharedClock {
 public:
  explicit SharedClock(const std::string& path);  // a file to be made, readable by everybody
  SharedClock(const SharedClock&) = delete;
  SharedClock& operator=(const SharedClock&) = delete;
  ~SharedClock();

  // For putenv, in a process about to become such a program.
  void enter() const;
  void set(long seconds) { *shift_ = seconds; }
  long seconds() const { return *shift_; }

 private:
  std::string path_;
  volatile long* shift_;
};

// The clock of one process that asks the kernel through the vDSO by itself, as programs in Go do.
// On such libfaketime has no effect: measured with 0.9.10 preloaded into Debian's etcd 3.4.23
// (Go 1.19) with FAKETIME=+1h: the Date header of its answers was 0 s off. So the vDSO itself is
// written over, in this process's private copy of it: clock_gettime, gettimeofday and time make the
// system call and add a number of seconds that lies beside them.
class GoClock {
 public:
  // In a forked child that is about to become the program: it stops there until `take` has been
  // called.
  static void wait_to_be_taken();
  // Blocks until the child has become the program, writes over its vDSO, and lets it run. The
  // thread that forked it calls this. `why` is empty when it worked; else the clock cannot be set
  // here (another processor than x86-64, no right to trace), and the program runs on with the right
  // time.
  void take(pid_t child, long seconds, std::string& why);
  bool set(long seconds);

  GoClock() = default;
  GoClock(const GoClock&) = delete;
  GoClock& operator=(const GoClock&) = delete;
  ~GoClock();

 private:
  int memory_ = -1;
  unsigned long shift_at_ = 0;
};

}  // namespace fleet_kit

#endif
