// atmost-relay: asks stores of many machines for the C library (core/programs.h).
#include <signal.h>

#include <charconv>
#include <cstdio>
#include <cstring>

#include "core/programs.h"
#include "os/self.h"
#include "relay.h"

namespace {

int number_of(const char* text) {
  int number = -1;
  const char* const end = text + std::strlen(text);
  const auto read = std::from_chars(text, end, number);
  return read.ptr == end && read.ec == std::errc{} ? number : -1;
}

// The library's program may ignore signals, and every signal is blocked at the start.
void take_default_signals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  namespace relay = atmost::relay;
  if (atmost::os::has_raised_rights()) return 77;
  const std::string_view what = argc > 2 ? argv[1] : "";
  const int socket = argc > 2 ? number_of(argv[2]) : -1;
  if (socket > 2 && what == relay::kHold) return relay::hold(socket);
  if (socket > 2 && what == relay::kAsk && argc > 4) {
    take_default_signals();
    return relay::ask(socket, argv + 4);
  }
  std::fputs("atmost-relay: is started by programs that use libatmost\n", stderr);
  return 64;
}
