// The outside witness: it sees the requests and answers of callers and the locks that the kernel
// gives them, and reports broken promises. It reads no file: order, occupancy and pace are learned
// from the moments at which a guard is taken and dropped, not from tickets or hints.
#ifndef ATMOST_TESTS_WORLD_WITNESS_H
#define ATMOST_TESTS_WORLD_WITNESS_H

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "claim.h"
#include "pace.h"

namespace world {

// All moments are on the boot clock, and never before an earlier one. Processes are 0, 1, …
class Witness {
 public:
  explicit Witness(const LockTable& locks) : locks_(locks) {}

  // Callers.
  void asks(std::int64_t now_ns, int process, const Claim& claim);
  // The call returned. The tokens of run.lock and run.also; 0: it has none.
  void admitted(std::int64_t now_ns, int process, std::span<const std::uint64_t> tokens);
  void refused(std::int64_t now_ns, int process, int lock, Refusal why);  // which lock refused
  // An error instead of an answer.
  void failed(std::int64_t now_ns, int process, const std::string& words);
  // Its work is over: from now on it needs its slots no more.
  void releases(std::int64_t now_ns, int process, Ends how);
  void released(std::int64_t now_ns, int process);
  // Slot 0: the whole lock. `on` false: resumed.
  void drains(std::int64_t now_ns, int process, int lock, std::uint32_t slot, bool on);
  void drained(std::int64_t now_ns, int process, int lock, std::uint32_t slot, bool on);

  // The kernel.
  void locks_changed(std::int64_t now_ns, int process, int lock);
  void paused(std::int64_t now_ns, int process, std::int64_t until_ns);
  // Something failed in it that never fails on a machine in order (a full disk, a lost event).
  void disturbed(std::int64_t now_ns, int process);
  void dying(std::int64_t now_ns, int process, bool killed);  // before its first lock goes
  // After its last lock has gone. `left`: descriptors, mappings and children, if it ended by
  // itself.
  void died(std::int64_t now_ns, int process, int left);
  // The child has what its parent has locked by descriptions that both have.
  void forked(std::int64_t now_ns, int parent, int child);
  void passes(std::int64_t now_ns);  // nothing else happened until then

  // The first one. Nothing is checked after it.
  const std::optional<Violation>& violation() const { return violation_; }
  std::uint64_t admissions() const { return admissions_; }

 private:
  static constexpr std::int64_t kNotPaused = INT64_MIN;
  static constexpr int kNoParent = -1;

  // A process at one lock.
  struct Stand {
    Holding held;  // when it last changed
    std::int64_t guard_taken_ns = 0;
    std::uint64_t guard_taken = 0;  // as a count of events
    bool ended_guarded = false;     // had the guard since releases()
    bool inside = false;            // from the drop of the guard to releases()
    // Its first refusal, as a count of events, and its second one: it stands in the queue from one
    // of them on. Both are the same unless it may ask twice at first (see place_of()). 0: none yet.
    std::uint64_t place = 0;
    std::uint64_t sure_place = 0;
    // While it has the guard: whether a waiter in front of it, which may have gone meanwhile, could
    // come; and the place of the first waiter whose turn may be over.
    bool met_claimant = false;
    std::uint64_t met_over = UINT64_MAX;
    // No turn of it that counts can have begun before; INT64_MAX: none can have begun.
    std::int64_t turn_from_ns = INT64_MAX;
    // When it was last refused: for certain by this lock; its rate refuses it until then for
    // certain, and until then at most.
    bool refuses = false;
    std::int64_t early_until_ns = INT64_MIN;
    std::int64_t early_at_most_ns = INT64_MIN;
    // The number of times that it took the guard while nothing changed (changes_).
    std::uint64_t looks = 0;
    std::uint64_t looks_at = 0;
    // The state of the lock, and its own place there, when it last took the guard.
    bool had_place = false;
    bool could_refuse = false;
    std::uint32_t waiters = 0;
    bool joiner = false;
  };
  struct Seen {
    bool asking = false;
    bool dying = false;
    bool was_paused = false;  // since it asked, or disturbed
    std::int64_t paused_until_ns = kNotPaused;
    Claim claim;
    std::int64_t asked_ns = 0;
    std::uint64_t asked_after = 0;  // so many had been killed
    std::int64_t ending_ns = 0;
    Ends how = kSucceeds;
    int parent = kNoParent;  // of a child
    int opening = 0;         // the lock that it resumes just now
    std::array<std::uint64_t, kLocks> token_floor{};
    std::array<Stand, kLocks> at;

