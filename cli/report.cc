#include "report.h"

#include "core/json_line.h"
#include "core/outcome.h"
#include "core/words.h"
#include "os/host.h"
#include "stopped_words.h"

namespace atmost::cli {
namespace {

const LockSpec& lock_of(const Outcome& outcome, const Invocation& invocation) {
  const Request& request = invocation.request;
  const std::uint32_t index = outcome.kind == Outcome::Kind::refused ? outcome.decision.lock : 0;
  return request.locks[index < request.lock_count ? index : 0];
}

void too_soon_words(Sentence& to, const Decision& decision, const Request& request) {
  if (decision.rate_reached) {
    const Rate& rate = decision.rate;
    to.append_unsigned(rate.count).append(rate.count == 1 ? " run" : " runs");
    to.append(" started within the last ").append(duration_words(rate.window));
    to.append(": come back in ").append(duration_words_up(decision.retry_in));
    if (decision.last_in_future)
      to.append(" (its time lies in the future: has a clock been set back?)");
    return;
  }
  constexpr std::string_view kPoints[] = {"started", "finished", "succeeded"};
  to.append("the last run ").append(kPoints[static_cast<unsigned>(request.elapsed_from)]);
  const Duration interval =
      request.if_elapsed_auto ? decision.limits.if_elapsed : request.if_elapsed;
  if (interval.is_forever()) {
    to.append(" already, and --if-elapsed inf allows one only");
    return;
  }
  to.append(" less than ").append(duration_words(interval)).append(" ago: come back in ");
  to.append(duration_words_up(decision.retry_in));
  if (decision.last_in_future)
    to.append(" (its time lies in the future: has a clock been set back?)");
}

// Other callers may allow more than this one does, so that more than N may be held.
void held_words(Sentence& to, const Decision& decision, const LockSpec& lock,
                std::string_view holders) {
  const std::uint32_t max = decision.limited ? decision.max : lock.max;
  if (decision.writer_inside) {
    to.append("held exclusively").append(holders);
    return;
  }
  const bool alone = lock.mode == Mode::exclusive;
  const std::uint32_t above = !alone && decision.held > max ? decision.held - max : 0;
  if (above >= kCountedAbove) to.append("at least ");
  to.append_unsigned(decision.held);
  if (!alone && above == 0) to.append(" of ").append_unsigned(max);
  to.append((alone || above > 0) && decision.held == 1 ? " slot held" : " slots held");
  if (decision.some_drained) to.append(" or drained");
  to.append(holders);
  if (alone) {
    to.append(", and --exclusive needs all of them free");
  } else if (above > 0) {
    to.append(", ").append_unsigned(max).append(" allowed");
  }
  if (decision.limited && lock.max_given && lock.max > max) to.append(" (the limit of record)");
  if (lock.take > 1) to.append(", ").append_unsigned(lock.take).append(" wanted");
}

void foreign_words(Sentence& to, const Decision& decision) {
  to.append(decision.foreign_whole ? "held whole by " : "locked in part by ");
  if (decision.culprit <= 0) {
    to.append("a process that is not atmost (atmost explain shows what can be seen of it)");
    return;
  }
  char room[256];
  std::string_view name = command_line(decision.culprit, room);
  name = {name.data(), name.find('\0') < name.size() ? name.find('\0') : name.size()};
  name.remove_prefix(name.rfind('/') + 1);
  to.append("process ").append_signed(decision.culprit);
  if (!name.empty()) to.append(" (").append(name).append(")");
  to.append(", which is not atmost");
}

void above_limit_words(Sentence& to, const Decision& decision, const LockSpec& lock) {
  to.append_unsigned(lock.take).append(" slots wanted, and the limit of record is ");
  to.append_unsigned(decision.max);
}

void append_culprit(Sentence& to, const Decision& decision, std::string_view before) {
  if (decision.culprit > 0) to.append(before).append("process ").append_signed(decision.culprit);
}

void busy_words(Sentence& to, const Outcome& outcome, const LockSpec& lock,
                std::string_view holders) {
  const Decision& decision = outcome.decision;
  switch (decision.why) {
    case Why::none:
    case Why::no_slot:
      return held_words(to, decision, lock, holders);
    case Why::above_limit:
      return above_limit_words(to, decision, lock);
    case Why::owed:
      to.append("a slot is free, but owed to those who wait (");
      to.append_unsigned(decision.waiters).push(')');
      return;
    case Why::zero:
      to.append("-n 0 admits nobody");
      return;
    case Why::drained:
      to.append("drained: nobody is admitted until atmost resume");
      return;
    case Why::ancestor:
      to.append("you hold it yourself: this command runs under it already");
      return;
    case Why::taking_over:
      to.append("another process is stopping its holder right now");
      return;
    case Why::joined:
      to.append("a waiter will run once more, for this caller too");
      return;
    case Why::guard:
      to.append("the lock file's guard is not released");
      append_culprit(to, decision, " by ");
      to.append(": is that process stopped?");
      return;
    case Why::immune:
      to.append("its holder is overdue, and may not be stopped: ");
      append_culprit(to, decision, "");
      to.append(decision.culprit > 0 ? "" : "it").append(" has not agreed to it");
      to.append(" (atmost_may_be_killed() of the library)");
      return;
    case Why::queue_full:
      to.append("the queue is full: ").append_unsigned(decision.waiters);
      to.append(decision.waiters == 1 ? " waits already" : " wait already");
      return;
    case Why::superseded:
      to.append("a later waiter has replaced this one");
      return;
    case Why::circle:
      to.append("it would wait for ever, in a circle: ").append(outcome.error.message);
      return;
    case Why::flock:
      to.append("another process holds a flock(2) lock on it (atmost explain shows which)");
      return;
    case Why::foreign:
      return foreign_words(to, decision);
    case Why::survivor:
      to.append("its holder is overdue and could not be stopped");
      append_culprit(to, decision, ": ");
      return;
  }
}

void kept_words(Sentence& to, const KeptPlaceIn& kept, Duration keep) {
  if (kept.place == 0) return;
  to.append("; place ").append_unsigned(kept.place).append(" of ").append_unsigned(kept.all);
  to.append(", kept for ").append(duration_words(keep));
}

std::string_view reason_of(const Outcome& outcome) {
  switch (outcome.kind) {
    case Outcome::Kind::ran:
      if (outcome.too_fast) return "too_fast";
      return outcome.stopped == Stopped::no ? "" : name_of(kStoppedNames, outcome.stopped);
    case Outcome::Kind::refused:
      if (outcome.decision.verdict == Verdict::too_soon) return "too_soon";
      return name_of(kWhyNames, outcome.decision.why);
    case Outcome::Kind::failed:
      break;
  }
  return outcome.error.message;
}

std::string_view kind_of(const Outcome& outcome, const Invocation& invocation) {
  switch (outcome.kind) {
    case Outcome::Kind::ran:
      return invocation.subcommand == kRun ? "ran" : "admitted";
    case Outcome::Kind::refused:
      return outcome.decision.verdict == Verdict::too_soon ? "too_soon" : "busy";
    case Outcome::Kind::failed:
      break;
  }
  return "failed";
}

}  // namespace

int exit_code(const Outcome& outcome, const Invocation& invocation) {
  switch (outcome.kind) {
    case Outcome::Kind::ran:
      return end_code(outcome);
    case Outcome::Kind::refused:
      if (is_accepted(outcome, invocation)) return 0;
      if (outcome.decision.verdict == Verdict::too_soon) return static_cast<int>(Code::too_soon);
      return invocation.busy_exit_code;
    case Outcome::Kind::failed:
      break;
  }
  return outcome.error.code == Code::busy ? invocation.busy_exit_code
                                          : static_cast<int>(outcome.error.code);
}

Sentence sentence_of(const Outcome& outcome, const Invocation& invocation,
                     std::string_view holders) {
  Sentence words;
  const LockSpec& lock = lock_of(outcome, invocation);
  switch (outcome.kind) {
    case Outcome::Kind::ran:
      words.append(lock.name);
      if (outcome.too_fast) {
        too_fast_words(words, outcome, invocation.request);
        break;
      }
      words.append(": the command was stopped");
      why_stopped(words, outcome, invocation.request, scheme_of(invocation).traits);
      break;
    case Outcome::Kind::refused:
      if (outcome.decision.verdict == Verdict::too_soon) {
        words.append("too soon: ").append(lock.name).append(": ");
        too_soon_words(words, outcome.decision, invocation.request);
      } else {
        words.append("busy: ").append(lock.name).append(": ");
        busy_words(words, outcome, lock, holders);
      }
      if (outcome.waited >= Duration::millis(1))
        words.append("; waited ").append(duration_words(outcome.waited));
      kept_words(words, outcome.decision.kept_place, keep_of(invocation.request));
      break;
    case Outcome::Kind::failed:
      if (outcome.error.code == Code::not_found || outcome.error.code == Code::not_executable)
        words.append(lock.name).append(": ");
      words.append(outcome.error.message);
      break;
  }
  return words;
}

void write_outcome(Output& to, const Outcome& outcome, const Invocation& invocation,
                   std::string_view kind) {
  if (kind.empty()) kind = kind_of(outcome, invocation);
  const bool ran = kind == "ran";
  const bool refused = outcome.kind == Outcome::Kind::refused;
  const bool by_signal = outcome.status.signal != 0;
  const std::string_view reason = reason_of(outcome);
  char room[kJsonRoom];
  JsonLine line(room);
  const auto number = [&](std::string_view name, bool known, std::int64_t value) {
    known ? line.signed_number(name, value) : line.null(name);
  };
  const auto seconds = [&](std::string_view name, bool known, Duration span) {
    known ? line.seconds(name, span) : line.null(name);
  };
  line.word("kind", kind);
  number("code", kind != "waiting", exit_code(outcome, invocation));
  line.text("lock", lock_of(outcome, invocation).name);
  number("slot", outcome.slot != 0, outcome.slot);
  number("token", outcome.token != 0, static_cast<std::int64_t>(outcome.token));
  seconds("waited_s", true, outcome.waited);
  seconds("ran_s", ran, outcome.ran);
  number("status", ran && !by_signal, outcome.status.code);
  number("signal", ran && by_signal, outcome.status.signal);
  seconds("retry_in_s", refused, outcome.decision.retry_in);
  number("held", refused, outcome.decision.held);
  reason.empty() ? line.null("reason") : line.text("reason", reason);
  to.text(line.finish());
}

}  // namespace atmost::cli
