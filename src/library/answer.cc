#include "answer.h"

#include "atmost/atmost.h"
#include "core/outcome.h"
#include "core/words.h"

namespace atmost::limiter {
namespace {

thread_local LibraryAnswer answer;

constexpr double kNsPerSecond = 1e9;

void add_culprit(std::int64_t pid, std::string_view before, std::string_view after) {
  if (pid <= 0) return;
  answer.message.append(before).append("process ").append_signed(pid).append(after);
}

void too_soon_words(const Decision& decision) {
  answer.message.append(": too soon: ");
  if (decision.retry_in.is_forever()) {
    answer.message.append("it was admitted before, and if_elapsed inf allows that once only");
    return;
  }
  answer.message.append("come back in ").append(duration_words_up(decision.retry_in));
}

void busy_words(const Decision& decision, const LockSpec& lock) {
  Text<1500>& to = answer.message;
  to.append(": busy: ");
  switch (decision.why) {
    case Why::immune:
      to.append("its holder is overdue, and may not be stopped: ");
      add_culprit(decision.culprit, "", " ");
      to.append("has not agreed to it (atmost_may_be_killed)");
      return;
    case Why::survivor:
      to.append("its holder is overdue, and could not be stopped");
      add_culprit(decision.culprit, ": ", "");
      return;
    case Why::guard:
      to.append("the lock file's guard is not released");
      add_culprit(decision.culprit, " by ", ": is that process stopped?");
      return;
    case Why::taking_over:
      to.append("another process is stopping its holder right now");
      return;
    case Why::drained:
      to.append("drained: nobody is admitted until atmost resume");
      return;
    case Why::ancestor:
      to.append("it would wait for itself: this thread, or what runs this program, holds it");
      return;
    case Why::foreign:
      to.append("another program has locked its file");
      add_culprit(decision.culprit, ": ", ", which is not atmost");
      return;
    case Why::owed:
      to.append("a slot is free, but owed to those who wait");
      return;
    case Why::above_limit:
      to.append_unsigned(lock.take).append(" slots wanted, and the limit of record is ");
      to.append_unsigned(decision.max);
      return;
    default:
      to.append_unsigned(decision.held)
          .append(" of ")
          .append_unsigned(decision.limited ? decision.max : lock.max)
          .append(" slots held");
      return;
  }
}

}  // namespace

const LibraryAnswer& last_answer() { return answer; }

int answer_error(const Error& error) {
  answer.message.clear();
  append_escaped(answer.message, error.message);
  answer.retry_in = 0;
  answer.why = "";
  return static_cast<int>(error.code);
}

int answer_misuse(std::string_view what) { return answer_error(error_of(Code::usage, 0, what)); }

int answer_refusal(const Outcome& outcome, const Request& request) {
  if (outcome.kind == Outcome::Kind::failed) return answer_error(outcome.error);
  const Decision& decision = outcome.decision;
  answer.message.clear();
  append_escaped(answer.message, request.locks[decision.lock].name);
  answer.retry_in = decision.retry_in.is_forever()
                        ? __builtin_inf()
                        : static_cast<double>(decision.retry_in.ns) / kNsPerSecond;
  if (decision.verdict == Verdict::too_soon) {
    answer.why = "too_soon";
    too_soon_words(decision);
    return ATMOST_TOO_SOON;
  }
  answer.why = name_of(kWhyNames, decision.why).data();  // literals end in NUL
  busy_words(decision, request.locks[decision.lock]);
  return ATMOST_BUSY;
}

}  // namespace atmost::limiter
