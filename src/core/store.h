// Where locks live. One interface, one contract suite (tests/contract/) for the local file, memory
// and later stores.
#ifndef ATMOST_STORE_H
#define ATMOST_STORE_H

#include <cstdint>
#include <span>
#include <string_view>

#include "core/decision.h"
#include "core/lease.h"
#include "core/request.h"
#include "core/result.h"
#include "core/stats.h"
#include "core/view.h"

namespace atmost {

// What a store can do beyond the least: one slot, tokens. The contract suite asks for nothing else.
struct Capabilities {
  bool processes = false;      // holders are separate processes; a dead one frees its slots
  bool queue = false;          // waiters are served first come, first served
  bool weights = false;        // -k above 1
  bool modes = false;          // --shared, --exclusive
  bool several_locks = false;  // --also
  bool drain = false;
  bool takeover = false;       // an overdue holder can be stopped
  bool counts = false;         // refusals in a row are counted
  bool several_slots = true;   // N above 1
  bool last_admission = true;  // it is remembered: --if-elapsed
  bool turns = false;          // a waiter that does not use its turn (turn.h) is overtaken
};

// A place in a store's queue. Made empty; attempt() fills it when the answer is "busy" and the
// caller will wait. Plain data: the store that filled it knows what it means.
struct Ticket {
  bool drawn = false;
  std::uint64_t numbers[kMaxLocks] = {};
};

// Why await() came back. None of them promises a slot: ask again.
enum class Wake : std::uint8_t { maybe, deadline, interrupted };

// How hard the holder of a slot is pressed to let go (the paper's order; CONT comes with the first
// two). none: whether the slot is still held by that hold; prove: by whom, too, as before a signal.
enum class SignalStep : std::uint8_t { none, prove, interrupt, terminate, kill };

// What pressing found. Facts of one moment.
struct SignalResult {
  bool held = false;        // the slot is still held
  bool unprovable = false;  // by whom cannot be proven from here (another user, another pid
                            // namespace): not signalled
  bool read_locked =
      false;  // unprovable, because nobody holds it: somebody has a read lock on the slot
  bool handed_over =
      false;  // unprovable, because others may have handed `pid` what it holds the slot by
  bool ancestor = false;  // by an ancestor of ours: not signalled
  bool immune =
      false;  // by a library in a program that agreed neither to be stopped nor to be told
  std::int64_t pid =
      0;          // a holder, for messages (after KILL: whoever is left); 0 when none is visible
  Text<63> host;  // prove: the holder's; empty: this one
  Text<63> id, command;     // prove: as its record says
  bool noted = false;       // it was told by a note in the store; no signal was sent from here
  std::uint64_t token = 0;  // of the holder's admission, as its record says
  Stamp start;              // when the hold began, as its record says
  std::int64_t oldest_boot_ns =
      0;  // prove: the start of its oldest process, on the boot clock; 0: not known
  std::uint32_t signalled = 0;
  // kill, of a store whose holds are leases: nobody renews it any more, and it is over then; 0: not
  // known.
  std::int64_t until_boot_ns = 0;
};

// How long a lease is good for, and whether it is still wanted. A lease that the kernel ends with
// its holder is good for ever.
struct Upkeep {
  std::int64_t until_boot_ns =
      Duration::kForever;      // after it others may be admitted: nothing of the command may run
  bool lost = false;           // others may have been admitted already
  bool asked_to_stop = false;  // by somebody who takes the lock over
};

class LockVisitor;

class Store {
 public:
  virtual Capabilities capabilities() const = 0;

  // One decision about all locks of the request, all or none. Admit: `lease` holds the slots, the
  // ticket (if any) is given up. Anything else: nothing is held and nothing was written. With
  // `queue` a busy caller without a ticket draws one; nullptr: the caller will not wait. Blocks for
  // at most five seconds (on the guard), then answers busy with Why::guard and the culprit. Time:
  // now is what the decision and the records use.
  virtual Result<Decision> attempt(const Request& request, DecideFn decide, const Instant& now,
                                   Ticket* queue, Lease& lease) = 0;

