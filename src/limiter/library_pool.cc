// The locks of the C library's program: those that are free for use again, and what a fork does to
// all.
#include <new>

#include "library_lock.h"
#include "os/clock.h"
#include "os/process_label.h"
#include "os/self.h"
#include "os/wait_gate.h"

namespace atmost::limiter {
namespace {

// A fork waits for this mutex, so that no thread is opening or closing a lock file.
os::Mutex fork_mutex;
bool begun = false;
LibraryLock* pool = nullptr;
LibraryLock* all = nullptr;

// A forked child that goes on without exec must not keep its parent's guard or its place in a
// queue.
void close_all_private() {
  for (LibraryLock* lock = all; lock != nullptr; lock = lock->next_of_all) lock->close_private();
}

// What list and the history call this program. Written once, before the first lock.
Text<63> program_name;

// Runs when the library is loaded. A fork that began before would not know the mutex: if another
// thread took its first lock meanwhile, the child would find the mutex locked for ever.
[[gnu::constructor]] void meet_forks() { os::keep_through_fork(fork_mutex, close_all_private); }

// Under the mutex, which every thread locks before its first lock.
void begin_process() {
  os::prepare_gates();
  os::remember_process_id();
  os::read_clocks_in_process();
  os::ProcessLabel label;
  if (os::process_label(os::process_id(), label)) program_name = label.name;
}

}  // namespace

std::string_view LibraryLock::program() { return program_name; }

LibraryLock* fresh_lock() {
  {
    const os::Locked locked(fork_mutex);
    if (!begun) begin_process();
    begun = true;
    if (LibraryLock* lock = pool) {
      pool = lock->next_unused;
      lock->next_unused = nullptr;
      return lock;
    }
  }
  void* room = os::pages(sizeof(LibraryLock));
  if (room == nullptr) return nullptr;
  auto* lock = new (room) LibraryLock(fork_mutex);
  const os::Locked locked(fork_mutex);
  lock->next_of_all = all;
  all = lock;
  return lock;
}

void give_back(LibraryLock* lock) {
  const os::Locked locked(fork_mutex);
  lock->next_unused = pool;
  pool = lock;
}

LibraryLock* last_taken_by(std::uint64_t thread) {
  const os::Locked locked(fork_mutex);
  LibraryLock* last = nullptr;
  for (LibraryLock* lock = all; lock != nullptr; lock = lock->next_of_all) {
    if (__atomic_load_n(&lock->taker, __ATOMIC_RELAXED) != thread) continue;
    if (last == nullptr || lock->nth > last->nth) last = lock;
  }
  return last;
}

}  // namespace atmost::limiter
