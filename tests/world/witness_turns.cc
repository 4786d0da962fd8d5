// The witness: turns. A waiter in front need not run: nobody comes before it until a turn of it
// that can have been noted is over.
#include <algorithm>

#include "witness.h"

namespace world {
namespace {

std::string p(int process) { return "p" + std::to_string(process); }
std::string at(int lock) { return " at lock " + std::to_string(lock); }

// A turn, and how soon after it was noted others must be able to decide, so that it counts
// (docs/internals/lock-map.md, "Turns").
constexpr std::int64_t kTurnNs = kSecondNs;
constexpr std::int64_t kConfirmedNs = 100 * kMillisecondNs;
// So much too early may be the moment that a waiter has noted until which its rate refuses it: it
// is not written again for less.
constexpr std::int64_t kDueKeepsNs = kMillisecondNs;

}  // namespace

// The slots of all others: not more while the process has the guard than when it took it.
Holding Witness::held_beside(int process, int lock) const {
  Holding all;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const int parent = processes_[i].parent;
    // A child shares what its parent has.
    const bool shared = parent != kNoParent && locks_.held_by(parent, lock).slots > 0;
    if (static_cast<int>(i) == process || shared) continue;
    const Holding held = locks_.held_by(static_cast<int>(i), lock);
    all.slots += held.slots;
    all.writer = all.writer || held.writer;
  }
  return all;
}

// The caller drops the guard without a slot: which waiters of the lock it can be now.
void Witness::note_claim(std::int64_t now_ns, int process, int lock) {
  Seen& it = seen(process);
  Stand& stand = it.at[lock];
  // Kept out by a paused caller in the guard of its other lock, it has decided nothing.
  const auto keeps_out = [&](const Seen& other) {
    return other.paused(now_ns) && std::ranges::any_of(locks_of(it.claim), [&](int each) {
             return each != 0 && other.at[each].held.guard;
           });
  };
  stand.refuses = false;
  if (it.claim.run.also != 0 && std::ranges::any_of(processes_, keeps_out)) return;
  stand.turn_from_ns = INT64_MAX;
  // Of two locks, run.lock is asked first.
  const bool full = !fits(it.claim, held_beside(process, lock));
  const bool alone =
      lock == it.claim.run.lock || !it.at[static_cast<std::size_t>(it.claim.run.lock)].could_refuse;
  stand.refuses = it.claim.run.also == 0 || (full && alone);
  const Pace& pace = at_[lock].pace;
  const bool too_soon = it.claim.run.rate > 0 && !pace.check(it.claim, now_ns).empty();
  stand.early_until_ns = too_soon ? pace.due_ns(it.claim.run) - kDueKeepsNs : INT64_MIN;
  stand.early_at_most_ns = it.claim.run.rate > 0 ? now_ns + it.claim.run.window_ns : INT64_MIN;
}

// The process, which has the guard, may have seen the waiter in its queue.
void Witness::meet(std::int64_t now_ns, int process, int waiter, int lock) {
  Stand& own = seen(process).at[lock];
  const Seen& each = seen(waiter);
  const Stand& stand = each.at[lock];
  if (!each.waits_at(lock)) return;
  if (stand.turn_from_ns <= now_ns - kTurnNs) own.met_over = std::min(own.met_over, stand.place);
  // A caller whose time is over gives up its place before it asks for the last time.
  const bool queued = own.held.places > 0 && own.sure_place != 0;
  const bool in_front = process != waiter && (!queued || stand.place < own.sure_place);
  const bool early = stand.early_until_ns > now_ns;
  if (in_front && !early && fits(each.claim, held_beside(process, lock))) own.met_claimant = true;
}

// The waiter goes. The holder of the guard may have seen it before.
void Witness::meets_no_more(std::int64_t now_ns, int waiter) {
  for (int lock = 1; lock < kLocks; ++lock)
    for (std::size_t i = 0; i < processes_.size(); ++i)
      if (processes_[i].at[lock].held.guard) meet(now_ns, static_cast<int>(i), waiter, lock);
}

