// The message about a holder that was stopped.
#include "core/limiter.h"
#include "core/words.h"

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
