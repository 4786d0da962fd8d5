// The knowledge that a store has of one lock, as the rule asks for it, and the plan that the rule
// makes of it. No judgement.
#ifndef ATMOST_RULE_FACTS_H
#define ATMOST_RULE_FACTS_H

#include <cstdint>
#include <new>
#include <span>

#include "core/decision.h"
#include "core/request.h"
#include "core/result.h"
#include "core/stats.h"
#include "core/turn.h"
#include "core/view.h"
#include "state.h"

namespace atmost::rule {

// The queue that a caller waits in: its limit; 0: that of all shared and exclusive callers. Those
// at the limit of record share one, whatever its number, so that they keep their order when it
// changes.
using Queue = std::uint32_t;
inline constexpr Queue kModeQueue = 0;
inline constexpr Queue kLimitQueue = kMaxSlots + 1;
constexpr Queue queue_of(const LockSpec& lock) {
  if (lock.mode != Mode::plain) return kModeQueue;
  return lock.at_limit ? kLimitQueue : lock.max;
}

// The caller's wishes under the limit of record: of its own limit and that one the stricter.
constexpr LockSpec limited(const LockSpec& own, const RecordedLimit& limit) {
  LockSpec lock = own;
  lock.limited = true;
  lock.rated = limit.rate_count > 0;
  lock.at_limit = !own.max_given || own.max >= limit.max;
  if (lock.at_limit) lock.max = limit.max;
  return lock;
}

// The order of tickets, which no store compares itself (tools/house).
constexpr bool is_before(std::uint64_t ticket, std::uint64_t other) { return ticket < other; }

struct Waiter {
  std::uint64_t ticket = 0;  // 0: no waiter
  std::uint32_t max = kMaxSlots;
  std::uint32_t take = 1;
  bool writer = false;
  bool parked = false;            // it waits for something else than this lock: it claims nothing
  std::int64_t turn_boot_ns = 0;  // when its turn began; 0: it had none, or none that counts yet
  std::int64_t due_boot_ns = 0;   // until then its rate does not allow it; 0: it has none

  // True if it claims a slot: it is not parked, its rate allows it, and it was not overtaken.
  bool claims(std::int64_t now_boot_ns) const {
    return !parked && due_boot_ns <= now_boot_ns && !Turns(now_boot_ns, 0).overtaken(turn_boot_ns);
  }
};

// Slots that are held by others.
struct Others {
  std::uint32_t above = 0;   // above the caller's limit; counted up to kCountedAbove at least
  bool writer = false;       // an exclusive holder is among them
  bool taking_over = false;  // another caller is stopping one of them
  bool foreign = false;      // another program's lock is in the way, which is nobody's slot
};

// That lock.
struct Foreign {
  bool whole = false;     // it covers all slots
  bool own_tree = false;  // its process is the asker or an ancestor: waiting would never end
  std::int64_t pid = 0;   // 0: not known
};

// A flock(2) of another process on the lock file.
enum class Flock : std::uint8_t { none, other, own_tree };

// The holders that are wanted: all; those alone whose supervisors were killed, with the processes
// that are left of them (HolderView::left_by); or all, with those processes.
enum class Holders : std::uint8_t { all, left, all_and_left };

// The caller that asks about a lock, and its place in the queue. Given to the store before it
// looks.
struct Asker {
  const Request* request = nullptr;
  const LockSpec* lock = nullptr;
  std::uint64_t ticket = 0;  // 0: a newcomer, to which slots that are being taken over are closed
};

// `ticket` null or not drawn: a newcomer.
constexpr Asker asker_of(const Request& request, const Ticket* ticket, std::uint32_t lock) {
  return {&request, &request.locks[lock],
          ticket != nullptr && ticket->drawn ? ticket->numbers[lock] : 0};
}

// The changes of one lock.
struct LockPlan {
  // Stored from now on; meaningless if it has not `changed`.
  State state;
  bool changed = false;
  // Stamps that go to the end of the ring; state.recorded counts them already.
  std::uint32_t appended_count = 0;
  Stamp appended[2];
  bool mends = false;      // every stamp of the ring that mended() changes is written
  std::uint32_t take = 0;  // slots to hold: the lowest of those that are reserved
  Held held;               // of an admission: the data that its end needs
};

// One lock as one asker sees it, while nothing changes it: under a guard, in a transaction, or in
// one answer that the write will be compared with. The comment of each answer states its cost, so
// the rule asks only for facts that its answer depends on. Moments are on the asker's clocks: a
// store with a clock of its own translates.
//
// An answer that cannot be had is noted in error(), and is the one that admits no caller.
class Facts {
 public:
  // Known already.
  virtual const State& state() = 0;
  // When the last admission was, by the clock that measures turns; 0: not known.
  virtual std::int64_t last_boot_ns() {
    const Stamp& last = state().last.start;
    return last.known && last.same_boot ? last.boot_ns : 0;
  }

