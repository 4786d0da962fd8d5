#include "../keeper.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
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
#include "atmost/text.h"
#include "atmost/time.h"

extern "C" char** environ;

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

namespace atmost::os {
namespace {

int open_line(Fd& read_end, Fd& write_end) {
  int ends[2];
  if (calls.pipe(ends) != 0) return errno;
  read_end = Fd(ends[0]);
  write_end = Fd(ends[1]);
  const int error = move_high(read_end);
  return error != 0 ? error : move_high(write_end);
}

void close_between(int first, int last) {
  if (first > last || syscall(SYS_close_range, first, last, 0) == 0) return;
  struct rlimit limit = {};
  constexpr int kMost = 65536;  // more than this nobody opens by accident
  const bool known = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < kMost;
  const int end = known ? static_cast<int>(limit.rlim_cur) : kMost;
  for (int fd = first; fd <= last && fd < end; ++fd) close(fd);
}

volatile sig_atomic_t told = 0;

void on_told(int) { told = 1; }
void on_time(int) {}

void listen_to(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  calls.sigaction(signal, &action, nullptr);
}

constexpr int kTelling[] = {SIGTERM, SIGINT, SIGHUP};

bool lists(std::string_view value, std::string_view wanted) {
  while (!value.empty()) {
    const std::size_t colon = value.find(':');
    const std::size_t size = colon < value.size() ? colon : value.size();
    if (std::string_view(value.data(), size) == wanted) return true;
    value.remove_prefix(colon < value.size() ? colon + 1 : value.size());
  }
  return false;
}

}  // namespace

int Companion::start() {
  Fd child_in;
  Fd child_out;
  int error = open_line(child_in, out_);
  if (error == 0) error = open_line(in_, child_out);
  if (error != 0) return error;
  const pid_t parent = getpid();
  const pid_t pid = calls.fork();
  if (pid < 0) return errno;
  if (pid > 0) {
    pid_ = pid;
    return 0;
  }
  is_companion_ = true;
  in_ = static_cast<Fd&&>(child_in);
  out_ = static_cast<Fd&&>(child_out);
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != parent) _exit(0);  // it died before it was asked for
  return 0;
}

bool Companion::tell(const void* from, std::size_t size) const {
  return write_stream(out_.get(), from, size) == 0;
}

bool Companion::hear(void* to, std::size_t size) const {
  char* at = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t got = calls.read(in_.get(), at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

Companion::First Companion::which_first(int handle) const {
  struct pollfd either[] = {{in_.get(), POLLIN, 0}, {handle, POLLIN, 0}};
  while (calls.poll(either, 2, -1) < 0 && errno == EINTR) {
  }
  return either[0].revents == 0 && either[1].revents != 0 ? First::process_ended : First::heard;
}

void Companion::kill_and_wait() {
  calls.kill(static_cast<pid_t>(pid_), SIGKILL);
  int status;
  struct rusage used;
  while (calls.wait4(static_cast<pid_t>(pid_), &status, 0, &used) < 0 && errno == EINTR) {
  }
}

void Companion::stand_alone() { prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0); }

void Companion::settle(const int* keep, unsigned count) {
  setsid();
  (void)!chdir("/");  // the root cannot be unmounted anyway
  in_.reset();
  out_.reset();
  int next = 0;
  for (;;) {
    int nearest = INT32_MAX;
    for (unsigned i = 0; i < count; ++i) {
      if (keep[i] >= next) nearest = std::min(nearest, keep[i]);
    }
    if (nearest == INT32_MAX) break;
    close_between(next, nearest - 1);
    next = nearest + 1;
  }
  close_between(next, INT32_MAX);
}

Watchman::Watchman(std::int64_t boot_deadline_ns) : deadline_ns_(boot_deadline_ns) {
  sigset_t all;
  sigfillset(&all);
  calls.sigprocmask(SIG_SETMASK, &all, nullptr);
  for (int signal : kTelling) listen_to(signal, on_told);
  listen_to(SIGCONT, on_time);
  void* timer = nullptr;
  timed_ = deadline_ns_ != Duration::kForever && calls.create_timer(SIGCONT, &timer) == 0 &&
           calls.set_timer(timer, deadline_ns_) == 0;
}

Watched Watchman::watch(int handle) {
  // Without a timer (RLIMIT_SIGPENDING used up) the clock is looked at so often.
  constexpr struct timespec kLook = {1, 0};
  sigset_t closed;
  sigfillset(&closed);
  for (int signal : kTelling) sigdelset(&closed, signal);
  sigdelset(&closed, SIGCONT);
  const struct timespec* limit = deadline_ns_ != Duration::kForever && !timed_ ? &kLook : nullptr;
  for (;;) {
    if (told != 0) return Watched::told;
    if (boot_ns() >= deadline_ns_) return Watched::time_up;
    struct pollfd ended = {handle, POLLIN, 0};
    if (ppoll(&ended, 1, limit, &closed) > 0) return Watched::ended;
  }
}

bool is_marked(std::int64_t pid, const char* name, std::int64_t pid_in_mark) {
  Fd file;
  if (open_to_read(Text<63>("/proc/").append_signed(pid).append("/environ").c_str(), file) != 0) return false;
  const std::string_view wanted_name = name;
  const Text<31> wanted = Text<31>().append_signed(pid_in_mark);
  // Variable by variable, through a small buffer; of one longer than the buffer the rest is passed over.
  char buffer[4096];
  std::size_t filled = 0;
  bool passing_over = false;
  for (;;) {
    const ssize_t got = calls.read(file.get(), buffer + filled, sizeof buffer - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    filled += static_cast<std::size_t>(got);
    std::size_t start = 0;
    for (;;) {
      const std::string_view rest(buffer + start, filled - start);
      const std::size_t end = rest.find('\0');
      if (end >= rest.size()) break;
      const std::string_view entry(rest.data(), end);
      if (!passing_over && entry.starts_with(wanted_name) && entry.size() > wanted_name.size() &&
          entry[wanted_name.size()] == '=' &&
          lists({entry.data() + wanted_name.size() + 1, entry.size() - wanted_name.size() - 1}, wanted)) {
        return true;
      }
      passing_over = false;
      start += end + 1;
    }
    filled -= start;
    std::memmove(buffer, buffer + start, filled);
    if (filled == sizeof buffer) {
      filled = 0;
      passing_over = true;
    }
  }
}

void hide_mark(const char* name) {
  const std::size_t size = std::strlen(name);
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    // In place: what others see is the memory that the kernel laid out when this program was started.
    if (std::strncmp(*entry, name, size) == 0 && (*entry)[size] == '=') (*entry)[0] = '=';
  }
}

}  // namespace atmost::os
