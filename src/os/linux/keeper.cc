#include "../keeper.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
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
#include "core/text.h"
#include "core/time.h"

extern "C" char** environ;

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

namespace atmost::os {
namespace {

// A pipe with its ends at these numbers, whatever was there; -1: that end is closed.
int pipe_at(int read_at, int write_at) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return errno;
  int error = 0;
  if (read_at >= 0 && dup3(ends[0], read_at, O_CLOEXEC) < 0) error = errno;
  if (error == 0 && write_at >= 0 && dup3(ends[1], write_at, O_CLOEXEC) < 0) error = errno;
  close(ends[0]);
  close(ends[1]);
  return error;
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
  int error = open_pipe(child_in, out_);
  if (error == 0) error = open_pipe(in_, child_out);
  if (error != 0) return error;
  const pid_t parent = getpid();
  const pid_t pid = calls.fork();
  if (pid < 0) return errno;
  if (pid > 0) {
    pid_ = pid;
    return 0;
  }
  starter_ = parent;
  in_ = static_cast<Fd&&>(child_in);
  out_ = static_cast<Fd&&>(child_out);
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

void Companion::die_with_starter() {
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != starter_) _exit(0);  // it died before it was asked for
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

int Bell::hang() {
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

Text<63> Bell::address(std::int64_t pid) const {
  Text<63> address(name_);
  address.push(' ').append_signed(pid);
  return address;
}

int append_to(const char* path, const void* from, std::size_t size) {
  // Who reads a pipe may have left meanwhile, and nothing here may wait.
  const Fd file(
      calls.openat(AT_FDCWD, path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0));
  return file.open() ? write_stream(file.get(), from, size) : errno;
}

char Bell::asked() const {
  char line[96];
  const ssize_t got = calls.read(kAsk, line, sizeof line);
  if (got < 2) return '\0';
  Text<80> expected;
  expected.push(line[0]).push(' ').append(address(getpid())).push('\n');
  return expected.view() == std::string_view(line, static_cast<std::size_t>(got)) ? line[0] : '\0';
}

void Bell::accept() { answered_ = calls.write(kAnswer, "\n", 1) == 1; }

bool Bell::decline() {
  answered_ = false;
  return pipe_at(-1, kAnswer) == 0;  // for who asked the stream ends here
}

bool Bell::unread() const {
  int bytes = 0;
  return ioctl(kAnswer, FIONREAD, &bytes) != 0 || bytes > 0;
}

Watchman::Watchman() {
  sigset_t all;
  sigfillset(&all);
  calls.sigprocmask(SIG_SETMASK, &all, nullptr);
  for (int signal : kTelling) listen_to(signal, on_told);
  listen_to(SIGCONT, on_time);
}

void Watchman::set_deadline(std::int64_t boot_ns) {
  deadline_ns_ = boot_ns;
  timed_ = false;
  if (boot_ns == Duration::kForever) return;
  if (!has_timer_) has_timer_ = calls.create_timer(SIGCONT, &timer_) == 0;
  timed_ = has_timer_ && calls.set_timer(timer_, boot_ns) == 0;
}

Watched Watchman::watch(int handle, Bell* bell) {
  // Without a timer (RLIMIT_SIGPENDING used up) the clock is looked at so often.
  constexpr struct timespec kLook = {1, 0};
  sigset_t closed;
  sigfillset(&closed);
  for (int signal : kTelling) sigdelset(&closed, signal);
  sigdelset(&closed, SIGCONT);
  const bool hangs = bell != nullptr && bell->hangs();
  for (;;) {
    if (told != 0) return Watched::told;
    if (boot_ns() >= deadline_ns_) return Watched::time_up;
    const bool awaited = hangs && bell->answered_;
    struct pollfd all[] = {{handle, POLLIN, 0},
                           {hangs ? Bell::kAsk : -1, POLLIN, 0},
                           {awaited ? Bell::kAnswer : -1, 0, 0}};
    const bool looks = deadline_ns_ != Duration::kForever && !timed_;
    if (ppoll(all, 3, looks ? &kLook : nullptr, &closed) <= 0) continue;
    if (all[0].revents != 0) return Watched::ended;
    if (all[2].revents != 0) {  // nobody has it open any more
      if (bell->unread()) return Watched::unheard;
      bell->answered_ = false;
    }
    if (all[1].revents != 0) return bell->unread() ? Watched::unheard : Watched::asked;
  }
}

namespace {

// Whether the environment that `pid` was started with has a variable `name` whose value `likes`
// likes.
template <class Likes>
bool any_variable(std::int64_t pid, std::string_view name, Likes likes) {
  Fd file;
  if (open_to_read(Text<63>("/proc/").append_signed(pid).append("/environ").c_str(), file) != 0)
    return false;
  // Variable by variable, through a small buffer; of one longer than the buffer the rest is passed
  // over.
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
      if (!passing_over && entry.starts_with(name) && entry.size() > name.size() &&
          entry[name.size()] == '=' &&
          likes(std::string_view(entry.data() + name.size() + 1, entry.size() - name.size() - 1))) {
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

}  // namespace

bool is_marked(std::int64_t pid, const char* name, std::int64_t pid_in_mark) {
  const Text<31> wanted = Text<31>().append_signed(pid_in_mark);
  return any_variable(pid, name, [&](std::string_view value) { return lists(value, wanted); });
}

bool started_with(std::int64_t pid, const char* name, PathText& to) {
  return any_variable(pid, name, [&](std::string_view value) {
    to.assign(value);
    return !to.truncated();
  });
}

void hide_mark(const char* name) {
  const std::size_t size = std::strlen(name);
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    // In place: what others see is the memory that the kernel laid out when this program was
    // started.
    if (std::strncmp(*entry, name, size) == 0 && (*entry)[size] == '=') (*entry)[0] = '=';
  }
}

}  // namespace atmost::os
