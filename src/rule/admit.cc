#include "admit.h"

namespace atmost::rule {
namespace {

constexpr int kMostLooks = 32;

// The rule has not judged it.
Decision refused(const Looked::Refusal& refusal) {
  Decision busy;
  busy.why = refusal.why;
  busy.lock = refusal.lock;
  busy.foreign_whole = refusal.foreign_whole;
  busy.culprit = refusal.culprit;
  return busy;
}

}  // namespace

Result<Decision> admit(Section& session, const Request& request, DecideFn decide, MomentFn moment,
                       Ticket* queue, Lease& lease) {
  Result<Decision> answer(std::in_place);
  for (int looks = 0; looks < kMostLooks; ++looks) {
    Looked seen;
    Status done = session.look(moment, queue, seen);
    if (!done.ok()) return done.error();
    if (seen.refusal.why != Why::none) return refused(seen.refusal);
    Plan plan(answer.value());
    judge(seen.locks, {&request, queue, seen.turns_boot_ns}, decide, seen.now, plan);
    Applied applied;
    done = session.apply(plan, seen.now, queue, applied);
    for (Facts* const lock : seen.locks) lock->clear_error();
    if (!done.ok()) return done.error();
    if (applied.changed) continue;
    if (plan.admits()) lease = Lease(applied.hold);
    return answer;
  }
  Looked::Refusal always_changed;
  always_changed.why = Why::guard;
  return refused(always_changed);
}

}  // namespace atmost::rule
