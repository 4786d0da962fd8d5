// The command of --notify; and all notifications as the command's user, if that is another user
// (atmost pass as root).
#ifndef ATMOST_LIBEXEC_TELL_NOTIFY_H
#define ATMOST_LIBEXEC_TELL_NOTIFY_H

#include <sys/types.h>

#include <string>

#include "tell_request.h"

namespace atmost::tell {

// Runs `sh -c COMMAND` in a process group of its own, with the event as one line of JSON on
// standard input. The event is never a part of the command: the shell sees no byte of it.
class Notify {
 public:
  // Does not block. REQUIRES: request.notify.
  void start(const TellRequest& request);

  // Blocks until the shell has ended. A second before the deadline the whole group gets SIGTERM,
  // and what is left at the deadline SIGKILL. Returns the reason of a failure; empty if there was
  // none.
  std::string finish(Clock::time_point deadline);

 private:
  bool ended_by(Clock::time_point moment, int& status) const;

  pid_t pid_ = -1;
  std::string trouble_;
};

// Starts this program again behind the words `run_as` (core/programs.h), and logs what it reports.
// This process keeps its user, runs nothing of the other one's, and believes only two short texts.
// Blocks until that program has ended, at most until the deadline.
void tell_as(const std::string& run_as, Clock::time_point deadline);

}  // namespace atmost::tell

#endif
