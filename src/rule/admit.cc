#include "judge.h"

namespace atmost::rule {

Result<Decision> admit(Session& session, const Request& request, Attempt attempt, Lease& lease,
                       Section* section) {
  if (section == nullptr) section = &session;
  Result<Decision> answer(std::in_place);
  for (bool over = false; !over; ++attempt.looks) {
    Looked seen(answer.value());
    Status done = section->look(attempt, seen);
    if (!done.ok()) return done.error();
    Applied applied;
    applied.held = seen.held;
    if (!seen.answered) {
      Plan plan(answer.value());
      judge(seen.locks, {&request, attempt.queue, seen.turns_boot_ns}, attempt.decide, seen.now,
            plan);
      done = section->apply(plan, seen.now, attempt.queue, applied);
      for (Facts* const lock : seen.locks) lock->clear_error();
      if (!done.ok()) return done.error();
    }
    over = !applied.changed;
    if (over && answer.value().verdict == Verdict::admit) lease = Lease(session, applied.held);
  }
  return answer;
}

}  // namespace atmost::rule
