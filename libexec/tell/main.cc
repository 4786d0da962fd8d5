// atmost-tell: notifies others of a run. Started by atmost run (limiter/notifier.cc) when the run's
// slots are free; only the end of a service or a container waits for it.
#include <signal.h>

#include <cstdio>
#include <cstdlib>

#include "core/programs.h"
#include "notify.h"
#include "os/spawn.h"
#include "ping.h"
#include "tell_request.h"

namespace atmost::tell {
namespace {

// The ping of the end must not reach the server first. A ping of the start that takes longer than
// half of our time is likely to be given up.
void await_start(const TellRequest& request) {
  if (request.after < 0) return;
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(request.deadline - Clock::now());
  os::await_hangup(request.after, static_cast<int>(left.count() / 2));
}

int deliver() {
  // A service or a container waits for 10 s.
  constexpr auto kAtMost = std::chrono::milliseconds(9700);
  constexpr auto kStart = std::chrono::milliseconds(200);
  const Clock::time_point deadline = Clock::now() + kAtMost;
  if (const std::optional<std::string> run_as = take(kRunAs)) {
    signal(SIGPIPE, SIG_IGN);
    tell_as(*run_as, deadline + kStart);
    return 0;
  }
  const TellRequest request = take_request(deadline);
  if (request.line.empty()) {
    std::fputs("atmost-tell: is started by atmost run, with --notify or --ping\n", stderr);
    return 64;
  }
  signal(SIGPIPE, SIG_IGN);
  // The ping may take all the time there is: a command of --notify runs meanwhile.
  Notify notify;
  if (request.notify) notify.start(request);
  if (request.ping) {
    await_start(request);
    const std::string trouble = send_ping(request, request.deadline);
    if (!trouble.empty()) log_undelivered(request, "ping", trouble);
  }
  if (request.notify) {
    const std::string trouble = notify.finish(request.deadline);
    if (!trouble.empty()) log_undelivered(request, "notify", trouble);
  }
  return 0;
}

}  // namespace
}  // namespace atmost::tell

int main() { return atmost::tell::deliver(); }
