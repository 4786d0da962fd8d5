// atmost kill: stopping holders without taking their place.
#include "admission.h"
#include "core/limiter.h"
#include "environment.h"
#include "journal.h"
#include "policy/decide.h"
#include "takeover.h"

namespace atmost {
namespace {

// Picks the holders to stop from what inspect() shows.
class Picker final : public LockVisitor {
 public:
  Picker(const Victims& wanted, const Instant& now) : wanted_(wanted), now_(now) {}

  void header(const Header&) override {}
  void waiter(const WaiterView&) override {}
  void holder(const HolderView& holder) override {
    const bool meant = wanted_.slot >= holder.slot && wanted_.slot - holder.slot < holder.slots;
    if (wanted_.slot != 0 && !meant) return;
    if (wanted_.token != 0 && holder.token != wanted_.token) return;
    const std::int64_t age = policy::holder_age_ns(holder, now_);
    if (wanted_.overdue && (holder.expire_after.is_forever() || age < holder.expire_after.ns))
      return;
    if (holder.foreign_lock) {
      foreign = true;
      decision.culprit = holder.pid;
      decision.foreign_whole = holder.slots == kMaxSlots;
      return;
    }
    if (decision.victim_count == kMaxVictims) return;
    pids[decision.victim_count] = holder.pid;
    hosts[decision.victim_count] = holder.host;
    decision.holds[decision.victim_count] = holder.hold;
    decision.victims[decision.victim_count++] = holder.slot;
  }

  Decision decision;
  bool foreign = false;  // somebody who is never stopped
  std::int64_t pids[kMaxVictims] = {};
  Text<63> hosts[kMaxVictims];

 private:
  const Victims& wanted_;
  const Instant& now_;
};

Outcome refused(const Picker& picker, Why why) {
  Outcome outcome;
  outcome.kind = Outcome::Kind::refused;
  outcome.decision = picker.decision;
  outcome.decision.held = picker.decision.victim_count;
  outcome.decision.verdict = Verdict::busy;
  outcome.decision.why = why;
  return outcome;
}

void show(const LockSpec& lock, const Picker& picker, Observer* observer) {
  for (std::uint32_t i = 0; observer != nullptr && i < picker.decision.victim_count; ++i) {
    observer->stopping_holder(lock, picker.decision.victims[i], {picker.pids[i], picker.hosts[i]},
                              SignalStep::look);
  }
}

// Stops one batch of at most kMaxVictims, picked from what `store` shows. `more`: there may be
// others left.
Outcome stop_some(Store& store, const limiter::OpenLocks& locks, const Victims& wanted,
                  const limiter::TakeoverReports& reports, bool& more) {
  const Instant now = limiter::moment(locks.request);
  Picker picker(wanted, now);
  const Result<std::uint32_t> seen = store.inspect(locks.request.locks[0], now, &picker);
  if (!seen.ok()) return Outcome::failure(seen.error());
  more = picker.decision.victim_count == kMaxVictims && !wanted.dry_run;
  Outcome outcome;
  outcome.kind = Outcome::Kind::ran;
  outcome.decision.held = picker.decision.victim_count;
  if (wanted.dry_run) show(locks.request.locks[0], picker, reports.observer);
  if (picker.foreign && (wanted.dry_run || picker.decision.victim_count == 0))
    return refused(picker, Why::foreign);
  if (wanted.dry_run) return outcome;
  limiter::HolderStops stops;
  const Result<limiter::Takeover> stopped =
      limiter::take_over(locks, {StopReason::kill}, picker.decision, stops, reports);
  stops.end();
  if (!stopped.ok()) return Outcome::failure(stopped.error());
  more = more || picker.foreign;
  if (stopped.value() == limiter::Takeover::freed) return outcome;
  more = false;
  return refused(picker, stopped.value() == limiter::Takeover::taken    ? Why::taking_over
                         : stopped.value() == limiter::Takeover::immune ? Why::immune
                                                                        : Why::survivor);
}

}  // namespace

Outcome stop_holders(Store& store, const Request& request, const Victims& wanted,
                     Observer* observer) {
  Outcome outcome;
  outcome.kind = Outcome::Kind::ran;
  if (limiter::untouched(store.traits(), request.locks[0])) return outcome;
  Result<Owned<Session>> session = store.open(request);
  if (!session.ok()) return Outcome::failure(session.error());
  const limiter::OpenLocks locks = {request, store.traits(), *session.value()};
  limiter::Journal journal(request, locks.traits, Command{}, observer);
  std::uint32_t found = 0;
  bool more = true;
  while (more && outcome.kind == Outcome::Kind::ran) {
    outcome = stop_some(store, locks, wanted, {observer, &journal}, more);
    found += outcome.decision.held;
  }
  outcome.decision.held = found;
  return outcome;
}

}  // namespace atmost
