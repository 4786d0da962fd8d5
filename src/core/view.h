// A store's snapshot inside its critical section: the facts that a decision is made from, and no
// judgement.
#ifndef ATMOST_VIEW_H
#define ATMOST_VIEW_H

#include <cstdint>
#include <span>

#include "core/request.h"
#include "core/stats.h"
#include "core/text.h"
#include "core/time.h"

namespace atmost {

// The most slots above N that are counted. The count is only for messages; more is not worth the
// cost.
inline constexpr std::uint32_t kCountedAbove = 16;

// One held slot, or several that a foreign lock covers. Everything but `slot` comes from a record
// that may be stale or forged: good enough to be shown and to compute an age (the lesser of
// record's and process's age counts), but never to send a signal.
struct HolderView {
  std::uint32_t slot = 0;
  std::uint32_t slots = 1;  // from `slot` on; more than one only for a foreign lock
  HolderKind kind = HolderKind::foreign;
  bool has_record = false;
  // A lock on a range that neither atmost nor the original locks: its process is never stopped.
  bool foreign_lock = false;
  bool read_locked = false;  // by a reader of the file; holders of ours never lock for reading
  bool live_word = false;    // the kernel confirms a running supervisor (occupancy word)
  bool verified = false;  // the kernel confirms that this process holds the slot (live word, or its
                          // descriptors)
  // as in /proc/PID/stat (R S D T Z …), 0: no such process, or not visible from here
  char process_state = 0;
  Eviction eviction = Eviction::kill;
  std::int64_t pid = 0;  // 0: not visible from here
  // The supervisor of the record, which has ended and left the slot to `pid`; 0: none.
  std::int64_t left_by = 0;
  std::int64_t kept_for = 0;  // keeper: the process on whose behalf; 0 for all others
  std::int64_t kept_for_start_ns = 0;
  std::uint32_t uid = 0;
  Text<63> host;  // where the process is; empty: here
  std::uint64_t token = 0;
  // Distinguishes this hold of the slot from the next one: its token or, without a record, a number
  // made from its process; 0 where neither is known. A signal is sent only for the same hold.
  std::uint64_t hold = 0;
  Stamp start;
  Duration expire_after = Duration::forever();
  // A supervisor's --max-runtime, and whether it was killed, so that only others can keep it. Known
  // where only the user and root may write the lock; for ever: none, or not known.
  Duration max_runtime = Duration::forever();
  bool supervisor_died = false;
  Text<63> id;
  Text<63> command;
};

// One waiter, in queue order. `pid` from its record: a hint.
struct WaiterView {
  std::uint64_t ticket = 0;
  std::uint32_t max = 0;  // its queue: the limit it waits under
  Mode mode = Mode::plain;
  std::int64_t pid = 0;
  std::uint32_t uid = 0;
  Text<63> host;  // where the process is; empty: here
  Stamp start;
  Text<63> id;
  Text<63> command;
};

struct LastAdmission {
  Stamp start;
  Stamp finish;   // of the last run that ended, however it ended
  Stamp success;  // of the last run that exited 0
};

// The state of one lock, as seen by one caller under the guard.
struct View {
  std::uint64_t token = 0;  // of the last admission, 0 when none is known
  LastAdmission last;
  // Of the last request.rate.count admissions, the first: it must be a window ago. A newer one if
  // that one cannot be read; not known: there were fewer. Read only for a request with a rate.
  Stamp first_in_rate;
  // The same for the rate of the limit of record that allows the next admission last; count 0: all
  // of them allow it now.
  Rate limit_rate;
  Stamp first_in_limit_rate;
  bool drained = false;  // admit no caller
  // The K slots can be held without more than N held: proven, and reserved for now.
  bool has_room = false;
  // Slots held by others or drained, as far as counted. When !has_room: exactly those up to N, and
  // those above N, which callers with larger limits hold, up to kCountedAbove; where a refusal of
  // many slots needed no critical section, only those up to N.
  std::uint32_t held = 0;
  std::uint32_t drained_slots = 0;  // so many of them are drained
  bool writer_inside = false;       // an exclusive holder is among them
  // !has_room: another program has locked a range that cannot be ours (HolderView::foreign_lock).
  bool foreign_lock = false;
  bool foreign_whole = false;    // all slots are in it
  std::int64_t foreign_pid = 0;  // its process; 0: not known
  // Waiters with a better claim (at least; exact only as zero or not).
  std::uint32_t waiters_ahead = 0;
  // The time until the end of the turn for which the slot is reserved (core/turn.h).
  Duration owed_for = Duration::forever();
  // The number of waiters, counted up to request.queue_max; only for a caller without a ticket.
  std::uint32_t queued = 0;
  bool superseded = false;        // a later waiter replaced this one (--on-busy=supersede)
  bool joiner_waiting = false;    // a caller already waits to run once more (--on-busy=join)
  bool takeover_running = false;  // another caller is stopping a holder right now
  bool held_by_ancestor = false;  // an ancestor of this process holds it: waiting would never end
  bool flocked = false;           // no room because of another process's flock(2), without a record
  // The statistics of the lock and of its directory, if the request needs them; null: the store
  // keeps none.
  const LockStats* lock_stats = nullptr;
  const DirectoryStats* directory_stats = nullptr;
  bool last_chance = false;  // the caller will not wait any longer
  // Filled when the request may stop holders and there is no room.
  std::span<const HolderView> holders;
};

// The receiver of Store::inspect()'s findings. The views are valid during the call only.
class LockVisitor {
 public:
  struct Header {
    bool exists = false;
    bool drained = false;
    std::uint64_t token = 0;
    LastAdmission last;
    const RecordedLimit* limit = nullptr;  // of record; null: it has none
  };
  // True if only the header and the holders are wanted. For callers that have just opened the lock:
  // its directories are not examined again.
  virtual bool holders_only() const { return false; }
  virtual void header(const Header& header) = 0;
  virtual void drained_slot(std::uint32_t) {}  // before the holders
  virtual void holder(const HolderView& holder) = 0;
  virtual void waiter(const WaiterView& waiter) = 0;

 protected:
  ~LockVisitor() = default;
};

}  // namespace atmost

#endif
