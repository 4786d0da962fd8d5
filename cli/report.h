// An outcome as people, scripts and shells see it: words, JSON, exit code.
#ifndef ATMOST_CLI_REPORT_H
#define ATMOST_CLI_REPORT_H

#include "core/limiter.h"
#include "core/outcome.h"
#include "invocation.h"
#include "output.h"

namespace atmost::cli {

// The number a shell shall see. A command that a signal ended counts as 128 + signal (whoever ends
// by the same signal, as run does, looks the same).
int exit_code(const Outcome& outcome, const Invocation& invocation);

// Whether this refusal is what the caller asked for: --on-busy=skip, --on-too-soon=skip, or joined.
bool is_accepted(const Outcome& outcome, const Invocation& invocation);

// One sentence, without "atmost: " and newline, its names not yet escaped: why it was refused
// (`holders`: who holds the lock, may be empty), what failed, or why the command was stopped.
using Sentence = Text<1500>;
Sentence words_of(const Outcome& outcome, const Invocation& invocation, std::string_view holders);

// " (by 1234 make, 1240 cc, ...)" for a lock with few holders, else nothing; names not escaped.
// Looks at the lock.
Text<400> holders_of(Store& store, const LockSpec& lock, std::uint32_t held);

// The outcome as one JSON object and a newline. `kind` replaces the outcome's own word when it is
// not empty. Names, always all of them, null where they mean nothing: kind (ran, admitted, waiting,
// busy, too_soon, failed), code, lock, slot, token, waited_s, ran_s, status, signal, retry_in_s,
// held, reason.
void write_outcome(Output& to, const Outcome& outcome, const Invocation& invocation,
                   std::string_view kind);

// Says on standard error what has to be said of a refusal, a failure or a stopped command; nothing
// when -q or the caller's own wish says so. With --json the object goes to `json_fd`, for every
// outcome that would have a line, and for every one of check and wait.
void report(const Outcome& outcome, const Invocation& invocation, int json_fd);

// The line of --status-fd, when there is one. A reader that went away is no error of ours.
void report_status(const Outcome& outcome, const Invocation& invocation, std::string_view kind);

// The end of an invocation that failed with `error` before anything was asked of the lock: says so
// everywhere where an outcome would be told, and returns the exit code.
int fail(const Error& error, const Invocation& invocation, int json_fd);

// Tells what happens on the way, as -v, --json and --status-fd want it.
class Narrator final : public Observer {
 public:
  explicit Narrator(const Invocation& invocation) : invocation_(invocation) {}

  void waiting(const Decision& why) override;
  void admitted(const Lease& lease, Duration waited) override;
  void warning(const Error& about) override;
  void stopping_holder(const LockSpec& lock, std::uint32_t slot, const HolderName& who,
                       SignalStep pressure) override;
  void holder_stopped(const LockSpec& lock, const StoppedHolder& holder) override;

 private:
  const Invocation& invocation_;
};

}  // namespace atmost::cli

#endif
