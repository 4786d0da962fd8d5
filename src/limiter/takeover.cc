#include "takeover_run.h"

#include "admission.h"
#include "companion.h"
#include "core/words.h"
#include "os/clock.h"
#include "os/signals.h"
#include "os/tree.h"
#include "policy/limits.h"
#include "takeover_words.h"

namespace atmost::limiter {
namespace {

// The pause between two sweeps while killing: each catches processes that were missed or started
// meanwhile.
constexpr std::int64_t kKillAgainNs = 30'000'000;
constexpr Duration kShortestKill = {os::kShortestKillNs};
constexpr int kFewestKills = 3;  // however long they take, because the holder itself goes last,
                                 // when no process is seen below it

constexpr SignalStage kStages[] = {{SignalStep::interrupt, os::kInterrupt},
                                   {SignalStep::terminate, os::kTerminate},
                                   {SignalStep::kill, os::kKill}};

}  // namespace

bool TakeoverRun::any_immune() const {
  for (std::uint32_t i = 0; i < decision_.victim_count; ++i) {
    if (victims_[i].held && victims_[i].immune) return true;
  }
  return false;
}

bool TakeoverRun::any_held() const {
  for (std::uint32_t i = 0; i < decision_.victim_count; ++i) {
    if (victims_[i].held) return true;
  }
  return false;
}

Result<SignalResult> TakeoverRun::signal_holder(std::uint32_t index, SignalStep step) {
  Victim& victim = victims_[index];
  Result<SignalResult> signalled = stops_.of[index]->signal(step);
  if (!signalled.ok()) return signalled;
  const SignalResult& found = signalled.value();
  victim.held = found.held;
  if (!found.held) settle(index);
  if (found.held && (found.unprovable || found.ancestor)) {
    return unproven_words(request_.locks[decision_.lock], decision_.victims[index], found);
  }
  if (found.held && step != SignalStep::look) {
    if (step == SignalStep::prove) {
      victim.holder.pid = found.pid;
      victim.host = found.host;
      victim.id = found.id;
      victim.command = found.command;
    }
    victim.noted = found.noted;
    victim.left = found.pid;
    if (step == SignalStep::kill) victim.until_boot_ns = found.until_boot_ns;
    victim.immune = found.immune;
  }
  return signalled;
}

Status TakeoverRun::prove(std::uint32_t index) {
  const Result<SignalResult> found = signal_holder(index, SignalStep::prove);
  if (!found.ok()) return found.error();
  const Instant now = moment(request_);
  const Stamp& start = found.value().start;
  std::int64_t age = start.known ? age_ns(start, now) : -1;
  // The record may be an earlier holder's, from another boot clock, or forged: no process has held
  // the slot for longer than it has run.
  const std::int64_t life = now.boot_ns - found.value().oldest_boot_ns;
  if (found.value().oldest_boot_ns != 0 && !now.given && life < age) age = life;
  Victim& victim = victims_[index];
  victim.holder.token = found.value().token;
  if (age >= 0) victim.holder.age = {age};
  // Without a limit, no age is too young: not even one that clocks of two machines contradict.
  if (victim.held && !now.given && !why_.due.is_zero() && age < why_.due.ns) young_ = true;
  return {};
}

// One hold of several slots is one holder, which gets each signal once: many programs end at once
// at a second INT.
bool TakeoverRun::shares_hold(std::uint32_t index) const {
  for (std::uint32_t i = 0; i < index; ++i) {
    if (victims_[i].held && decision_.holds[i] != 0 && decision_.holds[i] == decision_.holds[index])
      return true;
  }
  return false;
}

Status TakeoverRun::signal(std::uint32_t index, const SignalStage& stage) {
  if (shares_hold(index)) return {};
  Victim& victim = victims_[index];
  const Instant sent = os::now();
  const Result<SignalResult> found = signal_holder(index, stage.step);
  if (!found.ok()) return found.error();
  report_refusal(index, found.value().refused, stage.signal);
  if (!victim.held || found.value().signalled == 0 || victim.signal == stage.signal) return {};
  settle(index);
  victim.signal = stage.signal;
  victim.last = stage.step;
  victim.sent = sent;
  if (observer_ != nullptr) {
    observer_->stopping_holder(request_.locks[decision_.lock], decision_.victims[index],
                               {victim.holder.pid, victim.host}, stage.step);
  }
  return {};
}

// When the grace after a signal ends. In a fleet, a holder that cannot be reached after KILL loses
// its lease, which may be longer than ours.
std::int64_t TakeoverRun::grace_end(bool killing) const {
  constexpr Duration kExpiry = Duration::seconds(2);  // until a store notices that a lease is over
  const std::int64_t now = os::boot_ns();
  if (!killing || !locks_.traits.leased) {
    const bool short_kill = killing && request_.kill_grace < kShortestKill;
    return plus(now, short_kill ? kShortestKill : request_.kill_grace);
  }
  std::int64_t until = 0;
  for (std::uint32_t i = 0; i < decision_.victim_count; ++i) {
    const Victim& victim = victims_[i];
    const std::int64_t end =
        victim.until_boot_ns != 0 ? victim.until_boot_ns : plus(now, request_.ttl);
    if (victim.held && end > until) until = end;
  }
  return plus(until, kExpiry);
}

// One signal to every victim, and its grace.
Status TakeoverRun::run_stage(const SignalStage& stage) {
  const auto signal_one = [&](std::uint32_t index) { return signal(index, stage); };
  const auto look = [&](std::uint32_t index) -> Status {
    const Result<SignalResult> found = signal_holder(index, SignalStep::look);
    return found.ok() ? Status{} : Status{found.error()};
  };
  if (Status sent = each(signal_one); !sent.ok()) return sent;
  const bool killing = stage.step == SignalStep::kill;
  const std::int64_t until = grace_end(killing);
  std::int64_t again = plus(os::boot_ns(), {kKillAgainNs});
  int to_come = killing ? kFewestKills - 1 : 0;
  do {
    os::sleep_until(plus(os::boot_ns(), {kLookNs}));
    const bool sweep = killing && os::boot_ns() >= again;
    if (Status looked = sweep ? each(signal_one) : each(look); !looked.ok()) return looked;
    if (sweep) again = plus(os::boot_ns(), {kKillAgainNs});
    if (sweep && to_come > 0) --to_come;
  } while (any_held() && (os::boot_ns() < until || to_come > 0));
  return {};
}

Result<Takeover> TakeoverRun::run_stages() {
  for (const SignalStage& stage : kStages) {
    if (!any_held()) return Takeover::freed;
    if (any_immune()) break;
    if (Status pursued = run_stage(stage); !pursued.ok()) return pursued.error();
  }
  if (!any_held()) return Takeover::freed;
  for (std::uint32_t i = 0; i < decision_.victim_count; ++i) {
    if (!victims_[i].held) continue;
    decision_.culprit = victims_[i].left;
    if (victims_[i].refused != 0 && observer_ != nullptr)
      observer_->warning(
          left_words(request_.locks[decision_.lock].name, victims_[i].refused, true));
  }
  return any_immune() ? Takeover::immune : Takeover::survived;
}

Result<Takeover> TakeoverRun::run() {
  for (std::uint32_t i = 0; i < decision_.victim_count; ++i) {
    Result<Owned<HolderStop>> begun =
        locks_.session.stop(decision_.lock, decision_.victims[i], decision_.holds[i],
                            why_.reason == StopReason::kill ? StopFor::kill : StopFor::its_place);
    if (!begun.ok()) return begun.error();
    if (!begun.value()) return Takeover::taken;
    stops_.add(std::move(begun.value()));
  }
  report_lease(locks_.session);  // the claim is stored under the lease
  const Status proven = each([&](std::uint32_t index) { return prove(index); });
  if (!proven.ok()) return proven.error();
  if (young_) return Takeover::young;
  (void)each([&](std::uint32_t index) {
    victims_[index].holder.reason = why_.reason;
    if (why_.reason == StopReason::overdue) victims_[index].holder.expire_after = why_.due;
    if (log_ != nullptr)
      log_->expired(decision_.lock, decision_.victims[index], victims_[index].holder);
    return Status{};
  });
  Result<Takeover> end = run_stages();
  for (std::uint32_t i = 0; i < decision_.victim_count; ++i) settle(i);
  if (end.ok() && end.value() == Takeover::freed) {
    learn_ages();
    name_survivors();
  }
  return end;
}

Result<Takeover> take_over(const OpenLocks& locks, const Motive& why, Decision& decision,
                           HolderStops& stops, const TakeoverReports& reports) {
  return TakeoverRun(locks, why, decision, stops, reports).run();
}

}  // namespace atmost::limiter
