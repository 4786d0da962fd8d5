// atmost-tell: tells others of a run. Started by atmost run (limiter/telling.cc) when the run's
// slots are free; nobody waits for it but the end of a service or a container.
#include <signal.h>

#include <cstdio>
#include <cstdlib>

#include "core/tell.h"
#include "errand.h"
#include "notify.h"
#include "undelivered.h"

int main() {
  using namespace atmost::tell;
  // A service or a container waits for 10 s.
  constexpr auto kAtMost = std::chrono::milliseconds(9800);
  const Errand errand = take_errand(Clock::now() + kAtMost);
  if (errand.line.empty()) {
    std::fputs("atmost-tell: is started by atmost run --notify\n", stderr);
    return 64;
  }
  signal(SIGPIPE, SIG_IGN);
  if (errand.notify) {
    Notify notify;
    notify.start(errand);
    const std::string trouble = notify.finish(errand.deadline);
    if (!trouble.empty()) log_undelivered(errand, "notify", trouble);
  }
  return 0;
}
