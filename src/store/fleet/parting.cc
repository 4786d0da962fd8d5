#include "parting.h"

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
int bell[2] = {-1, -1};

void note(int signal) {
  const int saved = errno;
  came = signal;
  const char ring = 1;
  if (write(bell[1], &ring, 1) < 0) {
  }
  errno = saved;
}

}  // namespace

void Parting::arm() {
  if (armed_ || pipe2(bell, O_CLOEXEC | O_NONBLOCK) != 0) return;
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

void Parting::disarm() {
  if (!armed_) return;
  armed_ = false;
  for (int i = 0; i < kCount; ++i) {
    if (taken[i]) sigaction(kSignals[i], &before[i], nullptr);
  }
  for (int& end : bell) {
    close(end);
    end = -1;
  }
}

bool Parting::asked() const { return armed_ && came != 0; }

int Parting::descriptor() const { return bell[0]; }

void Parting::obey() {
  const int signal = came;
  disarm();
  os::die_of(signal);
  _exit(128 + signal);
}

}  // namespace atmost::fleet
