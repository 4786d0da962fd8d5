// The processes seen below those that a takeover stops, to name the ones that outlive it. It
// signals none of them.
#ifndef ATMOST_OS_TREE_H
#define ATMOST_OS_TREE_H

#include <cstdint>
#include <span>

#include "process.h"
#include "signals.h"

namespace atmost::os {

class SeenDescendants {
 public:
  void clear() { count_ = 0; }
  // A process and its start on the boot clock (ProcessFacts). Of more than 256 the later ones are
  // not remembered.
  void add(std::int64_t pid, std::int64_t start_boot_ns);
  bool have(std::int64_t pid, std::int64_t start_boot_ns) const;

  // The number of them that run, and of those that carry one of `marks` (is_marked()) in
  // `variable`; the pids of the first. Reads /proc: milliseconds. This process and its ancestors do
  // not count.
  std::uint32_t alive(const char* variable, std::span<const std::uint64_t> marks,
                      std::span<std::int64_t> to) const;

 private:
  static constexpr std::uint32_t kMost = 256;
  struct Member {
    std::int64_t pid;
    std::int64_t start_boot_ns;
  };
  Member members_[kMost] = {};
  std::uint32_t count_ = 0;
};

// Stops a tree of processes: signals to everything below one process, proven descendants only, each
// by a handle that cannot be mistaken for a later process of the same number. For a supervisor,
// whose tree is below itself, and for a taker, whose targets are below another process.
//
// Nothing here waits. A sweep reads /proc once: about a millisecond for each hundred processes.

// True if a descendant of a root may be signalled.
class Reach {
 public:
  // `descendant` was below `root` a moment ago; asked while a handle to it is open, and only acted
  // upon when that still means the same process afterwards.
  virtual bool reaches(std::int64_t root, std::int64_t descendant) const = 0;

 protected:
  ~Reach() = default;
};

// A process that is not below us, and what a sweep below it needs. Borrows everything. Neither this
// process nor an ancestor of it is ever signalled.
struct OtherRoot {
  std::int64_t pid;
  const ProcessHandle& handle;  // to `pid`: after its end, no process is proven to be below it
  const Ancestors& ancestors;
  const Reach& reach;
  SeenDescendants& seen;  // records every descendant that is found
};

// The tree that a sweep covers.
struct Tree {
  // Null: the tree is below this process. The rest is for that case alone.
  const OtherRoot* other = nullptr;
  std::int64_t main = 0;  // the command's main process, a child of ours; 0 once it has been reaped
  // We had children before the command (a shell that ran us with exec): then only descendants of
  // `main` are known to be the command's, and its orphans are left alone.
  bool mixed = false;
  bool main_stopped = false;  // wait(2) last reported the main process as stopped
};

// The processes that a sweep signals; never the root.
enum class Members : std::uint8_t {
  all,
  stopped,  // those that are stopped
};

struct Sweep {
  std::uint32_t sent = 0;     // processes signalled
  std::int64_t reached = 0;   // the last member found alive; 0: none
  std::int64_t refused = 0;   // the first one that we may not signal: another user's; 0: none
  std::int64_t excepted = 0;  // the last one that Reach excepts, counted nowhere; 0: none
  // the sweep ended at the kDeadInASweep-th dead child of ours: reap those, and sweep again
  bool cut = false;
};

// While children fork and end faster than a sweep reads, the sweep could go on through all process
// numbers (up to 4,194,304: minutes).
inline constexpr std::uint32_t kDeadInASweep = 1024;
// Fewer where this process may not open so many descriptors.
inline constexpr int kKilledAtOnce = 128;
// Sweeps with SIGKILL at one attempt: if a tree still forks after these, the next attempt finds the
// rest.
inline constexpr int kSweepsAtOnce = 16;
// The least time to wait for killed processes to end, whatever the grace: a busy machine takes a
// while, and until then they still run.
inline constexpr std::int64_t kShortestKillNs = 2'000'000'000;

// One pass over all processes, signalling `members` (signal 0 only counts them); processes that
// start meanwhile may be missed. Without /proc only our main process is signalled. Without process
// handles (an old kernel) only children of ours are. SIGKILL is sent when the pass is over, to all
// that were found at once (kKilledAtOnce at a time): no process of the tree acts on the end of
// another one, and the proof that a process is below the root does not fail because its parent was
// killed. Below ourselves, SIGKILL also goes to the whole groups of processes that have ended as
// our children, if their sessions began below us.
//
// No process is ever sent SIGSTOP, because this process may be killed at any moment, and then
// nobody would continue the stopped ones.
Sweep sweep(const Tree& tree, Members members, int signal);

// Signals a child of ours that we have not reaped, so that its number cannot mean another process.
// 0 or an errno value.
int signal_child(std::int64_t pid, int signal);

// Signals every process of a group at once: a process that forks meanwhile cannot escape it. 0 or
// an errno value. REQUIRES: `group` is that of a child of ours that has ended and that we have not
// reaped: so no other group can have the number.
int signal_group(std::int64_t group, int signal);

// Like signal_child, and also says which process sent the signal first: the child's gate gets
// `sender` as Arrival::relayed_for.
int relay_signal(std::int64_t pid, int signal, std::int64_t sender);

}  // namespace atmost::os

#endif
