#include "takeover_words.h"

#include "core/limiter.h"
#include "core/words.h"
#include "os/clock.h"
#include "os/process.h"
#include "os/self.h"
#include "policy/limits.h"
#include "takeover_run.h"

namespace atmost::limiter {

Error survivors_words(const LockSpec& lock, const std::int64_t* pids, std::uint32_t count) {
  Error left = error_of(Code::busy, 0, lock.name);
  left.message.append(": its old holder has gone, but not all that it had started: process ");
  for (std::uint32_t i = 0; i < count && i < kNamedSurvivors; ++i) {
    os::ProcessLabel label;
    left.message.append(i > 0 ? ", " : "").append_signed(pids[i]);
    if (os::process_label(pids[i], label)) left.message.append(" (").append(label.name).append(")");
  }
  if (count > kNamedSurvivors) {
    left.message.append(" and ").append_unsigned(count - kNamedSurvivors).append(" more");
  }
  return left;
}

Error left_words(std::string_view name, std::int64_t pid, bool refused) {
  Error left = error_of(Code::busy, 0, name);
  left.message.append(name.empty() ? "" : ": ");
  os::ProcessLabel label;
  if (pid == 0) {
    left.message.append("a process that is not visible from here");
  } else {
    left.message.append("process ").append_signed(pid);
    if (os::process_label(pid, label)) {
      left.message.append(" (").append(label.name).append(") of ");
      const os::AccountName owner = os::user_account(label.user);
      owner.empty() ? left.message.append("user ").append_unsigned(label.user)
                    : left.message.append(owner);
    }
  }
  left.message.append(refused ? " may not be signalled from here"
                              : " has not ended, even by SIGKILL");
  left.message.append(", so the slot stays held until it ends");
  if (refused) {
    left.message.append(": its user or root can end it (kill ").append_signed(pid).push(')');
  } else if (pid != 0) {
    left.message.append(": look at it (ps -o stat,wchan ").append_signed(pid).push(')');
  }
  return left;
}

Error unproven_words(const LockSpec& lock, std::uint32_t slot, const SignalResult& found) {
  Error error = error_of(Code::not_permitted, 0, lock.name);
  if (found.read_locked) {
    error.message.append(": slot ").append_unsigned(slot).append(" is not held: ");
    if (found.pid > 0) {
      error.message.append("process ").append_signed(found.pid);
    } else {
      error.message.append("an unknown process (atmost explain shows which)");
    }
    error.message.append(
        " has a read lock on it, as any reader of the file can, and is not stopped");
    return error;
  }
  error.message.append(": the holder of slot ").append_unsigned(slot);
  if (found.pid > 0) error.message.append(" (process ").append_signed(found.pid).append(")");
  error.message.push(' ');
  error.message.append(
      found.ancestor ? "is this process or an ancestor of it, which is never stopped"
      : found.handed_over
          ? "cannot be proven: others may write the lock file and may have handed it the "
            "descriptor, so it is not stopped; its user or the administrator can end it"
          : "cannot be proven from here (another user or pid namespace, or a build without /proc), "
            "so it is not stopped; stop it there, or run this as its user");
  return error;
}

// The reports of a takeover: to the log, to the observer, and to the statistics.

// Records in the log whether the last signal to the victim worked.
void TakeoverRun::settle(std::uint32_t index) {
  Victim& victim = victims_[index];
  if (victim.signal == 0) return;
  const SentSignal signalled = {victim.signal, !victim.held, victim.sent};
  victim.signal = 0;
  if (!victim.held) report_stopped(index);
  if (log_ == nullptr) return;
  log_->signalled(decision_.lock, decision_.victims[index], victim.holder, signalled);
}

// Once for each signal.
void TakeoverRun::report_refusal(std::uint32_t index, std::int64_t pid, int signal) {
  Victim& victim = victims_[index];
  victim.refused = pid;
  if (pid == 0 || signal == victim.refused_signal) return;
  victim.refused_signal = signal;
  if (log_ == nullptr) return;
  log_->unreached(decision_.lock, decision_.victims[index], victim.holder, signal, pid);
}

void TakeoverRun::report_stopped(std::uint32_t index) {
  if (observer_ == nullptr) return;
  const Victim& victim = victims_[index];
  StoppedHolder holder;
  holder.slot = decision_.victims[index];
  holder.who = {victim.holder.pid, victim.host};
  holder.id = victim.id;
  holder.command = victim.command;
  holder.held = victim.holder.age;
  holder.reason = why_.reason;
  holder.limit = why_.due;
  holder.learned = why_.learned;
  holder.last = victim.last;
  holder.noted = victim.noted;
  observer_->holder_stopped(request_.locks[decision_.lock], holder);
}

bool TakeoverRun::shares_hold_with_earlier(std::uint32_t index) const {
  for (std::uint32_t i = 0; i < index; ++i) {
    if (decision_.holds[i] != 0 && decision_.holds[i] == decision_.holds[index]) return true;
  }
  return false;
}

// Warns of processes that the victims left behind. A supervised tree leaves none; other holders
// may.
void TakeoverRun::name_survivors() {
  if (observer_ == nullptr || stops_.count == 0) return;
  constexpr int kLooks = 6;  // processes that end with their parent may take a moment
  std::uint64_t tokens[kMaxVictims];
  for (std::uint32_t i = 0; i < decision_.victim_count; ++i) tokens[i] = victims_[i].holder.token;
  std::int64_t pids[kNamedSurvivors];
  std::uint32_t count = 0;
  for (int look = 0; look < kLooks; ++look) {
    if (look > 0) os::sleep_until(plus(os::boot_ns(), {kLookNs}));
    count = stops_.of[0]->survivors({tokens, decision_.victim_count}, pids);
    if (count == 0) return;
  }
  observer_->warning(survivors_words(request_.locks[decision_.lock], pids, count));
}

// A run that was stopped for its age would have taken longer. A run that was stopped for another
// reason teaches nothing.
void TakeoverRun::learn_ages() {
  if (why_.due.is_zero() || request_.no_learn) return;
  for (std::uint32_t i = 0; i < decision_.victim_count; ++i) {
    const Duration age = victims_[i].holder.age;
    if (shares_hold_with_earlier(i) || age.is_forever()) continue;
    RunSample what;
    what.kind = RunSample::Kind::stopped;
    what.ran = age;
    what.started_real_ns = moment(request_).real_ns - age.ns;
    locks_.session.learn(decision_.lock, policy::remember, what);
  }
}

}  // namespace atmost::limiter

