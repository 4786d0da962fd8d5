#include "termination_latch.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "os/signals.h"

namespace atmost::fleet {
namespace {

constexpr int kSignals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
constexpr int kCount = sizeof kSignals / sizeof kSignals[0];

struct sigaction before[kCount];
bool taken[kCount];
volatile sig_atomic_t came = 0;
int wake_pipe[2] = {-1, -1};

void note(int signal) {
  const int saved = errno;
  came = signal;
  const char byte = 1;
  if (write(wake_pipe[1], &byte, 1) < 0) {
  }
  errno = saved;
}

}  // namespace

void TerminationLatch::arm() {
  if (armed_ || wake_pipe[0] >= 0 || pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK) != 0) return;
  armed_ = true;
  came = 0;
  struct sigaction action = {};
  action.sa_handler = note;
  for (int i = 0; i < kCount; ++i) {
    sigaction(kSignals[i], nullptr, &before[i]);
    taken[i] = before[i].sa_handler != SIG_IGN;
    if (taken[i]) sigaction(kSignals[i], &action, nullptr);
  }
}

void TerminationLatch::disarm() {
  if (!armed_) return;
  armed_ = false;
  for (int i = 0; i < kCount; ++i) {
    if (taken[i]) sigaction(kSignals[i], &before[i], nullptr);
  }
  for (int& end : wake_pipe) {
    close(end);
    end = -1;
  }
}

bool TerminationLatch::is_set() const { return armed_ && came != 0; }

int TerminationLatch::descriptor() const { return armed_ ? wake_pipe[0] : -1; }

void TerminationLatch::obey() {
  const int signal = came;
  disarm();
  os::die_of(signal);
  _exit(128 + signal);
}

}  // namespace atmost::fleet
