// The witness: unused room, and callers without an answer.
#include <algorithm>

#include "witness.h"

namespace world {
namespace {

// A turn, as documented (docs/internals/lock-map.md, "Turns").
constexpr std::int64_t kTurnNs = kSecondNs;
// The time of a handover: waiters come when they are called.
constexpr std::int64_t kHandoverNs = 60 * kMillisecondNs;
// Waiters near the head, and those that it called, look so often (docs/internals/lock-map.md,
// "Waiting").
constexpr std::int64_t kLookNs = kSecondNs / 4;
// Two turns, and the looks of waiters behind them.
constexpr std::int64_t kIdleNs = 2 * kTurnNs + kSecondNs;
// If the head, all that it called and the holder are paused or killed, the first that looks is one
// further behind: after a quarter of a second for each in front of it, up to fifteen; with more,
// after twenty seconds.
constexpr std::size_t kFar = 16;
constexpr std::int64_t kFarLookNs = 20 * kSecondNs;
// An answer at the deadline: behind two guards, for each of which callers wait 5 s.
constexpr std::int64_t kAnswerNs = 12 * kSecondNs;

}  // namespace

bool Witness::fits(const Claim& claim, const Holding& occupied) {
  if (claim.writes()) return occupied.slots == 0 && !occupied.writer;
  const auto max = static_cast<std::uint64_t>(claim.run.max);
  return !occupied.writer && occupied.slots + claim.slots() <= max;
}

// Of each queue, only the first waiter that runs has a claim to idle room.
bool Witness::first_live_waiter_fits(int lock) const {
  Holding occupied;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const Seen& each = processes_[i];
    const Holding& held = each.at[lock].held;
    // Slots that a caller locks while it decides are reserved, not taken.
    if (held.guard && each.asking && !each.at[lock].inside) continue;
    occupied.slots += held.slots;
    occupied.writer = occupied.writer || held.writer;
  }
  const auto runs = [&](const Seen& each) { return each.waits_at(lock) && !each.paused(now_ns_); };
  for (const Seen& each : processes_) {
    const Claim& claim = each.claim;
    const std::uint64_t place = each.at[lock].sure_place;
    if (!runs(each) || !claim.waits() || !claim.simple() || place == 0) continue;
    const bool first = std::none_of(processes_.begin(), processes_.end(), [&](const Seen& other) {
      const bool one_queue = other.claim.run.mode != kPlain || other.claim.run.max == claim.run.max;
      const bool before = other.waits_at(lock) && one_queue && other.at[lock].place < place;
      // A paused waiter whose slots are not all free has no turn, and others wait behind it.
      return before && (runs(other) || !fits(other.claim, occupied));
    });
    if (first && fits(claim, occupied)) return true;
  }
  return false;
}

void Witness::look_for_room(int lock) {
  Lock& at = at_[lock];
  const bool room = !guard_paused_since(now_ns_) && !at.drain.any && first_live_waiter_fits(lock);
  at.idle.room = room;
  at.idle.since_ns = !room ? -1 : at.idle.since_ns < 0 ? now_ns_ : at.idle.since_ns;
}

std::int64_t Witness::idle_until(int lock) const {
  const Idle& idle = at_[lock].idle;
  if (pauses_ == 0) {
    if (kills_ == 0) return idle.since_ns + kHandoverNs;
    // A release calls the first waiter that lives, whoever was killed before.
    if (idle.called_ns >= idle.since_ns && idle.called_after == kills_)
      return idle.called_ns + kHandoverNs;
    // Of the head and the one that it called, one lives.
    if (kills_ == 1) return idle.since_ns + kLookNs + 2 * kHandoverNs;
  }
  if (pauses_ == 1 && disturbances_ == 0 && kills_ == 0 && !waits_mute(lock))
    return idle.since_ns + kTurnNs + kLookNs + kHandoverNs;
  const auto callers = static_cast<std::int64_t>(processes_.size());
  return idle.since_ns + kIdleNs + (processes_.size() > kFar ? kFarLookNs : callers * kLookNs);
}

// A program of the library cannot be called, and looks the later the further behind it waits.
bool Witness::waits_mute(int lock) const {
  return std::ranges::any_of(processes_, [&](const Seen& each) {
    return each.claim.kind == kLibrary && each.waits_at(lock);
  });
}

void Witness::check_idle(int lock) {
  const Lock& at = at_[lock];
  if (at.idle.since_ns >= 0 && now_ns_ > idle_until(lock))
    break_promise("idle", "room at lock " + std::to_string(lock) + " for " +
                              duration(now_ns_ - at.idle.since_ns) + " beside a waiter that runs");
  const auto pauses = static_cast<std::int64_t>(pauses_);
  const auto handovers = static_cast<std::int64_t>(at.idle.handovers);
  if (at.idle.total_ns > (2 * pauses + 2) * kTurnNs + handovers * kHandoverNs)
    break_promise("turns", duration(at.idle.total_ns) + " of idle room at lock " +
                               std::to_string(lock) + " in " + std::to_string(handovers) +
                               " handovers after " + std::to_string(pauses) + " pauses");
}

// A paused caller answers late, and the original waits for the guard for as long as it takes.
void Witness::check_deadlines() {
  const std::int64_t answer_ns = pauses_ == 0 ? kHandoverNs : kAnswerNs;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const Seen& it = processes_[i];
    // Without -w, a caller waits for its rate or interval for as long as that takes.
    const bool waits_on = it.claim.run.on_too_soon == kWait && !it.claim.waits();
    if (!it.asking || it.was_paused || waits_on || !it.claim.recorded()) continue;
    if (now_ns_ - it.asked_ns <= it.claim.run.wait_ns + answer_ns) continue;
    break_promise("late", "p" + std::to_string(i) + " would wait for " +
                              duration(it.claim.run.wait_ns) + " and has no answer after " +
                              duration(now_ns_ - it.asked_ns));
  }
}

// When the next process goes on that is paused now.
std::int64_t Witness::next_continued() const {
  std::int64_t next = INT64_MAX;
  for (const Seen& each : processes_)
    if (each.paused(now_ns_)) next = std::min(next, each.paused_until_ns);
  return next;
}

void Witness::pass(std::int64_t now_ns) {
  const std::int64_t before_ns = now_ns_;
  now_ns_ = now_ns;
  for (int lock = 1; lock < kLocks; ++lock) {
    Lock& at = at_[lock];
    if (!at.used) continue;
    if (at.idle.room) at.idle.total_ns += now_ns - before_ns;
    check_idle(lock);
  }
}

// Before every event: what was true since the last one was true until now.
void Witness::advance(std::int64_t now_ns) {
  if (now_ns <= now_ns_) return;
  for (std::int64_t next = 0; pauses_ > 0 && (next = next_continued()) <= now_ns;) {
    pass(next);
    look_everywhere();
  }
  if (now_ns > now_ns_) pass(now_ns);
  check_deadlines();
}

}  // namespace world