namespace atmost {
namespace {

// The time that it had held, if that and the limit differ in whole units.
Text<32> held_words(const StoppedHolder& holder) {
  if (holder.held.is_forever()) return {};
  const Text<32> held = duration_words(holder.held);
  const bool limited = holder.reason == StopReason::overdue && !holder.limit.is_zero();
  if (limited && held.view() == duration_words(holder.limit).view()) return {};
  return held;
}

void append_reason(Text<700>& to, const LockSpec& lock, const StoppedHolder& holder) {
  switch (holder.reason) {
    case StopReason::replace:
      to.append(", as --on-busy=replace says");
      return;
    case StopReason::kill:
      to.append(", by atmost kill");
      return;
    case StopReason::idle:
      to.append(", idle for longer than --expire-idle");
      return;
    case StopReason::unsupervised:
      to.append(", as its --max-runtime is over and its supervisor was killed");
      return;
    case StopReason::overdue:
      break;
  }
  if (holder.limit.is_zero()) {
    to.append(", as --expire-after 0 says");
    return;
  }
  const bool bounded = holder.learned != nullptr && holder.learned->too_few != 0;
  to.append(held_words(holder).empty() ? " for" : ",").append(" longer than ");
  to.append(duration_words(holder.limit));
  to.append(bounded ? " (--auto-max" : " (--expire-after");
  if (holder.learned != nullptr) {
    to.append(bounded ? "" : " auto").append(learned_words(*holder.learned, lock.name));
  }
  to.push(')');
}

void append_end(Text<700>& to, const StoppedHolder& holder) {
  constexpr std::string_view kSignals[] = {"", "", "INT", "TERM", "KILL"};
  if (!holder.noted) {
    to.append(": it ended by SIG").append(kSignals[static_cast<unsigned>(holder.last)]);
  } else {
    to.append(holder.last == SignalStep::kill ? ": its lease ended"
                                              : ": it released the lock when asked to");
  }
}

}  // namespace

Text<700> stopped_words(const LockSpec& lock, const StoppedHolder& holder) {
  // A holder that gave the lock up when asked to may run on, as one with on_lost does.
  const bool gave_up = holder.noted && holder.last != SignalStep::kill;
  Text<700> words(gave_up ? "ended the hold of " : "stopped ");
  if (holder.who.pid > 0) {
    words.append("process ").append_signed(holder.who.pid);
  } else {
    words.append("a process not visible from here");
  }
  if (!holder.who.host.empty()) words.append(" on ").append(holder.who.host);
  if (!holder.command.empty() || !holder.id.empty()) {
    words.append(" (").append(holder.command);
    if (!holder.id.empty()) {
      words.append(holder.command.empty() ? "\"" : " \"").append(holder.id).push('"');
    }
    words.push(')');
  }
  words.append(", which had held slot ").append_unsigned(holder.slot);
  const Text<32> held = held_words(holder);
  if (!held.empty()) words.append(" for ").append(held);
  append_reason(words, lock, holder);
  append_end(words, holder);
  return words;
}

}  // namespace atmost
