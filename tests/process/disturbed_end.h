// Runs a program under ptrace and lets signals arrive at a chosen moment of its end.
#ifndef ATMOST_TESTS_PROCESS_DISTURBED_END_H
#define ATMOST_TESTS_PROCESS_DISTURBED_END_H

#include <functional>
#include <string>
#include <vector>

#include "witness_world.h"

namespace witness {

// A system call of the program that has returned.
struct Returned {
  unsigned long number = 0;
  unsigned long second = 0;  // its second argument
  long value = 0;
};

struct Disturbance {
  // The command is over as soon as this is true of a call.
  std::function<bool(const Returned&)> over;
  // The signals arrive just before the call that follows so many others after that.
  int call = 0;
  std::vector<int> signals;
};

struct DisturbedEnd {
  int status = 0;        // of wait(2)
  bool arrived = false;  // the signals did; else the program had fewer calls to make
};

// The program alone is traced, none of its children. Its standard output goes to the file `output`.
DisturbedEnd disturb_end(const Argv& argv, const Disturbance& by, const std::string& output);

// A child's end was read.
bool reads_end(const Returned& call);

}  // namespace witness

#endif
