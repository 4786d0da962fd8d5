// Makes the n-th system call of this process fail.
#ifndef ATMOST_TESTS_FAULT_INJECTOR_H
#define ATMOST_TESTS_FAULT_INJECTOR_H

#include <cerrno>

namespace atmost::fault {

// The fault of the chosen call. `error` 0: reads and writes move only half of what was asked;
// other calls succeed.
struct Fault {
  int error = 0;
  bool for_good = false;  // every later call fails as well
};

// While alive, the `nth` call (from 1) of those that can fail meets the fault. One at a time; not
// for threads. Calls that cannot fail (clock_gettime, close as far as we can tell) are left alone.
class Injector {
 public:
  Injector(unsigned nth, Fault fault);
  Injector(const Injector&) = delete;
  Injector& operator=(const Injector&) = delete;
  ~Injector();

  // True if the call was reached; and its name.
  static bool fired();
  static const char* call();
};

}  // namespace atmost::fault

#endif