  // Blocks until an attempt may succeed, until `deadline_boot_ns` (CLOCK_BOOTTIME;
  // Duration::kForever: none) or an interruption (a signal handler of the caller ran). REQUIRES:
  // ticket drawn by attempt() of this store.
  virtual Result<Wake> await(const Request& request, Ticket& ticket,
                             std::int64_t deadline_boot_ns) = 0;

  // Gives the place in the queue up. Nothing happens for a ticket that was not drawn.
  virtual void withdraw(const Request& request, Ticket& ticket) = 0;

  // Everything there is to see of one lock: visitor.header() once, then its holders by slot, then
  // its waiters in queue order. Creates nothing; a lock that does not exist has no holders. Returns
  // the number of holders.
  virtual Result<std::uint32_t> inspect(const LockSpec& lock, const Instant& now,
                                        LockVisitor* visitor) = 0;

  // slot 0: the whole lock. Drained slots keep their holders and get no new ones.
  virtual Status set_drained(const Request& request, std::uint32_t slot, bool drained) = 0;

  // Taking slot `slot` of the request's lock number `lock` over, in steps. REQUIRES: attempt()
  // answered take_over. begin: false when somebody else is at it. While begun, newcomers leave the
  // slot alone. press: reaches only who is proven to hold the slot at that moment, and descendants
  // of those; the slot is not held for us any more when its hold (HolderView) is another than
  // `hold`. Does not wait. end: nothing happens when it was not begun.
  virtual Result<bool> begin_takeover(std::uint32_t lock, std::uint32_t slot) = 0;
  virtual Result<SignalResult> press(std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                                     SignalStep pressure) = 0;
  virtual void end_takeover(std::uint32_t lock, std::uint32_t slot) = 0;
  // The takeover begun of that slot is atmost kill's, who wants nobody's place: its holder can ask
  // by stopped_by_kill(). Until end_takeover(). Where that is not kept it is taken for an ordinary
  // takeover.
  virtual void mark_as_kill(std::uint32_t lock, std::uint32_t slot) { (void)lock, (void)slot; }
  // What still runs of those who were pressed since begin_takeover(): processes that were seen
  // below them, and those with one of `tokens` (0: none) in ATMOST_TOKEN of the environment they
  // were started with. Returns how many; `to` gets the pids of the first. For people: nothing may
  // be decided or signalled by it.
  virtual std::uint32_t survivors(std::span<const std::uint64_t> tokens,
                                  std::span<std::int64_t> to) const {
    (void)tokens, (void)to;
    return 0;
  }

  // Counts one more refusal of the request's lock number `lock` and returns how many there were in
  // a row: none of its callers was admitted in between. REQUIRES: attempt() was called.
  virtual Result<std::uint32_t> count_refusal(const Request& request, std::uint32_t lock) = 0;

  // Whether somebody is taking a slot of this lease over right now. Asks nobody to wait.
  virtual bool contested(std::uint32_t handle, std::uint32_t lock) const = 0;

  // Whether that is atmost kill.
  virtual bool stopped_by_kill(std::uint32_t handle, std::uint32_t lock) const {
    (void)handle, (void)lock;
    return false;
  }

  // Whether the name of that lock of the lease still leads to what is held: else nobody is kept
  // out. True where that cannot be told. Does not block.
  virtual bool in_place(std::uint32_t handle, std::uint32_t lock) const {
    (void)handle, (void)lock;
    return true;
  }

  // How the lease stands. Does not block. A store that renews leases itself sends this process a
  // SIGCHLD when the answer got worse, so that whoever waits for children looks again.
  virtual Upkeep upkeep(std::uint32_t) const { return {}; }

