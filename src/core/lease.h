// The right to run: the slots held, and how. A value with one owner; its end is the end of the
// hold.
#ifndef ATMOST_LEASE_H
#define ATMOST_LEASE_H

#include <cstdint>
#include <utility>

#include "core/request.h"
#include "core/stats.h"
#include "core/time.h"

namespace atmost {

class Store;
struct Upkeep;

// A run whose end nobody could tell: its supervisor was killed, and what it had started is gone as
// well. As its record says.
struct Vanished {
  std::uint32_t slot = 0;
  std::int64_t pid = 0;  // of the supervisor
  std::uint64_t token = 0;
};
inline constexpr std::uint32_t kMostVanished = 4;

// The slots of one lock that a lease covers.
struct HeldLock {
  int fd = -1;  // local store: the lock file's descriptor, which the command may inherit; else -1
  std::uint64_t token = 0;  // of this admission: greater than every earlier one of this lock
  std::uint32_t count = 0;  // slots held
  bool was_empty =
      false;  // local store: this admission made an empty file that it found a lock file
  std::uint32_t vanished_count =
      0;  // runs that had these slots before, and left no end; the first few of them
  Vanished vanished[kMostVanished];
  std::uint32_t slots[kMaxTake] = {};  // 1-based, ascending, none above the caller's N
};

// How the command ended, for the record of the last admission.
enum class Ending : std::uint8_t { unknown, success, failure };

// Move-only. The destructor releases (Ending::unknown); release() says how it went. A process that
// dies holding a Lease frees its slots in the kernel (docs/lock-map.md, "Who keeps a slot", says
// when). Not thread-safe; one thread owns it. detach() gives the hold away to the inherited
// descriptor: after it nothing is released here.
class Lease {
 public:
  Lease() = default;
  Lease(Store* store, std::uint32_t handle) : store_(store), handle_(handle) {}
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  Lease(Lease&& other) noexcept
      : store_(std::exchange(other.store_, nullptr)), handle_(std::exchange(other.handle_, 0)) {}
  Lease& operator=(Lease&& other) noexcept;
  ~Lease() { release(Ending::unknown, {}); }

  bool held() const { return store_ != nullptr; }
  void release(Ending ending, const Instant& now);
  // What the locks shall remember of this run, once they are released.
  void learn_at_release(LearnFn how, const RunSample& what);
  void detach() { store_ = nullptr; }
  // REQUIRES: held(), and lock below the request's lock_count. Valid until the lease ends or moves.
  const HeldLock& lock(std::uint32_t lock) const;
  // Whether somebody is taking a slot of that lock over right now. REQUIRES: as above.
  bool contested(std::uint32_t lock) const;
  bool stopped_by_kill(std::uint32_t lock) const;  // contested, and by atmost kill
  // Whether that lock's name still leads to what is held. REQUIRES: as above.
  bool in_place(std::uint32_t lock) const;
  // REQUIRES: held().
  Upkeep upkeep() const;

 private:
  Store* store_ = nullptr;
  std::uint32_t handle_ = 0;
};

}  // namespace atmost

#endif
