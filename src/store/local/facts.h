// The facts of a lock file for the rule: the kernel and the file are asked for each answer when it
// is wanted.
#ifndef ATMOST_STORE_LOCAL_FACTS_H
#define ATMOST_STORE_LOCAL_FACTS_H

#include <optional>

#include "core/decision.h"
#include "queue.h"
#include "rule/facts.h"
#include "slots.h"

namespace atmost::local {

// Memory that the facts need, of which most callers use nothing.
struct FactsRoom {
  HolderView holders[kMaxVictims];
  LockStats lock_stats;
  DirectoryStats directory_stats;
  WordBuffer words;
};

// The foreign lock whose process was searched for last: a search takes milliseconds.
struct ForeignSeen {
  os::Bytes bytes = {-1, 0};
  std::int64_t pid = 0;
};
// The foreign lock `conflict`, with its process. If the kernel does not name the process, all are
// searched; `seen` saves a second search for the same lock.
rule::Foreign foreign_of(const LockFile& file, const os::Conflict& conflict, ForeignSeen& seen);

// REQUIRES: the guard is held during each call. The slots that it reserves stay in `reserved` after
// a failure, too: drop() gives them back.
class LocalFacts final : public rule::Facts {
 public:
  LocalFacts(LockFile& file, const rule::Asker& asker, os::Owner owner, const Instant& now,
             const TurnClock& clock, FactsRoom& room, ForeignSeen& seen, Reservation& reserved);

  // The moment in the records' notation at which turns were noted that are to be confirmed after
  // the guard is given back; 0 if there are none.
  std::int64_t turns_noted() const { return noted_ ? clock_.record_ns : 0; }
  bool flocked() const { return flocked_; }

  const rule::State& state() override { return state_; }
  std::int64_t last_boot_ns() override;
  std::uint32_t reserve(std::uint32_t count) override;
  std::span<const std::uint32_t> reserved() const override {
    return {reserved_.slots, reserved_.count};
  }
  void give_back() override;
  rule::Others others() override;
  std::uint32_t held(std::uint32_t enough) override;
  std::uint32_t drained() override { return reserved_.drained; }
  rule::Foreign foreign() override;
  bool nobody_waits() override { return behind_asked_ && !behind_; }
  rule::Waiter next_waiter(rule::Queue queue, std::uint64_t after) override;
  bool has_bell(std::uint64_t ticket) override;
  std::int64_t own_turn() override;
  void note_turn(rule::Queue queue, std::uint64_t ticket, std::int64_t began_boot_ns) override;
  rule::Waiter joiner(std::uint64_t after) override;
  std::uint32_t waiting(std::uint32_t enough) override;
  Stamp admission(std::uint32_t back) override;
  std::span<const HolderView> holders(rule::Holders which) override;
  bool ancestor() override;
  StatsKept stats(LockStats*& lock, DirectoryStats*& directory) override;
  rule::Flock flock() override;

 private:
  bool exclusive() const { return asker_.lock->mode == Mode::exclusive; }
  bool reserve_all();
  bool locked_behind();
  bool is_locked(int fd, os::Owner owner, os::Bytes bytes,
                 os::LockKind against = os::LockKind::write);
  bool is_locked(os::Bytes bytes, os::LockKind against = os::LockKind::write) {
    return is_locked(file_.fd(), os::Owner::description, bytes, against);
  }
  bool any_held() { return is_locked(file_.slot_fd(), owner_, kSlotsAndMode); }
  std::uint32_t count(std::uint32_t first, std::uint32_t last, std::uint32_t enough);
  void note(const Status& status) {
    if (!status.ok()) fail(status);
  }

  LockFile& file_;
  const rule::Asker asker_;
  const os::Owner owner_;
  const Instant now_;
  const TurnClock clock_;
  FactsRoom& room_;
  ForeignSeen& seen_;
  Reservation& reserved_;
  rule::State state_;
  std::optional<Search> search_;
  bool behind_asked_ = false;
  bool behind_ = false;  // anything is locked above the limit: a slot, a taker, a waiter
  bool others_asked_ = false;
  bool flocked_ = false;
  bool noted_ = false;
  bool called_ = false;  // the roll was called for a turn that began
  rule::Others others_;
  os::Conflict foreign_;  // if found, a foreign lock is in the way
};

// The number of that queue in the file.
constexpr std::uint32_t file_queue(rule::Queue queue) {
  return queue == rule::kModeQueue ? kModeQueue : queue == rule::kLimitQueue ? kLimitQueue : queue;
}

// The part of the header that the rule uses.
rule::State state_of(const LockFile& file);
// Writes the header with that part changed; with `first`, the record of slot 1, too. Of the stamps
// only those change that differ, so that the others keep values that only the file has. REQUIRES:
// guarded.
Status save_state(const rule::State& before, const rule::State& after, LockFile& file,
                  Record* first = nullptr);

}  // namespace atmost::local

#endif
