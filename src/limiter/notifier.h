// Starts the program that notifies others of a run (libexec/tell), and never waits for an answer.
#ifndef ATMOST_LIMITER_NOTIFIER_H
#define ATMOST_LIMITER_NOTIFIER_H

#include "core/limiter.h"
#include "journal.h"
#include "os/file.h"
#include "policy/occasion.h"
#include "run/kept_output.h"

namespace atmost::limiter {

// That program is not a child of this process, and inherits no descriptor of a lock. It gets what
// it has to know by its environment alone: no value is seen in a list of processes, or by a shell.
// Borrows everything; single-threaded; about 100 bytes. Made for a request
// that asks for it.
class Notifier {
 public:
  Notifier(const Request& request, const Command& command, Observer* observer)
      : request_(request), command_(command), observer_(observer) {}

  // Opens the file for the command's output, if it is to be kept.
  Status keep_output();
  // `journal` describes the run. Error (usage): the file with the URL cannot be read.
  Status prepare(Journal& journal);

  // Not open unless it is kept.
  run::KeptOutput& output() { return output_; }
  // Null unless it is kept.
  run::KeptOutput* kept() { return output_.descriptor() >= 0 ? &output_ : nullptr; }

  // The command is about to start: sends the first ping, if there are any. REQUIRES: this process
  // supervises none yet, because it would adopt the program.
  void begins(const Outcome& admission, const Lease& lease);

  // The run is over, and its slots are free.
  void ended(const Outcome& outcome, const policy::Messages& messages);

  // The request was refused, and begins to be spam.
  void spammed(const Outcome& outcome);

  // Where the end of this process ends all others (process 1 of a container, a service of systemd):
  // blocks until the program has ended, 10 s at most.
  void wait() const;

 private:
  void name_occasion(policy::Occasion occasion, int code, Duration ran);
  void name_ping(std::string_view what);
  void start(int output);

  const Request& request_;
  const Command& command_;
  Journal* journal_ = nullptr;
  Observer* observer_;
  run::KeptOutput output_;
  os::Fd url_;
  Text<36> run_id_;
  os::Fd over_;  // hangs up when the program has ended that was started last
};

}  // namespace atmost::limiter

#endif
