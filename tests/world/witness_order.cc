// The witness: the order of callers, and the refusals that are right.
#include <algorithm>

#include "witness.h"

namespace world {
namespace {

std::string p(int process) { return "p" + std::to_string(process); }
std::string at(int lock) { return " at lock " + std::to_string(lock); }

// After a caller was paused that had the guard, others may lose their turn meanwhile.
constexpr std::int64_t kAfterGuardPauseNs = 2 * kSecondNs;

// docs/internals/lock-map.md, "Turns".
constexpr std::int64_t kTurnNs = kSecondNs;

bool same_queue(const Run& one, const Run& other) {
  const bool both_plain = one.mode == kPlain && other.mode == kPlain;
  return both_plain ? one.max == other.max : one.mode != kPlain && other.mode != kPlain;
}

}  // namespace

// A caller that will wait stands in the queue from its first refusal on. A library whose
// descriptors are open may take and drop the guard once before it decides.
void Witness::stand_in_queue(std::int64_t now_ns, int process, int lock) {
  Seen& it = seen(process);
  Stand& stand = it.at[lock];
  const bool waits_for_rate = it.claim.run.rate > 0 && it.claim.run.on_too_soon == kWait;
  if (!it.claim.waits() && !waits_for_rate) return;
  // A caller that is refused for an interval draws its ticket when the interval is over.
  const bool for_interval = it.claim.run.if_elapsed_ns > 0;
  if (stand.place != 0) {
    if (stand.sure_place == 0 && !for_interval) stand.sure_place = events_;
    return;
  }
  stand.place = events_;
  // Its time may be over, or may have begun when the process first ran.
  if (now_ns >= it.asked_ns + it.claim.run.wait_ns && !waits_for_rate) return;
  const Run& run = it.claim.run;
  const bool twice = it.claim.kind == kLibrary && it.claim.keeping;
  const bool may_not_queue = run.queue_max < kAnyQueue || run.on_busy == kJoin || for_interval;
  if (!twice && !may_not_queue) stand.sure_place = events_;
  // A caller without space may not say that it supersedes.
  const bool certain = it.claim.simple() && !it.was_paused;
  if (it.claim.run.on_busy == kSupersede && certain) at_[lock].superseding = stand.sure_place;
}

// True if everyone in front of the caller that was never paused has room beside it.
void Witness::check_order(std::int64_t now_ns, int process, int lock) {
  const Seen& it = seen(process);
  const Run& run = it.claim.run;
  const bool certain = !it.was_paused && it.claim.simple() && !at_[lock].drain.any;
  if (!certain) return;
  const bool after_pause = guard_paused_since(now_ns - kAfterGuardPauseNs);
  const std::uint64_t place = it.at[lock].place == 0 ? events_ : it.at[lock].place;
  std::uint64_t inside = 0;
  std::uint64_t wanted = 0;
  int first = -1;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const Seen& other = processes_[i];
    const Stand& stand = other.at[lock];
    if (static_cast<int>(i) == process) continue;
    if (stand.inside) inside += other.claim.slots();
    if (!other.waits_at(lock) || other.dying || stand.sure_place == 0 || stand.sure_place >= place)
      continue;
    const bool before_plain = run.mode == kPlain && other.claim.writes();
    if (!same_queue(run, other.claim.run) && !before_plain) continue;
    // A waiter without a bell is not called.
    const bool mute = other.claim.kind == kLibrary && may_be_passed(now_ns, other, lock);
    const bool replaced =
        other.claim.run.on_busy == kSupersede && may_be_superseded(static_cast<int>(i), lock);
    const bool late = other.claim.waits() && now_ns >= other.asked_ns + other.claim.run.wait_ns;
    if (after_pause && stand.turn_from_ns <= now_ns - kTurnNs) continue;
    if (other.was_paused || mute || replaced || late || !other.claim.simple()) continue;
    const bool other_limit =
        run.mode == kShared && other.claim.run.mode == kShared && run.max != other.claim.run.max;
    if (other_limit) continue;
    wanted += run.mode == kExclusive || other.claim.writes()
                  ? static_cast<std::uint64_t>(run.max) + 1
                  : other.claim.slots();
    if (first < 0) first = static_cast<int>(i);
  }
  if (first < 0 || inside + wanted + it.claim.slots() <= static_cast<std::uint64_t>(run.max))
    return;
  break_promise("order", p(process) + at(lock) + " comes before " + p(first) +
                             ", which was refused before and was never paused");
}

