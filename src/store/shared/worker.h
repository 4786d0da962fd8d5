// The only thread that calls a network filesystem, so that no other one hangs with its server.
#ifndef ATMOST_STORE_SHARED_WORKER_H
#define ATMOST_STORE_SHARED_WORKER_H

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace atmost::shared {

// Runs one job at a time. A call on a hard mount blocks as long as the server is away, in a sleep
// that only the end of the process ends. So callers wait for a job until a deadline; after that it
// is left to itself: it must own all that it uses. The thread has all signals blocked.
// Thread-safe.
class Worker {
 public:
  Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  // A job that still runs is left behind, with its thread.
  ~Worker();

  enum class Ran : std::uint8_t {
    done,
    late,         // the job still runs (or an earlier one, and this one was not begun)
    interrupted,  // the same, because a signal handler of the caller ran
  };
  // Blocks until the job is done, until `until_boot_ns`, or, if `interruptible`, until a signal
  // handler ran. First waits for the job of an earlier call that is still running.
  Ran run(std::function<void()> job, std::int64_t until_boot_ns, bool interruptible = false);
  // Makes blocking calls of the running job return EINTR (Blocking::thread_alarm), until it is
  // done or `until_boot_ns` has come. True if it is done.
  bool cancel(std::int64_t until_boot_ns);
  // True if no job is running.
  bool idle() const;

 private:
  struct Shared;
  static void serve(const std::shared_ptr<Shared>& shared);
  // False: not done in time; EINTR in `interrupted`.
  bool wait(std::int64_t until_boot_ns, bool interruptible, bool& interrupted);
  int start();

  std::shared_ptr<Shared> shared_;
  std::timed_mutex turn_;  // of the callers
  std::thread thread_;
};

}  // namespace atmost::shared

#endif
