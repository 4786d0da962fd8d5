// atmost-tell: tells others of a run. Started by atmost run (limiter/telling.cc) when the run's
// slots are free; nobody waits for it but the end of a service or a container.
#include <signal.h>

#include <cstdio>
#include <cstdlib>

#include "core/tell.h"
#include "errand.h"
#include "notify.h"
#include "os/detached.h"
#include "other_user.h"
#include "ping.h"
#include "undelivered.h"

namespace {

using namespace atmost::tell;

// The server must not hear of the end first. A ping of the start that takes longer than half of our
// time is likely to be given up.
void await_start(const Errand& errand) {
  if (errand.after < 0) return;
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(errand.deadline - Clock::now());
  atmost::os::await_hangup(errand.after, static_cast<int>(left.count() / 2));
}

}  // namespace

int main() {
  // A service or a container waits for 10 s.
  constexpr auto kAtMost = std::chrono::milliseconds(9700);
  constexpr auto kStart = std::chrono::milliseconds(200);
  const Clock::time_point deadline = Clock::now() + kAtMost;
  if (const std::optional<std::string> run_as = take(kRunAs)) {
    signal(SIGPIPE, SIG_IGN);
    tell_as(*run_as, deadline + kStart);
    return 0;
  }
  const Errand errand = take_errand(deadline);
  if (errand.line.empty()) {
    std::fputs("atmost-tell: is started by atmost run, with --notify or --ping\n", stderr);
    return 64;
  }
  signal(SIGPIPE, SIG_IGN);
  // The ping may take all the time there is: a command of --notify runs meanwhile.
  Notify notify;
  if (errand.notify) notify.start(errand);
  if (errand.ping) {
    await_start(errand);
    const std::string trouble = send_ping(errand, errand.deadline);
    if (!trouble.empty()) log_undelivered(errand, "ping", trouble);
  }
  if (errand.notify) {
    const std::string trouble = notify.finish(errand.deadline);
    if (!trouble.empty()) log_undelivered(errand, "notify", trouble);
  }
  return 0;
}