    bool paused(std::int64_t now_ns) const { return paused_until_ns > now_ns; }
    bool waits_at(int lock) const { return asking && !at[lock].inside && at[lock].place != 0; }
  };
  struct Drain {
    bool whole = false;
    bool slots[65] = {};       // slot 1…64
    std::uint64_t opened = 0;  // when something was last opened
    bool any = false;          // was ever drained, if only in part
  };
  struct Idle {
    bool room = false;
    std::int64_t since_ns = -1;  // room without a break
    std::int64_t total_ns = 0;
    std::uint64_t handovers = 0;
    // When a release last called the waiters, and how many had been killed until then.
    std::int64_t called_ns = -1;
    std::uint64_t called_after = 0;
  };
  struct Lock {
    bool used = false;
    std::uint64_t token = 0;  // the highest that was returned
    std::int64_t guard_paused_until_ns = kNotPaused;
    // When a caller that supersedes queued for certain; and when such callers took the guard, the
    // last two of them.
    std::uint64_t superseding = 0;
    struct {
      int process = -1;
      std::uint64_t event = 0;
    } may_supersede[2];
    Pace pace;
    Drain drain;
    Idle idle;
  };

  Seen& seen(int process);
  std::uint64_t next() { return ++events_; }
  void break_promise(const char* invariant, const std::string& text);
  // The locks of a claim; 0 where there is none.
  static std::array<int, 2> locks_of(const Claim& claim);

  // witness.cc
  void guard_taken(std::int64_t now_ns, int process, int lock);
  void guard_dropped(std::int64_t now_ns, int process, int lock);
  void enter(std::int64_t now_ns, int process, int lock);
  void look_everywhere();
  void ends_asking(std::int64_t now_ns, int process);

  // witness_room.cc
  void check_room(int process, int lock);
  void check_drained(int process, int lock);
  bool opened_since(int lock, std::uint64_t event) const;
  void check_tokens(int process, std::span<const std::uint64_t> tokens);
  void check_nothing_held(int process, const char* when);
  void check_held(int process, const char* when);

  // witness_work.cc
  void something_changes();
  void check_work(std::int64_t now_ns, int process, int lock);

  // witness_order.cc
  void stand_in_queue(std::int64_t now_ns, int process, int lock);
  void check_order(std::int64_t now_ns, int process, int lock);
  void check_superseded(std::int64_t now_ns, int process, int lock);
  // True if a later caller may have replaced the process.
  bool may_be_superseded(int process, int lock) const;
  void check_refusal(std::int64_t now_ns, int process, int lock, Refusal why);
  void note_room(int process, int lock);
  // True if the holder of any lock's guard was paused then or later: a caller that takes two locks
  // waits for one guard while it has the other.
  bool guard_paused_since(std::int64_t ns) const;

  // True if it has just queued behind more waiters than it would.
  void check_queue(int process, int lock);

  // witness_turns.cc
  Holding held_beside(int process, int lock) const;
  void note_claim(std::int64_t now_ns, int process, int lock);
  void meet(std::int64_t now_ns, int process, int waiter, int lock);
  void meets_no_more(std::int64_t now_ns, int waiter);
  void note_turns(std::int64_t now_ns, int process, int lock);
  static bool claims(const Seen& it, std::int64_t now_ns, int lock);
  // True if its turn may be over, or that of one in front of it, which its own follows at once.
  bool may_be_passed(std::int64_t now_ns, const Seen& it, int lock) const;
  void check_turn(std::int64_t now_ns, int process, int lock);

  // witness_idle.cc
  void advance(std::int64_t now_ns);
  void pass(std::int64_t now_ns);
  std::int64_t next_continued() const;
  void look_for_room(int lock);
  bool first_live_waiter_fits(int lock) const;
  static bool fits(const Claim& claim, const Holding& occupied);
  // Until when idle room at the lock has to be used.
  std::int64_t idle_until(int lock) const;
  bool waits_mute(int lock) const;
  void check_idle(int lock);
  void check_deadlines();

  const LockTable& locks_;
  std::vector<Seen> processes_;
  std::array<Lock, kLocks> at_;
  std::int64_t now_ns_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t pauses_ = 0;
  std::uint64_t kills_ = 0;
  // The number of times that a caller came, went, or was paused or killed, and the last time. At
  // any lock: a caller that waits for two asks at both.
  std::uint64_t changes_ = 0;
  std::int64_t changed_ns_ = 0;
  std::uint64_t disturbances_ = 0;  // of the pauses, those that are none
  std::uint64_t admissions_ = 0;
  std::optional<Violation> violation_;
};

}  // namespace world

#endif
