#include "threads.h"

#include <signal.h>
#include <sys/mman.h>

#include "calls.h"

namespace atmost::os {

void* pages(std::size_t size) {
  void* at = calls.mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

void* Thread::enter(void* self) {
  const auto* thread = static_cast<Thread*>(self);
  thread->body_(thread->context_);
  return nullptr;
}

namespace {

Mutex* the_kept = nullptr;
void (*run_in_child)() = nullptr;
std::uint64_t forks = 0;

Mutex& kept() { return *__atomic_load_n(&the_kept, __ATOMIC_ACQUIRE); }

}  // namespace

void keep_through_fork(Mutex& mutex, void (*in_child)()) {
  run_in_child = in_child;
  __atomic_store_n(&the_kept, &mutex, __ATOMIC_RELEASE);
  // If there is no memory for the registration, forks behave as without it.
  (void)pthread_atfork(
      [] {
        kept().lock();
        __atomic_add_fetch(&forks, 1, __ATOMIC_SEQ_CST);
      },
      [] { kept().unlock(); },
      [] {
        run_in_child();
        kept().unlock();
      });
}

std::uint64_t fork_count() { return __atomic_load_n(&forks, __ATOMIC_SEQ_CST); }

int Thread::start(void (*body)(void*), void* context) {
  body_ = body;
  context_ = context;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  calls.thread_mask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(&id_, nullptr, enter, this);
  calls.thread_mask(SIG_SETMASK, &before, nullptr);
  return error;
}

bool Thread::is_self() const { return pthread_equal(id_, pthread_self()) != 0; }

void Thread::join() { pthread_join(id_, nullptr); }

void Thread::detach() { pthread_detach(id_); }

}  // namespace atmost::os
