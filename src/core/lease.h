// The right to run: which slots are held, and how. A value with one owner; the hold ends with it.
#ifndef ATMOST_LEASE_H
#define ATMOST_LEASE_H

#include <cstdint>
#include <span>
#include <utility>

#include "core/request.h"
#include "core/stats.h"
#include "core/time.h"

namespace atmost {

// A run whose end was not recorded, because its supervisor and everything that it had started were
// killed. Taken from its record.
struct Vanished {
  std::uint32_t slot = 0;
  std::int64_t pid = 0;  // of the supervisor
  std::uint64_t token = 0;
};
inline constexpr std::uint32_t kMostVanished = 4;

// The slots of one lock that a lease covers.
struct HeldLock {
  int fd = -1;  // inheritable stores: the descriptor that the command may inherit; else -1
  std::uint64_t token = 0;  // of this admission: greater than every earlier one of this lock
  std::uint32_t count = 0;  // slots held
  // Stores with paths: this admission made a lock file of an empty file that it found.
  bool was_empty = false;
  // Runs that had these slots before and recorded no end; the first few of them.
  std::uint32_t vanished_count = 0;
  Vanished vanished[kMostVanished];
  std::uint32_t slots[kMaxTake];  // `count` of them: 1-based, ascending, none above the caller's N
};

// The end of the command, for the record of the last admission. not_started: it could not be
// executed; a store whose traits say `withdraws` then forgets the admission, unless a later one
// followed.
enum class Ending : std::uint8_t { unknown, success, failure, not_started };
constexpr bool is_finish(Ending ending) {
  return ending == Ending::success || ending == Ending::failure;
}

// The remaining time of a lease, and its being wanted still. A lease that the kernel ends with its
// holder is good for ever.
struct Upkeep {
  // After it others may be admitted: nothing of the command may run.
  std::int64_t until_boot_ns = Duration::kForever;
  bool lost = false;           // others may have been admitted already
  bool asked_to_stop = false;  // by a caller that takes the lock over
};

// True if another process is stopping the holder of a lock right now, and why.
enum class Contest : std::uint8_t { none, for_its_place, by_kill };

// The lesson of a run, stored at its release, except in leased stores: there, the caller
// lets the session learn it afterwards. `how` null: nothing.
struct Lesson {
  LearnFn how = nullptr;
  RunSample sample;
  // Where a store that learns sets the bit 1 << i if `how` found the run suspicious for lock i;
  // null: nobody asks.
  std::uint32_t* suspicious = nullptr;
};

// The store's side of a lease. Part of a session.
class Hold {
 public:
  const HeldLock& lock(std::uint32_t index) const { return locks_[index]; }
  // Does not block. A store that renews leases itself sends this process a SIGCHLD when the answer
  // gets worse, so that a wait for children returns and the answer is read again.
  virtual Upkeep upkeep() const { return {}; }
  // Does not block. A store that cannot distinguish takers from `atmost kill` returns
  // for_its_place.
  virtual Contest contested(std::uint32_t lock) const = 0;
  // True if the name of that lock still leads to the file that is held; if not, the hold excludes
  // no other caller. True where that cannot be known. Does not block.
  virtual bool in_place(std::uint32_t) const { return true; }
  // Frees the slots and records how the run ended; the store adds to the lesson when the run was
  // admitted. A record that cannot be written is lost without a message. The slots are free in any
  // case; in a leased store, when the lease ends.
  virtual void release(Ending ending, const Instant& now, const Lesson& lesson) = 0;

 protected:
  // One for each of the request's locks, in the request's order; borrowed.
  explicit Hold(const HeldLock* locks) : locks_(locks) {}
  ~Hold() = default;  // never deleted through the base: the front tier has no heap

 private:
  const HeldLock* locks_;
};

// Move-only. The destructor releases (Ending::unknown); release() records how the run ended. If the
// process dies, the kernel frees its slots (docs/internals/lock-map.md, "Who keeps a slot"); a
// leased store frees them when the lease ends. Must not outlive its session. Not thread-safe; one
// thread owns it. detach() leaves the hold to the inherited descriptor: nothing is released here
// afterwards.
class Lease {
 public:
  Lease() = default;
  explicit Lease(Hold* hold) : hold_(hold) {}
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  Lease(Lease&& other) noexcept : hold_(std::exchange(other.hold_, nullptr)) {}
  Lease& operator=(Lease&& other) noexcept {
    if (this != &other) {
      release(Ending::unknown, {});
      hold_ = std::exchange(other.hold_, nullptr);
    }
    return *this;
  }
  ~Lease() { release(Ending::unknown, {}); }

  bool held() const { return hold_ != nullptr; }
  void release(Ending ending, const Instant& now, const Lesson& lesson = {}) {
    if (Hold* hold = std::exchange(hold_, nullptr)) hold->release(ending, now, lesson);
  }
  void detach() { hold_ = nullptr; }

  // Of a lease that is held; `lock` is below the request's lock_count. See Hold.
  const HeldLock& lock(std::uint32_t lock) const { return hold_->lock(lock); }
  Upkeep upkeep() const { return hold_->upkeep(); }
  Contest contested(std::uint32_t lock) const { return hold_->contested(lock); }
  bool in_place(std::uint32_t lock) const { return hold_->in_place(lock); }

 private:
  Hold* hold_ = nullptr;
};

}  // namespace atmost

#endif
