// The few things that a library in a threaded program needs: memory of its own, a mutex, a thread.
#ifndef ATMOST_OS_THREADS_H
#define ATMOST_OS_THREADS_H

#include <pthread.h>

#include <cstddef>
#include <cstdint>

namespace atmost::os {

// Zeroed pages, or null. Never unmapped: callers keep the pages and reuse them.
void* pages(std::size_t size);

// A mutex that constant initialisation makes ready. Not recursive.
class Mutex {
 public:
  void lock() { pthread_mutex_lock(&mutex_); }
  bool try_lock() { return pthread_mutex_trylock(&mutex_) == 0; }
  void unlock() { pthread_mutex_unlock(&mutex_); }
  // For a forked child, in which the thread that may have locked it does not exist.
  void begin_anew() { mutex_ = PTHREAD_MUTEX_INITIALIZER; }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

class Locked {
 public:
  explicit Locked(Mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() { mutex_.unlock(); }

 private:
  Mutex& mutex_;
};

// From now on fork waits for the mutex first, so that a child never finds it locked by a thread
// that does not exist in it; and in the child `in_child` runs, with the mutex still locked, before
// fork returns. It may make async-signal-safe calls only. For one mutex of the process, once. It
// has no effect on vfork, posix_spawn and a bare clone(2).
void keep_through_fork(Mutex& mutex, void (*in_child)());

// The number of forks since keep_through_fork(), in this process and those it comes from. A thread
// that sets a variable (__ATOMIC_SEQ_CST) and then finds the count as before knows that `in_child`
// of every later fork finds the variable set.
std::uint64_t fork_count();

// A thread with every signal blocked, so that it never runs the program's handlers.
class Thread {
 public:
  // 0 or an errno value.
  int start(void (*body)(void*), void* context);
  bool is_self() const;
  void join();
  void detach();

 private:
  static void* enter(void* self);
  pthread_t id_{};
  void (*body_)(void*) = nullptr;
  void* context_ = nullptr;
};

}  // namespace atmost::os

#endif
