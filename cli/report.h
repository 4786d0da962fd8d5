// An outcome for people, scripts and shells: message, JSON, exit code.
#ifndef ATMOST_CLI_REPORT_H
#define ATMOST_CLI_REPORT_H

#include "core/limiter.h"
#include "core/outcome.h"
#include "invocation.h"
#include "output.h"
#include "waiting_line.h"

namespace atmost::cli {

// The exit code that a shell sees. A command that a signal ended counts as 128 + signal, which is
// also what a shell shows when run ends by the same signal.
int exit_code(const Outcome& outcome, const Invocation& invocation);

// True if the caller asked for this refusal: --on-busy=skip, --on-too-soon=skip, or joined.
bool is_accepted(const Outcome& outcome, const Invocation& invocation);

// One sentence, without "atmost: " and newline, its names not yet escaped: the reason of the
// refusal (`holders`: names the holders, may be empty), of the failure, or of stopping the command.
using Sentence = Text<1500>;
Sentence sentence_of(const Outcome& outcome, const Invocation& invocation,
                     std::string_view holders);

// " (by 1234 make, 1240 cc, ...)" for a lock with few holders, else nothing; names not escaped.
// Looks at the lock.
Text<400> holders_of(Store& store, const LockSpec& lock, std::uint32_t held);

// The outcome as one JSON object and a newline. `kind` replaces the outcome's own word when it is
// not empty. It always has these names, null where one does not apply: kind (ran, admitted,
// waiting, busy, too_soon, failed), code, lock, slot, token, waited_s, ran_s, status, signal,
// retry_in_s, held, reason.
void write_outcome(Output& to, const Outcome& outcome, const Invocation& invocation,
                   std::string_view kind);

// Reports a refusal, a failure or a stopped command on standard error; nothing with -q or if the
// caller asked for the refusal. With --json the object goes to `json_fd`, for every outcome that
// would have a line, and for every one of check and wait.
void report(const Outcome& outcome, const Invocation& invocation, int json_fd);

// The line of --status-fd, when there is one. A pipe that the reader closed is not an error.
void report_status(const Outcome& outcome, const Invocation& invocation, std::string_view kind);

// The end of an invocation that failed with `error` before the lock was used: reports it wherever
// an outcome would be reported, and returns the exit code.
int fail(const Error& error, const Invocation& invocation, int json_fd);

// Reports the events before the outcome in the forms of -v, --json and --status-fd.
class Narrator final : public Observer {
 public:
  explicit Narrator(const Invocation& invocation) : invocation_(invocation), line_(invocation) {}
  // Removes the line that is shown while waiting. Call it before anything else is printed.
  void done() { line_.remove(); }

  void waiting(const Decision& why) override;
  Duration still_waiting() override { return line_.show(); }
  void pausing() override { line_.remove(); }
  void admitted(const Lease& lease, Duration waited) override;
  void warning(const Error& about) override;
  void stopping_holder(const LockSpec& lock, std::uint32_t slot, const HolderName& who,
                       SignalStep pressure) override;
  void holder_stopped(const LockSpec& lock, const StoppedHolder& holder) override;

 private:
  const Invocation& invocation_;
  WaitingLine line_;
};

}  // namespace atmost::cli

#endif
