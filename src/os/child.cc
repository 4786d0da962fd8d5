#include "helper_process.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "calls.h"
#include "clock.h"
#include "core/time.h"
#include "file.h"
#include "spawn.h"

namespace atmost::os {
namespace {

// Above all numbers that the child uses with dup2, so that none is overwritten.
constexpr int kAside = 10;

// False when a descriptor could not be put in its place.
bool arrange(int orders, int report_to, int keep) {
  sigset_t all;
  sigfillset(&all);
  calls.sigprocmask(SIG_SETMASK, &all, nullptr);
  bool placed =
      calls.dup2(orders, Child::kOrders) >= 0 && calls.dup2(report_to, Child::kReport) >= 0;
  const int nowhere = calls.openat(AT_FDCWD, "/dev/null", O_WRONLY | O_CLOEXEC, 0);
  if (nowhere < 0 || calls.dup2(nowhere, STDERR_FILENO) < 0) calls.close(STDERR_FILENO);
  if (keep >= 0) {
    placed = placed && calls.dup2(keep, Child::kKept) >= 0 &&
             calls.control(Child::kKept, F_SETFD, FD_CLOEXEC) == 0;
  }
  calls.close_between(keep >= 0 ? Child::kKept + 1 : Child::kKept, INT32_MAX);
  return placed;
}

bool transfer(bool in, char* at, std::size_t size) {
  while (size > 0) {
    const ssize_t count =
        in ? calls.read(Child::kOrders, at, size) : calls.write(Child::kReport, at, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

int Child::start(void (*work)(void* context), void* context, int keep) {
  Fd orders;
  Fd report_to;
  Fd kept;
  int error = open_pipe(orders, orders_, kAside);
  if (error == 0) error = open_pipe(report_, report_to, kAside);
  if (error == 0 && keep >= 0) {
    const int moved = calls.control(keep, F_DUPFD_CLOEXEC, kAside);
    if (moved < 0) error = errno;
    kept = Fd(moved);
  }
  if (error != 0) {
    close_pipes();
    return error;
  }
  const pid_t pid = calls.fork();
  if (pid < 0) {
    error = errno;
    close_pipes();
    return error;
  }
  if (pid == 0) {
    if (!arrange(orders.get(), report_to.get(), kept.get())) exit_now(127);
    work(context);
    exit_now(0);
  }
  pid_ = pid;
  return 0;
}

int Child::order(const void* from, std::size_t size) {
  const char* at = static_cast<const char*>(from);
  while (size > 0) {
    const ssize_t count = calls.write(orders_.get(), at, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return errno;
    at += count;
    size -= static_cast<std::size_t>(count);
  }
  return 0;
}

Child::Heard Child::listen(void* to, std::size_t size, std::size_t& got,
                           std::int64_t boot_deadline_ns) {
  got = 0;
  for (;;) {
    const std::int64_t left_ns = boot_deadline_ns - boot_ns();
    if (left_ns <= 0) return Heard::silent;
    constexpr std::int64_t kLongestMs = 60'000;
    const std::int64_t left_ms = (left_ns + 999'999) / 1'000'000;
    struct pollfd ready = {report_.get(), POLLIN, 0};
    const int count =
        calls.poll(&ready, 1, static_cast<int>(left_ms < kLongestMs ? left_ms : kLongestMs));
    if (count < 0 && errno != EINTR) return Heard::ended;
    if (count <= 0) continue;
    const ssize_t size_read = calls.read(report_.get(), to, size);
    if (size_read < 0 && errno == EINTR) continue;
    if (size_read <= 0) return Heard::ended;
    got = static_cast<std::size_t>(size_read);
    return Heard::some;
  }
}

void Child::kill_and_wait() {
  if (pid_ == 0) return;
  const auto pid = static_cast<pid_t>(pid_);
  calls.kill(pid, SIGKILL);
  leave();
  int status;
  struct rusage used;
  while (calls.wait4(pid, &status, 0, &used) < 0 && errno == EINTR) {
  }
}

void Child::kill_and_leave() {
  if (pid_ == 0) return;
  calls.kill(static_cast<pid_t>(pid_), SIGKILL);
  leave();
}

void Child::leave() {
  close_pipes();
  pid_ = 0;
}

void Child::close_pipes() {
  orders_.reset();
  report_.reset();
}

bool receive(void* to, std::size_t size) { return transfer(true, static_cast<char*>(to), size); }

bool report(const void* from, std::size_t size) {
  // transfer only reads through the pointer when it sends.
  return transfer(false, const_cast<char*>(static_cast<const char*>(from)), size);
}

}  // namespace atmost::os
