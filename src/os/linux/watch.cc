#include "../watch.h"

#include <fcntl.h>
#include <sys/inotify.h>

#include <cerrno>
#include <cstring>

#include "../calls.h"
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

}  // namespace atmost::os
