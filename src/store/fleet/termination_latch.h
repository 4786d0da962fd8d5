// A waiting caller that receives a termination signal first gives its place up: in a fleet no
// kernel does it for a process that ends.
#ifndef ATMOST_STORE_FLEET_TERMINATION_LATCH_H
#define ATMOST_STORE_FLEET_TERMINATION_LATCH_H

namespace atmost::fleet {

// While armed, HUP, INT, QUIT and TERM (those that are not ignored) do not end the process but are
// noted. Process-wide: while one is armed, another one cannot be. The destructor puts the old
// dispositions back.
class TerminationLatch {
 public:
  TerminationLatch() = default;
  TerminationLatch(const TerminationLatch&) = delete;
  TerminationLatch& operator=(const TerminationLatch&) = delete;
  ~TerminationLatch() { disarm(); }

  void arm();
  void disarm();
  // True if one of these signals came since then.
  bool is_set() const;
  // Readable (poll(2)) from then on; -1 when not armed.
  int descriptor() const;
  // Ends this process as the signal would have. REQUIRES: is_set() was true.
  [[noreturn]] void obey();

 private:
  bool armed_ = false;
};

}  // namespace atmost::fleet

#endif
