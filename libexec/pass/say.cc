#include "say.h"

#include "core/words.h"
#include "history/log.h"
#include "json/json.h"
#include "os/host.h"

namespace atmost::pass {
namespace {

std::string duration(Duration span) { return std::string(duration_words(span).view()); }
std::string seconds(Duration span) { return std::string(duration_seconds(span).view()); }

std::string signal_name(int number) {
  const std::string name(history::signal_name(number).view());
  return name[0] >= '0' && name[0] <= '9' ? "signal " + name : "SIG" + name;
}

std::string busy_words(const Atom& atom, const Decision& decision) {
  const std::string culprit =
      decision.culprit != 0 ? " (process " + std::to_string(decision.culprit) + ")" : "";
  switch (decision.why) {
    case Why::zero:
      return "busy: its max is 0";
    case Why::drained:
      return "busy: drained, until atmost resume";
    case Why::ancestor:
      return "busy: this pass runs below it";
    case Why::circle:
      return "busy: it would wait for itself, in a circle with others";
    case Why::taking_over:
      return "busy: another is taking it over";
    case Why::owed:
      return "busy: others wait for it";
    case Why::guard:
      return "busy: its lock file is kept by a process that does not go on" + culprit;
    case Why::foreign:
      return "busy: another program has locked its file" + culprit;
    case Why::immune:
      return "busy: overdue, and its program has not agreed to be stopped" + culprit;
    case Why::survivor:
      return "busy: overdue, and its process could not be stopped" + culprit;
    default:
      return "busy: " + std::to_string(decision.held) + " of " +
             std::to_string(decision.limited ? decision.max : atom.max) + " run";
  }
}

std::string refused_words(const Atom& atom, const Decision& decision) {
  switch (decision.verdict) {
    case Verdict::too_soon:
      if (decision.retry_in.is_forever()) return "too soon: it ran, and runs once only";
      return "too soon: not before " + std::string(duration_words_up(decision.retry_in).view());
    case Verdict::take_over:
      return "busy: an overdue one is in its place";
    default:
      return busy_words(atom, decision);
  }
}

std::string ran_words(const Outcome& outcome) {
  std::string words = "ran " + duration(outcome.ran) + ", ";
  if (outcome.stopped == Stopped::max_runtime)
    return words + "stopped: longer than its max_runtime";
  if (outcome.stopped == Stopped::idle) return words + "stopped: idle for its max_idle";
  if (outcome.stopped == Stopped::lost) return words + "stopped: its lock was lost";
  const bool known = outcome.stopped_by != 0;
  const std::string by =
      known ? " (process " + std::to_string(outcome.stopped_by) + ")" : std::string();
  if (outcome.stopped == Stopped::taken_over)
    return words + "stopped: its lock was taken over" + by;
  if (outcome.stopped == Stopped::killed) return words + "stopped by atmost kill" + by;
  if (outcome.status.signal != 0) return words + "ended by " + signal_name(outcome.status.signal);
  if (outcome.too_fast) {
    return words + "too fast: its min_runtime is " + duration(outcome.decision.limits.min_runtime);
  }
  return words + "exited with " + std::to_string(outcome.status.code);
}

int code_of(const Outcome& outcome) {
  if (outcome.kind == Outcome::Kind::failed) return static_cast<int>(outcome.error.code);
  if (outcome.kind == Outcome::Kind::refused) {
    return static_cast<int>(outcome.decision.verdict == Verdict::too_soon ? Code::too_soon
                                                                          : Code::busy);
  }
  if (outcome.stopped == Stopped::max_runtime || outcome.stopped == Stopped::idle)
    return static_cast<int>(Code::timed_out);
  if (outcome.stopped != Stopped::no) return static_cast<int>(Code::lost);
  if (outcome.too_fast) return kTooFastCode;
  return outcome.status.signal != 0 ? 128 + outcome.status.signal : outcome.status.code;
}

const char* kind_of(const AtomResult& result, bool dry) {
  if (result.kind == AtomResult::Kind::not_due) return "not_due";
  if (result.kind == AtomResult::Kind::repeated) return "too_soon";
  switch (result.outcome.kind) {
    case Outcome::Kind::ran:
      return !dry                                        ? "ran"
             : result.outcome.decision.victim_count == 0 ? "would_run"
                                                         : "would_take_over";
    case Outcome::Kind::failed:
      return "failed";
    default:
      break;
  }
  return result.outcome.decision.verdict == Verdict::too_soon ? "too_soon" : "busy";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  char buffer[1024];
  while (!text.empty()) {
    const std::size_t piece = whole_characters(text, 256);
    safe.append(buffer, escape(text.substr(0, piece), buffer, sizeof buffer));
    text.remove_prefix(piece);
  }
  return safe;
}

void put(int fd, std::string_view text) { (void)write_text(fd, text); }

void complain(std::string_view words) { put(2, "atmost pass: " + escaped(words) + "\n"); }

void complain_at(const std::string& file, const Remark& remark) {
  if (remark.at.line == 0) return complain(file + ": " + remark.words);
  const std::string line =
      escaped(file) + ":" + std::to_string(remark.at.line) + ":" + std::to_string(remark.at.column);
  put(2, line + ": " + escaped(remark.words) + "\n");
}

void Narrator::warning(const Error& about) {
  complain(name_ + ": " + std::string(about.message.view()));
}

void Narrator::stopping_holder(const LockSpec&, std::uint32_t, const HolderName& who,
                               SignalStep pressure) {
  if (quiet_ || !os::is_terminal(2)) return;
  constexpr const char* kSignals[] = {"nothing", "nothing", "INT", "TERM", "KILL"};
  complain(name_ + ": overdue: sending " + kSignals[static_cast<unsigned>(pressure)] +
           " to process " + std::to_string(who.pid) +
           (who.host.empty() ? "" : " on " + std::string(who.host)));
}

void Narrator::holder_stopped(const LockSpec& lock, const StoppedHolder& holder) {
  if (!quiet_) complain(name_ + ": " + std::string(stopped_words(lock, holder).view()));
}

AtomResult failed_result(const Error& error) {
  AtomResult result;
  result.outcome.error = error;
  return result;
}

bool needs_attention(const Outcome& outcome) {
  switch (outcome.kind) {
    case Outcome::Kind::failed:
      return true;
    case Outcome::Kind::refused:
      return outcome.decision.why == Why::survivor || outcome.decision.why == Why::immune ||
             outcome.decision.why == Why::guard || outcome.decision.why == Why::foreign;
    case Outcome::Kind::ran:
      break;
  }
  return !outcome.status.success() || outcome.stopped != Stopped::no || outcome.too_fast;
}

std::string words_of(const Atom& atom, const AtomResult& result, bool dry) {
  if (result.kind == AtomResult::Kind::not_due) return "not due: " + atom.when + " does not hold";
  if (result.kind == AtomResult::Kind::repeated)
    return "too soon: this hour comes twice today, and it ran in the first";
  const Outcome& outcome = result.outcome;
  switch (outcome.kind) {
    case Outcome::Kind::ran:
      if (!dry) return ran_words(outcome);
      return outcome.decision.victim_count == 0 ? "would run"
                                                : "would run, after stopping an overdue one";
    case Outcome::Kind::refused:
      return refused_words(atom, outcome.decision);
    case Outcome::Kind::failed:
      break;
  }
  return std::string(outcome.error.message.view());
}

std::string json_of(const Atom& atom, const AtomResult& result, bool dry) {
  const bool answered = result.kind == AtomResult::Kind::answered;
  const Outcome& outcome = result.outcome;
  const bool ran = answered && outcome.kind == Outcome::Kind::ran && !dry;
  const bool refused = answered && outcome.kind == Outcome::Kind::refused;
  json::Object to;
  to.text("kind", kind_of(result, dry)).text("lock", atom.name());
  to.raw("code", ran || refused || (answered && !dry) ? std::to_string(code_of(outcome)) : "null");
  to.raw("ran_s", ran ? seconds(outcome.ran) : "null");
  to.raw("retry_in_s", refused ? seconds(outcome.decision.retry_in) : "null");
  to.raw("held", refused ? std::to_string(outcome.decision.held) : "null");
  return to.text("reason", words_of(atom, result, dry)).str() + "\n";
}

}  // namespace atmost::pass