void Witness::check_superseded(std::int64_t now_ns, int process, int lock) {
  const Seen& it = seen(process);
  const std::uint64_t place = it.at[lock].sure_place;
  const bool replaceable = it.claim.run.on_busy == kSupersede && it.claim.simple() && place != 0;
  // At its time it asks once more, as one that does not wait.
  const bool late = now_ns >= it.asked_ns + it.claim.run.wait_ns;
  if (!replaceable || late || place >= at_[lock].superseding) return;
  break_promise("superseded", p(process) + at(lock) + " enters though a later one replaced it");
}

bool Witness::may_be_superseded(int process, int lock) const {
  const std::uint64_t place = processes_[static_cast<std::size_t>(process)].at[lock].place;
  return std::ranges::any_of(at_[lock].may_supersede, [&](const auto& each) {
    return each.process != process && each.event > place;
  });
}

// When a caller takes the guard: what may refuse it.
void Witness::note_room(int process, int lock) {
  Seen& it = seen(process);
  Stand& stand = it.at[lock];
  const Claim& claim = it.claim;
  std::uint64_t occupied = 0;
  bool writer = false;
  bool queue = false;
  stand.waiters = 0;
  stand.joiner = false;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const Seen& other = processes_[i];
    if (static_cast<int>(i) == process) continue;
    const Holding held = locks_.held_by(static_cast<int>(i), lock);
    occupied += held.slots;
    writer = writer || held.writer;
    queue = queue || held.places > 0 || other.waits_at(lock);
    if (!other.waits_at(lock) && held.places == 0) continue;
    ++stand.waiters;
    stand.joiner = stand.joiner || other.claim.run.on_busy == kJoin;
  }
  const bool full = claim.writes() ? occupied > 0
                                   : writer || occupied + claim.slots() >
                                                   static_cast<std::uint64_t>(claim.run.max);
  stand.could_refuse = full || queue || at_[lock].drain.any;
}

// Tickets are drawn under the guard only: those that others have now, they had when it was decided.
void Witness::check_queue(int process, int lock) {
  const Seen& it = seen(process);
  const Stand& stand = it.at[lock];
  if (stand.had_place || stand.held.places == 0 || it.claim.run.also != 0) return;
  std::int64_t before = 0;
  for (std::size_t i = 0; i < processes_.size(); ++i)
    if (static_cast<int>(i) != process && locks_.held_by(static_cast<int>(i), lock).places > 0)
      ++before;
  if (before < it.claim.run.queue_max) return;
  break_promise("queue", p(process) + at(lock) + " queues behind " + std::to_string(before) +
                             " waiters, not " + std::to_string(it.claim.run.queue_max));
}

bool Witness::guard_paused_since(std::int64_t ns) const {
  return std::ranges::any_of(at_,
                             [&](const Lock& each) { return each.guard_paused_until_ns > ns; });
}

void Witness::check_refusal(std::int64_t now_ns, int process, int lock, Refusal why) {
  const Seen& it = seen(process);
  const Run& run = it.claim.run;
  const Stand& stand = it.at[lock];
  const std::string who = p(process) + at(lock);
  const bool for_room = why == Refusal::no_slot || why == Refusal::owed ||
                        why == Refusal::drained || why == Refusal::flock;
  if (for_room && it.claim.waits() && now_ns < it.asked_ns + run.wait_ns)
    break_promise("early", who + " would wait for " + duration(run.wait_ns) +
                               " and was refused after " + duration(now_ns - it.asked_ns));
  if (why == Refusal::guard && !it.was_paused && !guard_paused_since(it.asked_ns))
    break_promise("guard", who + " could not have the guard, and nobody who had it was paused");
  if (why == Refusal::queue_full && stand.waiters < static_cast<std::uint64_t>(run.queue_max))
    break_promise("queue", who + " was refused beside " + std::to_string(stand.waiters) +
                               " waiters, not " + std::to_string(run.queue_max));
  if (why == Refusal::joined && !stand.joiner)
    break_promise("join", who + " was told that another one runs for it, and none waits");
  // A caller that was paused until its time was over may have queued nevertheless.
  const bool queued = stand.place != 0 || it.was_paused;
  if (why == Refusal::superseded && (!queued || !may_be_superseded(process, lock)))
    break_promise("superseded", who + " was told that a later one replaced it, and none did");
  if (why == Refusal::ancestor)
    break_promise("refused", who + " was told that it holds it itself, and it does not");
  if (why == Refusal::drained && !at_[lock].drain.any)
    break_promise("drained", who + " was told that it is drained, and it never was");
  const bool plain_answer = why == Refusal::no_slot || why == Refusal::owed;
  if (plain_answer && it.claim.simple() && pauses_ == 0 && !stand.could_refuse)
    break_promise("refused", who + " was refused, and there was room");
}

}  // namespace world
