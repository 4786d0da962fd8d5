// Questions that take no lock: is a slot free, and what would auto choose?
#include "admission.h"
#include "core/limiter.h"
#include "environment.h"
#include "policy/decide.h"
#include "policy/limits.h"

namespace atmost {
namespace {

Outcome ask(Store& store, const Request& request, Observer* observer) {
  Outcome outcome;
  // A lock that was never used admits all callers but those with N = 0; checking it must not create
  // it.
  if (request.lock_count == 1 && limiter::untouched(store.traits(), request.locks[0])) {
    outcome.kind = request.locks[0].max == 0 ? Outcome::Kind::refused : Outcome::Kind::ran;
    outcome.decision.why = request.locks[0].max == 0 ? Why::zero : Why::none;
    return outcome;
  }
  Result<Owned<Session>> session = store.open(request);
  if (!session.ok()) {
    outcome.error = session.error();
    return outcome;
  }
  Lease lease;
  outcome = limiter::admit({request, store.traits(), *session.value()}, limiter::would_admit,
                           observer, lease, {.store = &store});
  if (outcome.kind == Outcome::Kind::refused && limiter::is_yes(outcome.decision))
    outcome.kind = Outcome::Kind::ran;
  return outcome;
}

}  // namespace

Result<LastSuccess> last_success(Store& store, const Request& request) {
  if (limiter::untouched(store.traits(), request.locks[0])) return LastSuccess{};
  Result<Owned<Session>> session = store.open(request);
  if (!session.ok()) return session.error();
  Lease lease;
  const Outcome outcome = limiter::admit({request, store.traits(), *session.value()},
                                         policy::since_success, nullptr, lease, {.at_once = true});
  if (outcome.kind == Outcome::Kind::failed) return outcome.error;
  if (outcome.decision.why != Why::none) {
    Error unknown = error_of(Code::busy, 0, request.locks[0].name);
    unknown.message.append(
        ": its file cannot be read now, as another process has locked it ("
        "atmost explain shows which)");
    return unknown;
  }
  return LastSuccess{outcome.decision.retry_in, outcome.decision.last_in_future};
}

Outcome probe(Store& store, const Request& request) { return ask(store, request, nullptr); }

Outcome wait_for_room(Store& store, const Request& request, Observer* observer) {
  return ask(store, request, observer);
}

Result<Tuning> tune(Store& store, const Request& request) {
  LockStats lock{};
  DirectoryStats directory{};
  const Result<StatsKept> kept = store.recall(request, lock, directory);
  if (!kept.ok()) return kept.error();
  Tuning tuning = policy::tuning_of(lock, directory, request.learned);
  tuning.kept = kept.value();
  return tuning;
}

}  // namespace atmost