  // Makes up to `count` open slots of the lock ours, and returns how many are. Open: not above the
  // limit, not held, not drained, not being taken over from a newcomer's view. An exclusive asker
  // asks for one, and gets it only if nobody holds anything. Never gives one back, but may find
  // fewer after others() has been asked. The lowest LockPlan::take of them become the hold if the
  // plan admits; the store gives back the rest. (Local: a lock call for each slot, and one for each
  // that is held in front of it.)
  virtual std::uint32_t reserve(std::uint32_t count) = 0;
  // These, ascending.
  virtual std::span<const std::uint32_t> reserved() const = 0;
  // There is no room: reserved slots are given back, so that a slot that the asker's process has
  // locked does not look like a hold. Comes before holders() and ancestor().
  virtual void give_back() {}
  // Asked after reserve(). (Local: one query if nothing is locked behind the limit.)
  virtual Others others() = 0;
  // The number of slots that others hold anywhere, counted up to `enough` at least. (Local: two
  // queries for each run of them.)
  virtual std::uint32_t held(std::uint32_t enough) = 0;
  // So many of the slots that reserve() passed over are drained. Known after it.
  virtual std::uint32_t drained() = 0;
  // Asked if others() found one. (Local: every process is looked at, once for each lock that is
  // met.)
  virtual Foreign foreign() { return {}; }

  // It is known, after others(), that no other caller waits.
  virtual bool nobody_waits() { return false; }
  // The first waiter of the queue behind `after`, other than the asker. (Local: one query, two
  // reads.)
  virtual Waiter next_waiter(Queue queue, std::uint64_t after) = 0;
  // True if the note of its turn calls the waiter. Asked before it is passed over with others.
  virtual bool has_bell(std::uint64_t ticket) {
    (void)ticket;
    return false;
  }
  // When the asker's own turn began, whether it counts yet or not; 0: it had none.
  virtual std::int64_t own_turn() = 0;
  // The turn of a waiter of that queue has begun, or has ended unused (then it began kTurn ago); 0:
  // it has used it. Written by the apply() that follows, or at once where nobody can see it before.
  // The answers of next_waiter() stay as they are.
  virtual void note_turn(Queue queue, std::uint64_t ticket, std::int64_t began_boot_ns) = 0;
  // The first waiter behind `after`, other than the asker, that runs once more for all that join
  // it, in whatever queue.
  virtual Waiter joiner(std::uint64_t after) = 0;
  // The number of other waiters in all queues, counted up to `enough` at least.
  virtual std::uint32_t waiting(std::uint32_t enough) = 0;

  // The admission that was `back` before the next one (1: the last); not known: it cannot be read.
  // REQUIRES: back <= state().recorded.
  virtual Stamp admission(std::uint32_t back) = 0;
  // `left`: asked after reserve(); none where the store does not know of any.
  virtual std::span<const HolderView> holders(Holders which) = 0;
  // An ancestor of the asker, or the process on whose behalf it asks, is in the way.
  virtual bool ancestor() { return false; }
  virtual StatsKept stats(LockStats*& lock, DirectoryStats*& directory) {
    (void)lock, (void)directory;
    return StatsKept::none;
  }
  // Takes a flock(2) for the hold (--with-flock). Asked last.
  virtual Flock flock() { return Flock::none; }

  const Status& error() const { return *reinterpret_cast<const Status*>(error_); }
  void clear_error() { had_error() = {}; }

  // The lock's limit of record, and the caller's wishes under it; null: it has none.
  const RecordedLimit* limit = nullptr;
  const LockSpec* limited = nullptr;
  // Of the last judge().
  LockPlan plan;

 protected:
  Facts() { new (error_) Status; }
  ~Facts() = default;
  void fail(const Status& error) {
    if (had_error().ok()) had_error() = error;
  }

 private:
  Status& had_error() { return *reinterpret_cast<Status*>(error_); }

  // admit() clears it: a destructor would ask for the C++ runtime (a table of pure functions).
  alignas(Status) unsigned char error_[sizeof(Status)];
};

}  // namespace atmost::rule

#endif
