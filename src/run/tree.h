// Signals to everything below this process: proven descendants only, each by a handle that cannot
// be mistaken.
#ifndef ATMOST_RUN_TREE_H
#define ATMOST_RUN_TREE_H

#include <cstdint>

namespace atmost::run {

// Whom a sweep is for.
struct Tree {
  std::int64_t main = 0;  // the command's main process, a child of ours; 0 once it has been reaped
  // We had children before the command (a shell that ran us with exec): then only what descends
  // from `main` is known to be the command's, and its orphans are let be.
  bool mixed = false;
  bool main_stopped = false;  // the main process was last told of as standing still
};

enum class To : std::uint8_t {
  all,
  others,     // all but the main process
  stopped,    // those that stand still
  unstopped,  // those that do not
};

struct Sweep {
  std::uint32_t sent = 0;    // processes signalled
  std::uint32_t left = 0;    // processes of the tree seen alive, the main process not counted
  std::uint32_t denied = 0;  // of those, which the kernel does not let us signal: another user's
  bool cut = false;  // it ended at the kDeadInASweep-th dead child of ours: read their news, and
                     // sweep again

  bool nobody_left() const { return left == 0 && !cut; }
  // Somebody is left, and nobody whom we could do anything about.
  bool beyond_reach() const { return left > 0 && denied == left && !cut; }
};

// Who forks and ends faster than a sweep reads would lead it once round all process numbers (up to
// 4,194,304: minutes).
inline constexpr std::uint32_t kDeadInASweep = 1024;

// One pass over all processes, signalling those of the tree; what starts meanwhile may be missed.
// Without /proc only the main process is signalled. Without process handles (an old kernel) only
// children of ours are. SIGSTOP and SIGKILL also go to the whole groups of those who left their
// dead to us, in sessions that began below us.
Sweep sweep(const Tree& tree, To to, int signal);

}  // namespace atmost::run

#endif
