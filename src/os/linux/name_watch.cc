#include "../name_watch.h"

#include <sys/inotify.h>

#include <cerrno>
#include <cstring>

#include "../calls.h"
#include "../clock.h"

namespace atmost::os {
namespace {

// Two names that change places are two moves (inotify reports both for a rename(2)).
constexpr unsigned kEvents =
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
  if (inotify_.open() && calls.inotify_add_watch(inotify_.get(), directory, kEvents) < 0)
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
