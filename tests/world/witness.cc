#include "witness.h"

#include <algorithm>

namespace world {
namespace {

std::string p(int process) { return "p" + std::to_string(process); }
std::string at(int lock) { return " at lock " + std::to_string(lock); }
std::string n(std::uint64_t number) { return std::to_string(number); }

}  // namespace

Witness::Seen& Witness::seen(int process) {
  const auto index = static_cast<std::size_t>(process);
  if (index >= processes_.size()) processes_.resize(index + 1);
  return processes_[index];
}

void Witness::break_promise(const char* invariant, const std::string& text) {
  if (!violation_) violation_ = Violation{invariant, text};
}

std::array<int, 2> Witness::locks_of(const Claim& claim) {
  return {static_cast<int>(claim.run.lock), static_cast<int>(claim.run.also)};
}

void Witness::asks(std::int64_t now_ns, int process, const Claim& claim) {
  advance(now_ns);
  Seen& it = seen(process);
  const std::int64_t paused_until_ns = it.paused_until_ns;
  it = {};
  it.paused_until_ns = paused_until_ns;
  it.asking = true;
  it.claim = claim;
  it.asked_ns = now_ns;
  it.asked_after = kills_;
  next();
  for (const int lock : locks_of(claim)) {
    if (lock == 0) continue;
    at_[lock].used = true;
    something_changes();
    it.token_floor[lock] = at_[lock].token;
    if (!locks_.held_by(process, lock).nothing())
      break_promise("kept", p(process) + " holds something" + at(lock) + " before it asks");
  }
}

void Witness::locks_changed(std::int64_t now_ns, int process, int lock) {
  advance(now_ns);
  Seen& it = seen(process);
  Stand& stand = it.at[lock];
  const bool had_guard = stand.held.guard;
  const Holding before = stand.held;
  stand.held = locks_.held_by(process, lock);
  const bool decides = it.asking && (had_guard || stand.held.guard);
  const bool slots_changed = stand.held.which != before.which || stand.held.slots != before.slots;
  if (stand.held.places != before.places || (slots_changed && !decides)) something_changes();
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (processes_[i].parent == kNoParent) continue;
    Holding& held = processes_[i].at[lock].held;
    held = locks_.held_by(static_cast<int>(i), lock);
    if (held.guard)
      break_promise("guard", p(static_cast<int>(i)) + ", a child, would keep the guard" + at(lock) +
                                 " after its parent's end");
  }
  next();
  if (stand.held.guard && !had_guard) guard_taken(now_ns, process, lock);
  if (!stand.held.guard && had_guard) guard_dropped(now_ns, process, lock);
  look_for_room(lock);
}

void Witness::guard_taken(std::int64_t now_ns, int process, int lock) {
  Stand& stand = seen(process).at[lock];
  stand.guard_taken_ns = now_ns;
  stand.guard_taken = events_;
  stand.met_claimant = false;
  stand.met_over = UINT64_MAX;
  stand.ended_guarded = true;
  stand.had_place = stand.held.places > 0;
  const Seen& it = seen(process);
  if (!it.asking) return;
  note_room(process, lock);
  check_work(now_ns, process, lock);
  auto& last = at_[lock].may_supersede;
  if (it.claim.run.on_busy != kSupersede) return;
  if (last[0].process != process) last[1] = last[0];
  last[0] = {process, events_};
}

void Witness::guard_dropped(std::int64_t now_ns, int process, int lock) {
  Seen& it = seen(process);
  Stand& stand = it.at[lock];
  if (!it.asking || stand.inside || !it.claim.wants(lock)) return;
  note_turns(now_ns, process, lock);
  if (stand.held.slots > 0) {
    check_turn(now_ns, process, lock);
    enter(now_ns, process, lock);
  } else {
    note_claim(now_ns, process, lock);
    stand_in_queue(now_ns, process, lock);
    check_queue(process, lock);
  }
}

// The decision of a caller is still right when it drops the guard: nobody else can have come since.
void Witness::enter(std::int64_t now_ns, int process, int lock) {
  Seen& it = seen(process);
  check_room(process, lock);
  if (it.at[lock].held.slots != it.claim.slots() || it.at[lock].held.writer != it.claim.writes())
    break_promise("held", p(process) + " holds " + n(it.at[lock].held.slots) + " slots" + at(lock) +
                              ", not " + n(it.claim.slots()));
  check_drained(process, lock);
  const std::string early =
      at_[lock].pace.enters(process, it.claim, it.at[lock].guard_taken_ns, now_ns);
  if (!early.empty()) break_promise("pace", p(process) + at(lock) + ": " + early);
  check_order(now_ns, process, lock);
  check_superseded(now_ns, process, lock);
  it.at[lock].inside = true;
  something_changes();
  ++at_[lock].idle.handovers;
}

void Witness::admitted(std::int64_t now_ns, int process, std::span<const std::uint64_t> tokens) {
  advance(now_ns);
  Seen& it = seen(process);
  next();
  it.asking = false;
  ++admissions_;
  check_held(process, "when it is admitted");
  check_tokens(process, tokens);
  for (const int lock : locks_of(it.claim)) {
    if (lock == 0) continue;
    const Holding held = locks_.held_by(process, lock);
    if (!it.at[lock].inside)
      break_promise("guard", p(process) + at(lock) + " was admitted without the guard");
    if (held.guard || held.places > 0)
      break_promise("kept", p(process) + at(lock) + " keeps " +
                                (held.guard ? "the guard" : "its place") + " when it is admitted");
    look_for_room(lock);
  }
}