// The caller drops the guard. Under it, it may have noted that turns of waiters begin: if one in
// front of it could have come.
void Witness::note_turns(std::int64_t now_ns, int process, int lock) {
  Stand& own = seen(process).at[lock];
  const std::int64_t began_ns = std::max(own.guard_taken_ns, now_ns - kConfirmedNs);
  for (std::size_t i = 0; i < processes_.size(); ++i)
    meet(now_ns, process, static_cast<int>(i), lock);
  if (!own.met_claimant) return;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    Seen& each = processes_[i];
    Stand& stand = each.at[lock];
    if (static_cast<int>(i) == process || !each.waits_at(lock)) continue;
    if (stand.early_until_ns > now_ns) continue;
    // The turns of those behind one that is over may be over at once.
    stand.turn_from_ns =
        std::min(stand.turn_from_ns, stand.place <= own.met_over ? began_ns : INT64_MIN / 2);
  }
}

// True if the waiter certainly claims a slot of this lock: what refused it last was this lock, its
// rate allows it since then at the latest, and it waits for that: else its answer may be final.
bool Witness::claims(const Seen& it, std::int64_t now_ns, int lock) {
  const Run& run = it.claim.run;
  const Stand& stand = it.at[lock];
  const bool plain = run.mode == kPlain && run.if_elapsed_ns == 0 && run.flock == 0 &&
                     run.on_busy == kRefused && it.claim.recorded();
  const bool in_time = run.wait_ns == 0 || stand.early_at_most_ns <= it.asked_ns + run.wait_ns;
  const bool waits_on = run.rate == 0 || (run.on_too_soon == kWait && in_time);
  return plain && !it.dying && stand.sure_place != 0 && stand.refuses && waits_on &&
         (run.rate == 0 || run.also == 0) && stand.early_at_most_ns <= now_ns;
}

bool Witness::may_be_passed(std::int64_t now_ns, const Seen& it, int lock) const {
  return std::ranges::any_of(processes_, [&](const Seen& each) {
    const Stand& stand = each.at[lock];
    return each.waits_at(lock) && stand.place <= it.at[lock].place &&
           stand.turn_from_ns <= now_ns - kTurnNs;
  });
}

void Witness::check_turn(std::int64_t now_ns, int process, int lock) {
  const Seen& it = seen(process);
  const Stand& own = it.at[lock];
  const Run& run = it.claim.run;
  const bool certain = !it.was_paused && run.mode == kPlain && it.claim.recorded() &&
                       !at_[lock].drain.any && disturbances_ == 0;
  if (!certain) return;
  int first = -1;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const Seen& each = processes_[i];
    if (static_cast<int>(i) == process || !each.waits_at(lock)) continue;
    if (each.claim.run.mode != kPlain) return;
    if (first < 0 ||
        each.at[lock].place < processes_[static_cast<std::size_t>(first)].at[lock].place)
      first = static_cast<int>(i);
  }
  if (first < 0) return;
  const Seen& waiter = processes_[static_cast<std::size_t>(first)];
  const Stand& stand = waiter.at[lock];
  const bool in_front = own.place == 0 || stand.sure_place < own.place;
  if (waiter.claim.run.max != run.max || !in_front || !claims(waiter, own.guard_taken_ns, lock) ||
      locks_.held_by(first, lock).places == 0)
    return;
  const std::uint64_t all =
      held_beside(process, lock).slots + waiter.claim.slots() + it.claim.slots();
  const bool uses_rate = run.rate > 0 && waiter.claim.run.rate > 0;
  if (!uses_rate && all <= static_cast<std::uint64_t>(run.max)) return;
  if (stand.turn_from_ns <= now_ns - kTurnNs) return;
  break_promise("order",
                p(process) + at(lock) + " comes before " + p(first) + ", whose turn is not over");
}

}  // namespace world
