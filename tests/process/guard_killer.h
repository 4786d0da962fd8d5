// Kills a process at its n-th system call, on the way into it.
#ifndef ATMOST_TESTS_PROCESS_GUARD_KILLER_H
#define ATMOST_TESTS_PROCESS_GUARD_KILLER_H

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace witness {

// Traces by ptrace(2). Only the process itself is traced; its children and its other threads are
// left alone.
class Killer {
 public:
  using Idle = std::function<void()>;

  // Starts argv. `follow_child`: the first child that it forks is counted and killed; it itself
  // goes on. Not `all_calls`: only those count that touch locks, data and processes.
  Killer(const std::vector<std::string>& argv, bool follow_child, bool all_calls);
  ~Killer();
  Killer(const Killer&) = delete;
  Killer& operator=(const Killer&) = delete;

  // Runs it to its n-th call (from 1) and kills it there: true. False: it ended before. Returns
  // when it is dead. `idle` is called whenever it has slept in a call for a while.
  bool kill_at(unsigned nth, const Idle& idle);

  // True if this machine lets a process trace its child.
  static bool possible();

 private:
  bool wait_for_stop(int& status, const Idle& idle);
  bool counts() const;

  pid_t pid_ = 0;
  const bool follow_child_;
  const bool all_calls_;
};

}  // namespace witness

#endif
