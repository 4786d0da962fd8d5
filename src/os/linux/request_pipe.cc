#include "../request_pipe.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "../calls.h"
#include "../clock.h"
#include "../file.h"
#include "../terminal.h"

namespace atmost::os {
namespace {

// A pipe with its ends at these numbers, whatever was there; -1: that end is closed.
int pipe_at(int read_at, int write_at) {
  int ends[2];
  if (calls.open_pipe_at_once(ends) != 0) return errno;
  int error = 0;
  if (read_at >= 0 && calls.dup_private(ends[0], read_at) < 0) error = errno;
  if (error == 0 && write_at >= 0 && calls.dup_private(ends[1], write_at) < 0) error = errno;
  calls.close(ends[0]);
  calls.close(ends[1]);
  return error;
}

}  // namespace

int RequestPipe::hang() {
  // The writing end stays open too: without a writer the pipe would be at its end for ever after
  // the first asker.
  int error = pipe_at(kAsk, kAskStaysOpen);
  if (error == 0) error = pipe_at(-1, kAnswer);
  if (error != 0) return error;
  // Two processes of the same number do not start in the same microsecond.
  constexpr std::string_view kLetters = "0123456789abcdefghjkmnpqrstvwxyz";
  auto rest = static_cast<std::uint64_t>(now().real_ns / 1000);
  for (int i = 0; i < 11; ++i, rest /= kLetters.size())
    name_.push(kLetters[rest % kLetters.size()]);
  return 0;
}

Text<63> RequestPipe::address(std::int64_t pid) const {
  Text<63> address(name_);
  address.push(' ').append_signed(pid);
  return address;
}

int append_to(const char* path, const void* from, std::size_t size) {
  // The reader may have gone meanwhile, and nothing here may block.
  const Fd file(
      calls.openat(AT_FDCWD, path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0));
  return file.open() ? write_stream(file.get(), from, size) : errno;
}

char RequestPipe::asked() const {
  char line[96];
  const ssize_t got = calls.read(kAsk, line, sizeof line);
  if (got < 2) return '\0';
  Text<80> expected;
  expected.push(line[0]).push(' ').append(address(calls.getpid())).push('\n');
  return expected.view() == std::string_view(line, static_cast<std::size_t>(got)) ? line[0] : '\0';
}

void RequestPipe::accept() { answered_ = calls.write(kAnswer, "\n", 1) == 1; }

bool RequestPipe::decline() {
  answered_ = false;
  return pipe_at(-1, kAnswer) == 0;  // the asker reads the end of the stream
}

bool RequestPipe::unread() const {
  int bytes = 0;
  return calls.ioctl(kAnswer, FIONREAD, &bytes) != 0 || bytes > 0;
}

namespace {

volatile sig_atomic_t signal_came = 0;
volatile std::int64_t value_told = 0;  // signals arrive only while watch() waits

void on_told(int, siginfo_t* info, void*) {
  signal_came = 1;
  if (info->si_code == SI_QUEUE)
    value_told = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(info->si_ptr));
}
void on_time(int) {}

void listen_to(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  calls.sigaction(signal, &action, nullptr);
}

constexpr int kTelling[] = {SIGTERM, SIGINT, SIGHUP};

}  // namespace

EventWait::EventWait() {
  sigset_t all;
  sigfillset(&all);
  calls.sigprocmask(SIG_SETMASK, &all, nullptr);
  for (int signal : kTelling) {
    struct sigaction action = {};
    action.sa_sigaction = on_told;
    action.sa_flags = SA_SIGINFO;
    calls.sigaction(signal, &action, nullptr);
  }
  listen_to(SIGCONT, on_time);
}

void EventWait::set_deadline(std::int64_t boot_ns) {
  deadline_ns_ = boot_ns;
  timed_ = false;
  if (boot_ns == Duration::kForever) return;
  if (!has_timer_) has_timer_ = calls.create_timer(SIGCONT, &timer_) == 0;
  timed_ = has_timer_ && calls.set_timer(timer_, boot_ns) == 0;
}

std::int64_t EventWait::signal_value() const { return value_told; }

Watched EventWait::watch(int handle, RequestPipe* requests) {
  // Interval between looks at the clock if no timer can be had (RLIMIT_SIGPENDING used up).
  constexpr int kLookMs = 1000;
  sigset_t closed;
  sigfillset(&closed);
  for (int signal : kTelling) sigdelset(&closed, signal);
  sigdelset(&closed, SIGCONT);
  const bool hangs = requests != nullptr && requests->hangs();
  for (;;) {
    if (signal_came != 0) return Watched::signalled;
    if (boot_ns() >= deadline_ns_) return Watched::time_up;
    const bool awaited = hangs && requests->answered_;
    struct pollfd all[] = {{handle, POLLIN, 0},
                           {hangs ? RequestPipe::kAsk : -1, POLLIN, 0},
                           {awaited ? RequestPipe::kAnswer : -1, 0, 0}};
    const bool looks = deadline_ns_ != Duration::kForever && !timed_;
    if (calls.masked_poll(all, 3, looks ? kLookMs : -1, &closed) <= 0) continue;
    if (all[0].revents != 0) return Watched::ended;
    if (all[2].revents != 0) {  // no process has the other end open any more
      if (requests->unread()) return Watched::unheard;
      requests->answered_ = false;
    }
    if (all[1].revents != 0) return requests->unread() ? Watched::unheard : Watched::asked;
  }
}

}  // namespace atmost::os