  // What the store knows of its lock is changed by the function for `what` happened to the
  // request's lock number `lock`. Nobody is told when that fails: it is only remembered less.
  // REQUIRES: attempt() was called. A store without a memory does nothing.
  virtual void learn(const Request&, std::uint32_t, LearnFn, const RunSample&) {}
  // The same for each lock of a lease, at its release; the store adds how long before this
  // admission the last one was.
  virtual void learn_at_release(std::uint32_t, LearnFn, const RunSample&) {}

  // What is remembered of the request's first lock; false: this store remembers nothing. Creates
  // nothing.
  virtual Result<bool> recall(const Request&, LockStats&, DirectoryStats&) { return false; }

  // Forgets the last admission and what was learned.
  virtual Status forget(const Request& request) = 0;

  // For Lease only.
  virtual const HeldLock& held(std::uint32_t handle, std::uint32_t lock) const = 0;
  virtual void release(std::uint32_t handle, Ending ending, const Instant& now) = 0;

 protected:
  ~Store() = default;  // never deleted through the base: the front tier has no heap
};

// What inspect() reports to. The views are valid during the call only.
class LockVisitor {
 public:
  struct Header {
    bool exists = false;
    bool drained = false;
    std::uint64_t token = 0;
    LastAdmission last;
  };
  virtual void header(const Header& header) = 0;
  virtual void drained_slot(std::uint32_t) {}  // before the holders
  virtual void holder(const HolderView& holder) = 0;
  virtual void waiter(const WaiterView& waiter) = 0;

 protected:
  ~LockVisitor() = default;
};

// A store that many machines share. A program of the back tier brings one (limiter.h, bring_store).
class FleetStore : public Store {
 public:
  // The keys of locks that come after `after`, in order, as many as fit; 0: no more.
  virtual Result<std::size_t> next_keys(std::string_view after, std::span<Text<255>> to) = 0;

  // Whether the store can be trusted and how it fares, one line a finding, to `fd`. ok for yes;
  // else what a caller would be told: unavailable, or not_permitted.
  virtual Result<Code> diagnose(int fd, bool json) = 0;

  // The name of the lease that this process has now, under which lies what it wrote for itself
  // (slots, places in queues, claims on slots of others), for whoever outlives it: printable,
  // without blanks, no secret. Empty: there is none. Changes inside the calls of this store only.
  virtual Text<80> own_lease() const { return {}; }
  // Ends the lease that own_lease() of another process of this store named, with all that lies
  // under it, and tells whoever is next. ok as well when there is no such lease any more. Blocks
  // for at most the timeout of one question. REQUIRES: that process is dead, and nothing runs of
  // what it had started under the lease.
  virtual Status end_lease(std::string_view name) {
    (void)name;
    return error_of(Code::unavailable, 0, "this store cannot end a lease of another process");
  }

 protected:
  ~FleetStore() = default;
};

inline Lease& Lease::operator=(Lease&& other) noexcept {
  if (this != &other) {
    release(Ending::unknown, {});
    store_ = std::exchange(other.store_, nullptr);
    handle_ = std::exchange(other.handle_, 0);
  }
  return *this;
}
inline void Lease::release(Ending ending, const Instant& now) {
  if (Store* store = std::exchange(store_, nullptr)) store->release(handle_, ending, now);
}
inline void Lease::learn_at_release(LearnFn how, const RunSample& what) {
  if (store_ != nullptr) store_->learn_at_release(handle_, how, what);
}
inline const HeldLock& Lease::lock(std::uint32_t lock) const { return store_->held(handle_, lock); }
inline bool Lease::contested(std::uint32_t lock) const { return store_->contested(handle_, lock); }
inline bool Lease::stopped_by_kill(std::uint32_t lock) const {
  return store_->stopped_by_kill(handle_, lock);
}
inline bool Lease::in_place(std::uint32_t lock) const { return store_->in_place(handle_, lock); }
inline Upkeep Lease::upkeep() const { return store_->upkeep(handle_); }

}  // namespace atmost

#endif
