// The lines that are printed while a command waits, runs and ends, and their destinations.
#include "core/json_line.h"
#include "core/words.h"
#include "os/terminal.h"
#include "report.h"

namespace atmost::cli {
namespace {

bool has_line(const Outcome& outcome, const Invocation& invocation) {
  switch (outcome.kind) {
    case Outcome::Kind::ran:
      if (outcome.stopped == Stopped::taken_over || outcome.stopped == Stopped::killed)
        return !invocation.quiet || invocation.verbose;
      return outcome.stopped != Stopped::no || outcome.too_fast;
    case Outcome::Kind::refused:
      return invocation.verbose || (!invocation.quiet && !is_accepted(outcome, invocation));
    case Outcome::Kind::failed:
      break;
  }
  return true;
}

std::string_view signal_of(SignalStep pressure) {
  constexpr std::string_view kSignals[] = {"", "", "INT", "TERM", "KILL"};
  return kSignals[static_cast<unsigned>(pressure)];
}

void say(const LockSpec& lock, std::string_view what) {
  Output to(2);
  to.text("atmost: ").escaped(lock.name).text(": ").escaped(what).text("\n");
  to.flush();
}

void say_ended(const Outcome& outcome, const Invocation& invocation) {
  Text<200> words("the command ");
  if (outcome.status.signal != 0) {
    words.append("was ended by signal ").append_signed(outcome.status.signal);
  } else {
    words.append("exited with ").append_signed(outcome.status.code);
  }
  words.append(" after ").append(duration_words(outcome.ran));
  say(invocation.request.locks[0], words);
}

}  // namespace

bool is_accepted(const Outcome& outcome, const Invocation& invocation) {
  if (outcome.kind != Outcome::Kind::refused) return false;
  if (outcome.silenced) return true;
  const Request& request = invocation.request;
  if (outcome.decision.verdict == Verdict::too_soon) return request.on_too_soon == OnTooSoon::skip;
  const Why why = outcome.decision.why;
  return request.on_busy == OnBusy::skip || why == Why::joined || why == Why::superseded;
}

void report(const Outcome& outcome, const Invocation& invocation, int json_fd) {
  // check and wait answer on standard output: there every answer is an object.
  const bool answers = invocation.json && invocation.subcommand != kRun;
  const bool line = has_line(outcome, invocation) || answers;
  const bool ended =
      outcome.kind == Outcome::Kind::ran && invocation.subcommand == kRun && invocation.verbose;
  if (invocation.json) {
    if (!line && !ended) return;
    Output to(json_fd);
    write_outcome(to, outcome, invocation, {});
    to.flush();
    return;
  }
  if (line) {
    Text<400> holders;
    if (outcome.kind == Outcome::Kind::refused && outcome.decision.why == Why::no_slot) {
      const LockSpec& lock = invocation.request.locks[outcome.decision.lock];
      holders = holders_of(*invocation.locks, lock, outcome.decision.held);
    }
    complain(sentence_of(outcome, invocation, holders));
  }
  if (ended) say_ended(outcome, invocation);
}

void report_status(const Outcome& outcome, const Invocation& invocation, std::string_view kind) {
  if (invocation.status_fd < 0) return;
  Output to(invocation.status_fd);
  write_outcome(to, outcome, invocation, kind);
  const Status written = to.finish();
  if (written.ok()) return;
  // The exit code is still the command's.
  Text<300> words("--status-fd: ");
  complain(words.append(written.error().message));
}

int fail(const Error& error, const Invocation& invocation, int json_fd) {
  Outcome outcome;
  outcome.error = error;
  report(outcome, invocation, json_fd);
  report_status(outcome, invocation, {});
  return exit_code(outcome, invocation);
}

void Narrator::waiting(const Decision& why) {
  if (!invocation_.verbose) return;
  Outcome so_far;
  so_far.kind = Outcome::Kind::refused;
  so_far.decision = why;
  if (invocation_.json) {
    Output to(2);
    write_outcome(to, so_far, invocation_, "waiting");
    to.flush();
    return;
  }
  Sentence words("waiting: ");
  complain(words.append(sentence_of(so_far, invocation_, {})));
}

void Narrator::admitted(const Lease& lease, Duration waited) {
  line_.remove();
  // With --exec no process of ours sees the end, so this is the last line.
  const bool last_word = invocation_.request.exec && invocation_.status_fd >= 0;
  if (!invocation_.verbose && !last_word) return;
  Outcome so_far;
  so_far.kind = Outcome::Kind::ran;
  so_far.waited = waited;
  so_far.slot = lease.lock(0).slots[0];
  so_far.token = lease.lock(0).token;
  if (last_word) report_status(so_far, invocation_, "admitted");
  if (!invocation_.verbose) return;
  if (invocation_.json) {
    Output to(2);
    write_outcome(to, so_far, invocation_, "admitted");
    to.flush();
    return;
  }
  Text<200> words("admitted to slot ");
  words.append_unsigned(so_far.slot).append(", token ").append_unsigned(so_far.token);
  if (waited >= Duration::millis(1))
    words.append(", after waiting ").append(duration_words(waited));
  say(invocation_.request.locks[0], words);
}

void Narrator::stopping_holder(const LockSpec& lock, std::uint32_t slot, const HolderName& who,
                               SignalStep pressure) {
  line_.remove();
  // One line for each signal with -v; holder_stopped() reports the end without it.
  const bool heard = invocation_.verbose || invocation_.json || os::is_terminal(2);
  if (invocation_.quiet || !heard) return;
  const std::string_view signal = signal_of(pressure);
  if (invocation_.json) {
    char room[kJsonRoom];
    JsonLine line(room);
    line.word("kind", "stopping").text("lock", lock.name).number("slot", slot);
    line.signed_number("pid", who.pid);
    if (!who.host.empty()) line.text("host", who.host);
    Output to(2);
    to.text(line.word("signal", signal).finish()).flush();
    return;
  }
  Text<300> words("stopping its holder in slot ");
  words.append_unsigned(slot).append(", process ").append_signed(who.pid);
  if (!who.host.empty()) words.append(" on ").append(who.host);
  words.append(", with SIG").append(signal);
  say(lock, words);
}

// Written even without a terminal, so that cron mails that a job was stopped.
void Narrator::holder_stopped(const LockSpec& lock, const StoppedHolder& holder) {
  line_.remove();
  if (invocation_.quiet) return;
  if (!invocation_.json) return say(lock, stopped_words(lock, holder));
  constexpr std::string_view kReasons[] = {"overdue", "replace", "kill", "idle", "unsupervised"};
  char room[kJsonRoom];
  JsonLine line(room);
  line.word("kind", "stopped_holder").text("lock", lock.name);
  line.number("slot", holder.slot).signed_number("pid", holder.who.pid);
  if (!holder.who.host.empty()) line.text("host", holder.who.host);
  line.text("command", holder.command).text("id", holder.id).seconds("held_s", holder.held);
  line.word("why", kReasons[static_cast<unsigned>(holder.reason)]);
  if (holder.reason == StopReason::overdue) line.seconds("limit_s", holder.limit);
  Output to(2);
  to.text(line.word("signal", signal_of(holder.last)).finish()).flush();
}

void Narrator::warning(const Error& about) {
  line_.remove();
  Text<800> words("warning: ");
  complain(words.append(about.message));
}

}  // namespace atmost::cli
