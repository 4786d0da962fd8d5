// atmost kill
#include "core/limiter.h"
#include "output.h"
#include "report.h"
#include "subcommands.h"
#include "unknown_lock.h"

namespace atmost::cli {
namespace {

// Names the holders instead of stopping them.
class Names final : public Observer {
 public:
  void waiting(const Decision&) override {}
  void admitted(const Lease&, Duration) override {}
  void warning(const Error& about) override { complain(about); }
  void stopping_holder(const LockSpec& lock, std::uint32_t slot, const HolderName& who,
                       SignalStep) override {
    Text<400> words(lock.name);
    words.append(": slot ").append_unsigned(slot).append(": ");
    if (who.pid > 0) {
      words.append("process ").append_signed(who.pid);
      if (!who.host.empty()) words.append(" on ").append(who.host);
      words.append(" would be stopped");
    } else {
      words.append("its holder, who is not visible from here, would be stopped");
    }
    complain(words);
  }
  void holder_stopped(const LockSpec&, const StoppedHolder&) override {}
};

// The run of a token may just have ended, and overdue holders are rare, so that nothing is printed
// without -v.
void say_nothing_found(const Invocation& invocation) {
  const bool named = invocation.slot != 0 || invocation.dry_run;
  if (invocation.quiet || (!named && !invocation.verbose)) return;
  Text<400> words(invocation.request.locks[0].name);
  if (invocation.slot != 0) {
    words.append(": slot ").append_unsigned(invocation.slot).append(" is not held");
  } else if (invocation.token != 0) {
    words.append(": no holder has token ").append_unsigned(invocation.token);
  } else {
    words.append(invocation.overdue ? ": no holder is overdue" : ": it is not held");
  }
  complain(words.append(": there is nothing to stop"));
}

}  // namespace

int kill_command(Invocation& invocation) {
  if (const Status placed = take_lock(invocation, false); !placed.ok()) {
    complain(placed.error());
    return static_cast<int>(placed.error().code);
  }
  const bool unknown = warn_if_unknown(invocation, invocation.request.locks[0]);
  invocation.request.locks[0].max = kMaxSlots;
  invocation.request.only_stops = true;
  const Victims wanted = {invocation.slot, invocation.token, invocation.overdue,
                          invocation.dry_run};
  Names names;
  Narrator narrator(invocation);
  Observer* observer = invocation.dry_run ? static_cast<Observer*>(&names) : &narrator;
  const Outcome outcome = stop_holders(*invocation.locks, invocation.request, wanted, observer);
  if (outcome.kind != Outcome::Kind::ran) report(outcome, invocation, 2);
  if (outcome.kind == Outcome::Kind::ran && outcome.decision.held == 0 && !unknown)
    say_nothing_found(invocation);
  return exit_code(outcome, invocation);
}

}  // namespace atmost::cli
