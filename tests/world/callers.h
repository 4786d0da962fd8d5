// The work of a simulated process: it takes and releases locks through the product's own code, as
// `atmost run`, `run --exec`, the C library, `hold`, `exectimes` or `drain` do.
#ifndef ATMOST_TESTS_WORLD_CALLERS_H
#define ATMOST_TESTS_WORLD_CALLERS_H

#include <vector>

#include "world/kernel.h"
#include "world/script.h"
#include "world/watcher.h"

namespace world {

// Process i is the script's caller i. A caller that is killed begins again, as a new process, with
// its next run.
class Callers final : public Program {
 public:
  // Both are borrowed.
  Callers(const Script& script, Watcher& watcher)
      : script_(script),
        watcher_(watcher),
        next_(script.callers.size()),
        child_lives_ns_(script.callers.size()) {}
  // True if a caller forks: then the world has a child for each, behind them.
  static bool any_forks(const Script& script);

  void run(Process& self) override;
  bool runs_again(const Process& self) override;

 private:
  const Script& script_;
  Watcher& watcher_;
  bool is_child(const Process& self) const {
    return static_cast<std::size_t>(self.index) >= script_.callers.size();
  }
  std::vector<std::size_t> next_;             // by process: its next run
  std::vector<std::int64_t> child_lives_ns_;  // by its parent
};

}  // namespace world

#endif
