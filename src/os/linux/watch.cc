#include "../watch.h"

#include <fcntl.h>
#include <sys/inotify.h>

#include <cerrno>
#include <cstring>

#include "../calls.h"
#include "../clock.h"
#include "../file.h"

namespace atmost::os {
namespace {

constexpr unsigned kEvents = IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF;

// IN_ATTRIB is how an unlink shows while descriptors are open: the link count changed.
Noticed more_urgent(Noticed so_far, unsigned mask) {
  if (mask & (IN_MOVE_SELF | IN_DELETE_SELF | IN_ATTRIB | IN_IGNORED)) return Noticed::moved;
  if (so_far == Noticed::moved) return so_far;
  if (mask & IN_CLOSE_WRITE) return Noticed::closed;
  return so_far == Noticed::nothing ? Noticed::written : so_far;
}

// All descriptors of inotify and its like have one inode and no offset. Ours is recognised by the
// signal that it would send if it were set to send any: one that programs hardly ever choose.
constexpr int kMarkSignal = 57;

}  // namespace

void Watch::give_up_if_closed() {
  if (calls.control(inotify_.get(), F_GETSIG, 0) != kMarkSignal) (void)inotify_.release();
}

void Watch::start(const char* path) {
  if (!inotify_.open()) {
    inotify_ = Fd(calls.inotify_init(IN_NONBLOCK | IN_CLOEXEC));
    if (exposed_ && inotify_.open()) {
      (void)move_high(inotify_);
      (void)calls.control(inotify_.get(), F_SETSIG, kMarkSignal);
    }
  }
  started_ = true;
  const int watch = inotify_.open() && watch_count_ < kMost
                        ? calls.inotify_add_watch(inotify_.get(), path, kEvents)
                        : -1;
  if (watch < 0) {
    blind_ = true;
  } else {
    watches_[watch_count_++] = watch;
  }
}

void Watch::rest() {
  for (int i = 0; i < watch_count_; ++i) calls.inotify_rm_watch(inotify_.get(), watches_[i]);
  watch_count_ = 0;
  started_ = false;
  blind_ = false;
}

Noticed Watch::wait(std::int64_t span_ns) {
  if (blind_ && span_ns > kBlindNs) span_ns = kBlindNs;
  if (span_ns < 0) span_ns = 0;
  constexpr std::int64_t kLongest = 86'400'000;
  const std::int64_t span_ms = (span_ns + 999'999) / 1'000'000;
  struct pollfd ready = {inotify_.get(), POLLIN, 0};
  const int count = calls.poll(&ready, inotify_.open() ? 1 : 0,
                               static_cast<int>(span_ms < kLongest ? span_ms : kLongest));
  if (count < 0) return errno == EINTR ? Noticed::interrupted : Noticed::nothing;
  if (count == 0) return Noticed::nothing;
  Noticed result = Noticed::nothing;
  alignas(struct inotify_event) char buffer[4096];
  for (;;) {
    const ssize_t size = calls.read(inotify_.get(), buffer, sizeof buffer);
    if (size <= 0) break;
    for (ssize_t at = 0; at + static_cast<ssize_t>(sizeof(struct inotify_event)) <= size;) {
      struct inotify_event event;
      std::memcpy(&event, buffer + at, sizeof event);
      result = more_urgent(result, event.mask);
      at += static_cast<ssize_t>(sizeof event) + static_cast<ssize_t>(event.len);
    }
  }
  return result;
}

namespace {

// Two names that change places are two moves (inotify reports both for a rename(2)).
constexpr unsigned kNameEvents =
    IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
constexpr unsigned kAlways =
    IN_Q_OVERFLOW | IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT;

bool among(std::string_view name, std::span<const std::string_view> names) {
  for (std::string_view each : names) {
    if (each == name) return true;
  }
  return false;
}

// Reads all events; returns whether any of them concerns the names.
bool drain(int inotify, std::span<const std::string_view> names) {
  bool concerned = false;
  alignas(struct inotify_event) char buffer[4096];
  for (;;) {
    const ssize_t size = calls.read(inotify, buffer, sizeof buffer);
    if (size <= 0) return concerned;
    for (ssize_t at = 0; at + static_cast<ssize_t>(sizeof(struct inotify_event)) <= size;) {
      struct inotify_event event;
      std::memcpy(&event, buffer + at, sizeof event);
      const char* name = buffer + at + sizeof event;
      if ((event.mask & kAlways) != 0) concerned = true;
      if (event.len > 0 && among({name, strnlen(name, event.len)}, names)) concerned = true;
      at += static_cast<ssize_t>(sizeof event) + static_cast<ssize_t>(event.len);
    }
  }
}

}  // namespace

void NameWatch::start(const char* directory) {
  started_ = true;
  inotify_ = Fd(calls.inotify_init(IN_NONBLOCK | IN_CLOEXEC));
  if (inotify_.open() && calls.inotify_add_watch(inotify_.get(), directory, kNameEvents) < 0)
    inotify_.reset();
}

Change NameWatch::wait(std::int64_t span_ns, std::span<const std::string_view> names,
                       std::span<const ProcessHandle* const> processes) {
  struct pollfd ready[1 + kMostProcesses];
  ready[0] = {inotify_.get(), POLLIN, 0};  // poll(2) passes over descriptors below 0
  unsigned count = 1;
  for (const ProcessHandle* process : processes) {
    if (count <= kMostProcesses && process->is_open())
      ready[count++] = {process->descriptor(), POLLIN, 0};
  }
  if (!inotify_.open() && span_ns > kBlindNs) span_ns = kBlindNs;
  constexpr std::int64_t kLongestMs = 86'400'000;
  const std::int64_t end = plus(boot_ns(), {span_ns > 0 ? span_ns : 0});
  for (;;) {
    const std::int64_t left = end == Duration::kForever ? end : end - boot_ns();
    const std::int64_t left_ms = left <= 0 ? 0 : left / 1'000'000 + 1;
    const int got =
        calls.poll(ready, count, static_cast<int>(left_ms < kLongestMs ? left_ms : kLongestMs));
    if (got < 0) return errno == EINTR ? Change::interrupted : Change::nothing;
    if (got == 0 && left_ms < kLongestMs) return Change::nothing;
    for (unsigned i = 1; i < count; ++i) {
      if (ready[i].revents != 0) return Change::process;
    }
    if (ready[0].revents != 0 && drain(inotify_.get(), names)) return Change::name;
  }
}

}  // namespace atmost::os
