#include "worker.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <utility>

#include "os/clock.h"

namespace atmost::shared {

// Lives as long as the thread.
struct Worker::Shared {
  Shared() : done_fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Shared() {
    if (done_fd >= 0) close(done_fd);
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  std::mutex mutex;
  std::condition_variable news;
  std::function<void()> job;
  bool busy = false;
  bool over = false;
  const int done_fd;  // readable: a job is done
};

Worker::Worker() : shared_(std::make_shared<Shared>()) {}

Worker::~Worker() {
  if (!thread_.joinable()) return;
  bool busy = false;
  {
    const std::lock_guard<std::mutex> lock(shared_->mutex);
    shared_->over = true;
    busy = shared_->busy;
  }
  shared_->news.notify_all();
  if (busy) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

void Worker::serve(const std::shared_ptr<Shared>& shared) {
  std::unique_lock<std::mutex> lock(shared->mutex);
  for (;;) {
    shared->news.wait(lock, [&] { return shared->busy || shared->over; });
    if (!shared->busy) return;
    {
      const std::function<void()> job = std::move(shared->job);
      shared->job = nullptr;
      lock.unlock();
      job();
    }  // what the job owns may close files: before it counts as done
    lock.lock();
    shared->busy = false;
    const std::uint64_t one = 1;
    if (write(shared->done_fd, &one, sizeof one) < 0) {  // full: it is readable already
    }
    if (shared->over) return;
  }
}

// The thread inherits the mask of the one that starts it. 0 or an errno value.
int Worker::start() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = 0;
  try {
    thread_ = std::thread([shared = shared_] { serve(shared); });
  } catch (const std::system_error& failure) {
    error = failure.code().value();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}

bool Worker::idle() const {
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  return !shared_->busy;
}

bool Worker::wait(std::int64_t until_boot_ns, bool interruptible, bool& interrupted) {
  constexpr std::int64_t kLongest = 60'000'000'000;
  for (;;) {
    if (idle()) return true;
    const std::int64_t left = until_boot_ns - os::boot_ns();
    if (left <= 0) return false;
    pollfd done = {shared_->done_fd, POLLIN, 0};
    const int ready = poll(&done, 1, static_cast<int>(std::min(left, kLongest) / 1'000'000 + 1));
    if (ready > 0) {
      std::uint64_t count = 0;
      if (read(shared_->done_fd, &count, sizeof count) < 0) {  // another look at `busy` decides
      }
    }
    interrupted = ready < 0 && errno == EINTR;
    if (interrupted && interruptible && !idle()) return false;
  }
}

Worker::Ran Worker::run(std::function<void()> job, std::int64_t until_boot_ns, bool interruptible) {
  // A longer time would not fit into the library's clock.
  constexpr std::int64_t kYear = 365ll * 24 * 3600 * 1'000'000'000;
  const std::int64_t left = std::clamp<std::int64_t>(until_boot_ns - os::boot_ns(), 0, kYear);
  const std::unique_lock<std::timed_mutex> turn(turn_, std::chrono::nanoseconds(left));
  if (!turn) return Ran::late;
  bool interrupted = false;
  if (!wait(until_boot_ns, interruptible, interrupted))
    return interrupted ? Ran::interrupted : Ran::late;
  if (!thread_.joinable() && start() != 0) return Ran::late;
  {
    const std::lock_guard<std::mutex> lock(shared_->mutex);
    shared_->job = std::move(job);
    shared_->busy = true;
  }
  shared_->news.notify_all();
  if (wait(until_boot_ns, interruptible, interrupted)) return Ran::done;
  return interrupted && interruptible ? Ran::interrupted : Ran::late;
}

bool Worker::cancel(std::int64_t until_boot_ns) {
  constexpr std::int64_t kAgain = 10'000'000;
  bool interrupted = false;
  while (!idle() && os::boot_ns() < until_boot_ns) {
    pthread_kill(thread_.native_handle(), SIGALRM);
    (void)wait(std::min(os::boot_ns() + kAgain, until_boot_ns), false, interrupted);
  }
  return idle();
}

}  // namespace atmost::shared
