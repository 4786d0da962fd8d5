// The task of this program, from its environment (core/programs.h), and the log of what failed.
#ifndef ATMOST_LIBEXEC_TELL_TELL_REQUEST_H
#define ATMOST_LIBEXEC_TELL_TELL_REQUEST_H

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace atmost::tell {

using Clock = std::chrono::steady_clock;

// Takes a variable out of the environment.
std::optional<std::string> take(std::string_view name);

struct TellRequest {
  Clock::time_point deadline;  // the deadline of all its work
  std::string line;            // the run, as in the history
  std::string event;           // $ATMOST_EVENT
  std::string log;             // empty: nothing is logged
  std::string log_mode;
  std::optional<std::string> notify;
  std::optional<std::string> ping;  // start, or a code
  std::string url;                  // as the user gave it
  std::string run_id;
  std::string output;  // its end
  int report = -1;     // to the program that logs for us; -1: we log ourselves
  int after = -1;      // closed when the ping of the start is over
};

// Takes the variables out of the environment, so that no command of the user's gets them, and keeps
// the descriptors that they name from it.
TellRequest take_request(Clock::time_point deadline);

// Appends the event `undelivered` for the request's run, or reports it to the process that does.
// `to`: notify or ping. `why` holds no address. A failure is not reported: no process is left that
// could report it.
void log_undelivered(const TellRequest& request, const std::string& to, const std::string& why);

}  // namespace atmost::tell

#endif