void Witness::refused(std::int64_t now_ns, int process, int lock, Refusal why) {
  advance(now_ns);
  next();
  check_refusal(now_ns, process, lock, why);
  ends_asking(now_ns, process);
}

// Only a machine out of order makes a caller fail.
void Witness::failed(std::int64_t now_ns, int process, const std::string& words) {
  advance(now_ns);
  next();
  if (disturbances_ == 0) break_promise("error", p(process) + " failed: " + words);
  ends_asking(now_ns, process);
}

void Witness::ends_asking(std::int64_t now_ns, int process) {
  meets_no_more(now_ns, process);
  Seen& it = seen(process);
  it.asking = false;
  for (Stand& stand : it.at) stand.inside = false;
  check_nothing_held(process, "after it was refused");
  for (const int lock : locks_of(it.claim))
    if (lock != 0) look_for_room(lock);
}

void Witness::releases(std::int64_t now_ns, int process, Ends how) {
  advance(now_ns);
  Seen& it = seen(process);
  next();
  check_held(process, "when it releases");
  it.ending_ns = now_ns;
  it.how = how;
  for (Stand& stand : it.at) {
    stand.inside = false;
    stand.ended_guarded = false;
  }
  // It may be taken back from now on.
  for (const int lock : locks_of(it.claim))
    if (lock != 0 && how == kNotStarted) at_[lock].pace.not_started(process);
}

void Witness::released(std::int64_t now_ns, int process) {
  advance(now_ns);
  const Seen& it = seen(process);
  next();
  check_nothing_held(process, "after its release");
  for (const int lock : locks_of(it.claim)) {
    // A holder from the queue may leave it to the one that it called when it was admitted.
    if (lock != 0 && it.at[lock].ended_guarded && it.asked_after == kills_) {
      at_[lock].idle.called_ns = now_ns;
      at_[lock].idle.called_after = kills_;
    }
    // Without the guard, whose holder is paused, a release records nothing.
    const bool recorded = lock != 0 && it.at[lock].ended_guarded && it.claim.recorded();
    if (recorded && it.how != kNotStarted) at_[lock].pace.ended(it.ending_ns, it.how == kSucceeds);
  }
}

void Witness::forked(std::int64_t now_ns, int parent, int child) {
  advance(now_ns);
  next();
  Seen& it = seen(child);
  it.parent = parent;
  for (int lock = 1; lock < kLocks; ++lock)
    if (at_[lock].used) it.at[lock].held = locks_.held_by(child, lock);
  look_everywhere();
}

void Witness::drains(std::int64_t now_ns, int process, int lock, std::uint32_t slot, bool on) {
  advance(now_ns);
  next();
  at_[lock].used = true;
  Drain& drain = at_[lock].drain;
  drain.any = true;
  if (on) return;
  seen(process).opening = lock;
  if (slot == 0) drain = {.opened = drain.opened, .any = true};
  if (slot > 0 && slot <= 64) drain.slots[slot] = false;
}

void Witness::drained(std::int64_t now_ns, int process, int lock, std::uint32_t slot, bool on) {
  advance(now_ns);
  Drain& drain = at_[lock].drain;
  Seen& it = seen(process);
  const std::uint64_t event = next();
  check_nothing_held(process, "after it drained");
  it.opening = 0;
  if (!on) drain.opened = event;
  if (!on || opened_since(lock, it.at[lock].guard_taken)) return;
  if (slot == 0) drain.whole = true;
  if (slot > 0 && slot <= 64) drain.slots[slot] = true;
}

void Witness::paused(std::int64_t now_ns, int process, std::int64_t until_ns) {
  advance(now_ns);
  Seen& it = seen(process);
  next();
  ++pauses_;
  it.was_paused = true;
  it.paused_until_ns = until_ns;
  something_changes();
  for (int lock = 1; lock < kLocks; ++lock) {
    if (!at_[lock].used) continue;
    if (it.at[lock].held.guard)
      at_[lock].guard_paused_until_ns = std::max(at_[lock].guard_paused_until_ns, until_ns);
    look_for_room(lock);
  }
}

void Witness::disturbed(std::int64_t now_ns, int process) {
  advance(now_ns);
  seen(process).was_paused = true;
  ++pauses_;
  ++disturbances_;
}

void Witness::dying(std::int64_t now_ns, int process, bool killed) {
  advance(now_ns);
  next();
  if (killed) ++kills_;
  meets_no_more(now_ns, process);
  Seen& it = seen(process);
  it.dying = true;
  it.asking = false;
  it.paused_until_ns = kNotPaused;
  look_everywhere();
}

void Witness::died(std::int64_t now_ns, int process, int left) {
  advance(now_ns);
  const std::uint64_t event = next();
  check_nothing_held(process, "after its end");
  if (const int lock = seen(process).opening; lock != 0) at_[lock].drain.opened = event;
  if (left > 0)
    break_promise("left", p(process) + " leaves " + n(static_cast<std::uint64_t>(left)));
  seen(process) = {};
  look_everywhere();
}

void Witness::look_everywhere() {
  for (int lock = 1; lock < kLocks; ++lock)
    if (at_[lock].used) look_for_room(lock);
}

void Witness::passes(std::int64_t now_ns) { advance(now_ns); }

}  // namespace world
