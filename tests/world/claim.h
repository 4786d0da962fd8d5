// The facts that the witness gets: the request of a caller, its answer, and the kernel's table of
// locks.
#ifndef ATMOST_TESTS_WORLD_CLAIM_H
#define ATMOST_TESTS_WORLD_CLAIM_H

#include <cstdint>
#include <string>

#include "script.h"

namespace world {

inline constexpr int kLocks = 10;                   // locks are 1…9, as in a script
inline constexpr std::int64_t kAnyQueue = 1 << 20;  // Run::queue_max: no limit
inline constexpr std::int64_t kSecondNs = 1'000'000'000;
inline constexpr std::int64_t kMillisecondNs = 1'000'000;

// One request of a process.
struct Claim {
  Run run;
  Kind kind = kRun;
  bool keeping = false;  // a library's descriptors stay open between runs

  bool wants(int lock) const { return lock != 0 && (run.lock == lock || run.also == lock); }
  bool waits() const { return run.wait_ns > 0; }
  bool writes() const { return run.mode == kExclusive; }
  // exectimes leaves no trace of its admissions.
  bool recorded() const { return kind != kExectimes; }
  std::uint32_t slots() const { return writes() ? 1 : static_cast<std::uint32_t>(run.take); }
  // Nothing but a slot of one lock can keep it waiting.
  bool simple() const {
    return run.also == 0 && run.if_elapsed_ns == 0 && run.rate == 0 && run.flock == 0 && recorded();
  }
};

// The reason why a caller was refused, in the words of its answer.
enum class Refusal : std::uint8_t {
  no_slot,
  owed,
  too_soon,
  joined,
  superseded,
  queue_full,
  guard,
  drained,
  flock,
  ancestor,  // it holds the lock itself
  other,
};

// The parts of a lock that a process holds, or all processes together.
struct Holding {
  bool guard = false;
  bool writer = false;       // the mode byte
  std::uint32_t slots = 0;   // how many
  std::uint64_t which = 0;   // bit s - 1: slot s, of the first 64
  std::uint32_t places = 0;  // in queues, and the join byte
  bool other = false;        // any other byte
  bool nothing() const { return !guard && !writer && slots == 0 && places == 0 && !other; }
};

// The kernel's table, to be read only.
class LockTable {
 public:
  virtual ~LockTable() = default;
  virtual Holding held_by(int process, int lock) const = 0;
};

struct Violation {
  std::string invariant;  // one word
  std::string text;
};

}  // namespace world

#endif
