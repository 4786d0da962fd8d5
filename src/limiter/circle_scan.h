// The facts about a circle of waiting callers, from lock files and /proc: the holds of a lock, the
// processes of each, the locks that those wait for, and so on.
#ifndef ATMOST_LIMITER_CIRCLE_SCAN_H
#define ATMOST_LIMITER_CIRCLE_SCAN_H

#include <cstdint>
#include <string_view>

#include "core/store.h"
#include "os/standing.h"
#include "policy/circle.h"

namespace atmost::limiter {

// The caller that asks: it waits for that lock of the request.
struct CircleAsker {
  const LockSpec& lock;
  bool no_room = false;  // known to it: too few slots are free
};

// The text of a refusal (Outcome::error).
using CircleWords = Text<Reason::kMost>;

// About 150 KiB, meant for memory of its own (os/room.h). Opens and closes lock files, so no
// process-owned lock may be held. Single-threaded. A scan reads a few files of each process, and
// ends with the first one that is at work, or that cannot be seen.
class CircleScan {
 public:
  // True if all that the asker waits for stands still, as far as can be seen.
  bool run(Store& store, const CircleAsker& asker);

  policy::CircleFacts facts() const;
  std::uint32_t self() const { return self_; }
  // Differs if in one of two scans a member was another one, or used processor time between.
  std::uint64_t fingerprint(const policy::Stuck& circle) const;
  void describe(const policy::Stuck& circle, CircleWords& to) const;

 private:
  static constexpr std::uint32_t kMostLocks = 16;

  class Holders;
  class Tickets;

  struct Lock {
    PathText path;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint32_t held = 0;  // slots
  };
  struct Process {
    std::int64_t pid = 0;
    std::int64_t start_boot_ns = 0;
    std::int64_t cpu_ns = 0;
  };
  struct Hold {
    std::uint64_t hold = 0;
    std::int64_t pid = 0;
    Text<63> command;
  };

  bool add_lock(const char* path, std::uint32_t& to);
  bool see_holds(std::uint32_t lock);
  bool add_hold(std::uint32_t lock, const HolderView& holder);
  bool add_process(std::int64_t pid, std::int32_t parent, std::int32_t& to);
  bool see_process(std::uint32_t process);
  bool see_children(std::uint32_t process);
  bool add_waiter(std::uint32_t process, std::uint32_t lock, std::int64_t byte);
  bool read_place(std::uint32_t lock, std::int64_t byte, policy::TreeWaiter& to);
  void settle(std::uint32_t waiter);
  void add_waiters_in_front(const policy::TreeWaiter& of);
  void append_lock(std::uint32_t lock, CircleWords& to) const;

  Store* store_ = nullptr;
  std::uint32_t lock_count_ = 0;
  std::uint32_t process_count_ = 0;
  std::uint32_t hold_count_ = 0;
  std::uint32_t waiter_count_ = 0;
  std::uint32_t self_ = 0;
  Lock locks_[kMostLocks];
  Process seen_[policy::kMostTreeProcesses];
  policy::TreeProcess processes_[policy::kMostTreeProcesses];
  Hold held_[policy::kMostTreeHolds];
  policy::TreeHold holds_[policy::kMostTreeHolds];
  policy::TreeWaiter waiters_[policy::kMostTreeWaiters];
  // Of the waiter with the same index.
  struct Need {
    std::uint32_t max = 0;
    std::uint32_t take = 0;
    Mode mode = Mode::plain;
  } needs_[policy::kMostTreeWaiters];
};

}  // namespace atmost::limiter

#endif
