#include "stopped_words.h"

#include "core/words.h"

namespace atmost::cli {
namespace {

// The limit itself; the run time of the command, which includes the graces, is another number.
void past_limit(Sentence& to, const Outcome& outcome, const Request& request) {
  constexpr Duration kNoGrace = Duration::millis(100);
  const Limits& limits = outcome.decision.limits;
  const bool automatic = request.max_runtime_auto;
  const Duration limit = automatic ? limits.max_runtime : request.max_runtime;
  const Text<32> words = duration_words(limit);
  const Text<32> ran = duration_words(outcome.ran);
  to.append(" after ").append(words);
  if (outcome.ran.ns - limit.ns >= kNoGrace.ns && ran.view() != words.view())
    to.append(" (it ended after ").append(ran).push(')');
  to.append(", as ");
  to.append(!automatic            ? "--max-runtime"
            : limits.too_few != 0 ? "--auto-max"
                                  : "--max-runtime auto");
  to.append(" says");
  if (automatic) to.append(learned_words(limits, request.locks[0].name));
}

}  // namespace

void why_stopped(Sentence& to, const Outcome& outcome, const Request& request,
                 const StoreTraits& traits) {
  const Limits& limits = outcome.decision.limits;
  if (outcome.stopped == Stopped::max_runtime) return past_limit(to, outcome, request);
  to.append(" after ").append(duration_words(outcome.ran));
  if (outcome.stopped == Stopped::lost) {
    to.append(": the lock was lost");
  } else if (outcome.stopped == Stopped::idle) {
    to.append(": idle for ").append(duration_words(limits.max_idle));
    to.append(request.max_idle_auto ? " (--max-idle auto)" : " (--max-idle)");
    if (request.max_idle_auto) to.append(learned_words(limits, request.locks[0].name));
  } else if (outcome.stopped == Stopped::caller_gone) {
    to.append(": the process that --die-with names has ended");
  } else {
    const bool fleet = traits.leased;
    to.append(outcome.stopped == Stopped::killed ? ": killed by atmost kill" : ": taken over");
    if (fleet) to.append(", or stopped by atmost kill");
    if (outcome.stopped_by == 0) return;
    to.append(outcome.stopped == Stopped::killed ? ", process " : " by process ");
    to.append_signed(outcome.stopped_by);
  }
}

void too_fast_words(Sentence& to, const Outcome& outcome, const Request& request) {
  to.append(": the command was successful after ").append(duration_words(outcome.ran));
  to.append(" only, and counts as failed: --min-runtime ");
  to.append(request.min_runtime_auto ? "auto is " : "is ");
  to.append(duration_words(outcome.decision.limits.min_runtime));
}

}  // namespace atmost::cli
