// atmost kill: stopping holders without wanting their place.
#include "admission.h"
#include "core/limiter.h"
#include "journal.h"
#include "os/clock.h"
#include "policy/decide.h"
#include "stores.h"
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
    if (wanted_.slot != 0 && holder.slot != wanted_.slot) return;
    const std::int64_t age = policy::holder_age_ns(holder, now_);
    if (wanted_.overdue && (holder.expire_after.is_forever() || age < holder.expire_after.ns))
      return;
    if (decision.victim_count == kMaxVictims) return;
    pids[decision.victim_count] = holder.pid;
    hosts[decision.victim_count] = holder.host;
    decision.holds[decision.victim_count] = holder.hold;
    decision.victims[decision.victim_count++] = holder.slot;
  }

  Decision decision;
  std::int64_t pids[kMaxVictims] = {};
  Text<63> hosts[kMaxVictims];

 private:
  const Victims& wanted_;
  const Instant& now_;
};

Outcome failed(const Error& error) {
  Outcome outcome;
  outcome.error = error;
  return outcome;
}

// One batch of at most kMaxVictims. `more`: there may be others left.
Outcome stop_some(Store& store, const Request& request, const Victims& wanted, Observer* observer,
                  limiter::TakeoverLog& log, bool& more) {
  const Instant now = limiter::moment(request);
  Picker picker(wanted, now);
  const Result<std::uint32_t> seen = store.inspect(request.locks[0], now, &picker);
  if (!seen.ok()) return failed(seen.error());
  more = picker.decision.victim_count == kMaxVictims && !wanted.dry_run;
  Outcome outcome;
  outcome.kind = Outcome::Kind::ran;
  if (wanted.dry_run) {
    for (std::uint32_t i = 0; observer != nullptr && i < picker.decision.victim_count; ++i) {
      observer->stopping_holder(request.locks[0], picker.decision.victims[i],
                                {picker.pids[i], picker.hosts[i]}, SignalStep::none);
    }
    return outcome;
  }
  Result<limiter::Takeover> stopped =
      limiter::take_over(store, request, {StopReason::kill}, picker.decision, observer, &log);
  limiter::end_takeover(store, picker.decision);
  if (!stopped.ok()) return failed(stopped.error());
  if (stopped.value() == limiter::Takeover::freed) return outcome;
  more = false;
  outcome.kind = Outcome::Kind::refused;
  outcome.decision = picker.decision;
  outcome.decision.verdict = Verdict::busy;
  outcome.decision.why = stopped.value() == limiter::Takeover::taken    ? Why::taking_over
                         : stopped.value() == limiter::Takeover::immune ? Why::immune
                                                                        : Why::survivor;
  return outcome;
}

}  // namespace

Outcome stop_holders(const Request& request, const Victims& wanted, Observer* observer) {
  Outcome outcome;
  outcome.kind = Outcome::Kind::ran;
  Store& store = limiter::store_for(request.locks[0]);
  if (limiter::untouched(request.locks[0])) return outcome;
  // Opens the lock and asks for nothing: pressing needs an attempt before it.
  Lease none;
  const Result<Decision> opened =
      store.attempt(request, limiter::would_admit, limiter::moment(request), nullptr, none);
  if (!opened.ok()) return failed(opened.error());
  limiter::Journal journal(request, Command{}, observer);
  bool more = true;
  while (more && outcome.kind == Outcome::Kind::ran) {
    outcome = stop_some(store, request, wanted, observer, journal, more);
  }
  limiter::close_stores();
  return outcome;
}

}  // namespace atmost
