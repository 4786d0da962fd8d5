// The way in which simulated processes get a stack and memory of their own. Both ways give the same
// worlds: fibers are faster; real processes name a crash, can be looked at by a debugger and may
// fork.
#ifndef ATMOST_TESTS_WORLD_BACKEND_H
#define ATMOST_TESTS_WORLD_BACKEND_H

#include <memory>
#include <string>

#include "world/process.h"

namespace world {

class Kernel;

// Exactly one process runs at any time, or home: the place where the world was begun.
class Backend {
 public:
  virtual ~Backend() = default;
  // Runs the kernel's world until no process is left or it ends early. Returns what happened to
  // the machinery itself: a crash or a hang of a process; empty: nothing.
  virtual std::string run(Kernel& kernel) = 0;
  // `from` rests, `to` runs; null: home, for good. Returns when `from` runs again.
  virtual void pass(Process& from, Process* to) = 0;
  // `from`, whose life is over, does not run any more. If it lives again, it begins anew.
  [[noreturn]] virtual void leave(Process& from, Process* to) = 0;
};

// "p3 crashed behind its call 251, poll".
inline std::string named(const Process& process, const std::string& what) {
  return "p" + std::to_string(process.index) + ' ' + what + " behind its call " +
         std::to_string(process.calls) + ", " + process.call;
}

std::unique_ptr<Backend> make_fibers();
std::unique_ptr<Backend> make_real_processes();

}  // namespace world

#endif
