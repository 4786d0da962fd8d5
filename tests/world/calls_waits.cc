// Clocks and waits: clock_gettime(2), poll(2), futex(2), inotify(7).
#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>

#include <cerrno>
#include <cstring>

#include "world/tables.h"

namespace world {
namespace {

constexpr std::int64_t kMs = 1'000'000;

int clock_gettime(clockid_t clock, struct timespec* to) {
  Call call("clock_gettime");
  std::int64_t at = kernel->now_ns();
  if (clock == CLOCK_REALTIME) {
    at += kernel->real_less_boot_ns();
  } else if (clock != CLOCK_BOOTTIME && clock != CLOCK_MONOTONIC) {
    kernel->fail("the world has no clock " + std::to_string(clock));
  }
  to->tv_sec = at / 1'000'000'000;
  to->tv_nsec = at % 1'000'000'000;
  return 0;
}

int count_ready(const Process& process, struct pollfd* fds, unsigned count) {
  int ready = 0;
  for (unsigned i = 0; i < count; ++i) {
    fds[i].revents = 0;
    if (fds[i].fd < 0) continue;
    const auto found = process.descriptors.find(fds[i].fd);
    fds[i].revents = found == process.descriptors.end()
                         ? static_cast<short>(POLLNVAL)
                         : kernel->ready_events(process, found->second.description, fds[i].events);
    if (fds[i].revents != 0) ++ready;
  }
  return ready;
}

int wait_ready(Process& process, struct pollfd* fds, unsigned count, int timeout_ms) {
  if (process.interrupted && timeout_ms != 0) return Call::fail(EINTR);
  int ready = count_ready(process, fds, count);
  if (ready != 0 || timeout_ms == 0) return ready;
  ReadyWanted wanted;
  for (unsigned i = 0; i < count; ++i) {
    if (fds[i].fd >= 0)
      wanted.entries.push_back({process.descriptors.at(fds[i].fd).description, fds[i].events});
  }
  const std::int64_t deadline_ns = timeout_ms < 0 ? kNever : kernel->now_ns() + timeout_ms * kMs;
  const Slept slept = kernel->sleep(process, std::move(wanted), deadline_ns);
  ready = count_ready(process, fds, count);
  return ready == 0 && slept == Slept::interrupted ? Call::fail(EINTR) : ready;
}

int poll_files(struct pollfd* fds, unsigned count, int timeout_ms) {
  Call call("poll", CallKind::waits);
  return wait_ready(call.process(), fds, count, timeout_ms);
}

int masked_poll(struct pollfd* fds, unsigned count, int timeout_ms, const sigset_t* mask) {
  Call call("ppoll", CallKind::waits);
  Process& process = call.process();
  const std::uint64_t before = process.signals.blocked;
  process.signals.blocked = bits(*mask);
  int ready =
      kernel->deliver(process) ? Call::fail(EINTR) : wait_ready(process, fds, count, timeout_ms);
  process.signals.blocked = before;
  return ready;
}

int wait_word(void* address, std::uint32_t expected, const struct timespec* span) {
  Call call("futex wait", CallKind::waits);
  Process& process = call.process();
  const auto word = kernel->word_at(process, address);
  if (!word) return Call::fail(EFAULT);
  if (kernel->read_word(*word) != expected) return Call::fail(EAGAIN);
  if (process.interrupted) return Call::fail(EINTR);
  const std::int64_t now = kernel->now_ns();
  const std::int64_t deadline_ns = span == nullptr ? kNever : now + nanoseconds(*span);
  switch (kernel->sleep(process, WordWanted{word->inode, word->at, expected, now, false},
                        deadline_ns)) {
    case Slept::granted:
      return 0;
    case Slept::late:
      return Call::fail(ETIMEDOUT);
    case Slept::interrupted:
      break;
  }
  return Call::fail(EINTR);
}

int wake_word(void* address, bool wakes) {
  Call call(wakes ? "futex wake" : "futex requeue");
  const auto word = kernel->word_at(call.process(), address);
  return word ? kernel->ring(*word, wakes) : Call::fail(EFAULT);
}

int inotify_init(int flags) {
  Call call("inotify_init");
  Description made;
  made.flags = (flags & IN_NONBLOCK) != 0 ? O_NONBLOCK : 0;
  made.inotify = std::make_unique<Inotify>();
  return kernel->open_description(call.process(), std::move(made), (flags & IN_CLOEXEC) != 0);
}

int inotify_add_watch(int fd, const char* path, std::uint32_t mask) {
  Call call("inotify_add_watch");
  Description* const of = kernel->description_of(call.process(), fd);
  if (of == nullptr) return -1;
  if (!of->inotify) return Call::fail(EINVAL);
  const int file = kernel->find(path);
  if (file == 0) return Call::fail(ENOENT);
  if ((mask & IN_ONLYDIR) != 0 && !kernel->inode(file).directory) return Call::fail(ENOTDIR);
  for (auto& [number, watch] : of->inotify->watches) {
    if (watch.inode != file) continue;
    watch.mask = mask;  // one watch of a file
    return number;
  }
  const int number = of->inotify->next_watch++;
  of->inotify->watches[number] = {file, mask};
  return number;
}

int inotify_rm_watch(int fd, int watch) {
  Call call("inotify_rm_watch");
  Description* const of = kernel->description_of(call.process(), fd);
  if (of == nullptr) return -1;
  if (!of->inotify || of->inotify->watches.erase(watch) == 0) return Call::fail(EINVAL);
  of->inotify->queue.push_back({watch, IN_IGNORED, {}});
  return 0;
}

}  // namespace

ssize_t read_events(Inotify& from, void* to, std::size_t size) {
  if (from.queue.empty()) return Call::fail(EAGAIN);
  char* at = static_cast<char*>(to);
  char* const end = at + size;
  while (!from.queue.empty()) {
    const InotifyEvent& first = from.queue.front();
    constexpr std::size_t kAligned = sizeof(struct inotify_event);
    const std::size_t length =
        first.name.empty() ? 0 : (first.name.size() + kAligned) / kAligned * kAligned;
    if (static_cast<std::size_t>(end - at) < sizeof(struct inotify_event) + length) break;
    struct inotify_event event = {};
    event.wd = first.watch;
    event.mask = first.mask;
    event.len = static_cast<std::uint32_t>(length);
    std::memcpy(at, &event, sizeof event);
    at += sizeof event;
    std::memset(at, 0, length);
    std::memcpy(at, first.name.data(), first.name.size());
    at += length;
    from.queue.pop_front();
  }
  if (at == to) return Call::fail(EINVAL);  // the buffer is too small for the first event
  return at - static_cast<char*>(to);
}

void install_waits(atmost::os::Calls& calls) {
  calls.clock_gettime = clock_gettime;
  calls.clock_in_process = clock_gettime;
  calls.poll = poll_files;
  calls.bare_poll = poll_files;
  calls.masked_poll = masked_poll;
  calls.wait_word = wait_word;
  calls.wake_word = wake_word;
  calls.inotify_init = inotify_init;
  calls.inotify_add_watch = inotify_add_watch;
  calls.inotify_rm_watch = inotify_rm_watch;
}

}  // namespace world
