#include "library_lock.h"

#include <new>

#include "admission.h"
#include "os/clock.h"
#include "os/self.h"
#include "os/watch.h"
#include "policy/decide.h"

namespace atmost::limiter {
namespace {

// The listener wakes by the file's events; this is for those that were lost.
constexpr std::int64_t kListenNs = 500'000'000;

// Whoever forks waits for it: nobody is in the midst of opening or closing a lock file then.
os::Mutex fork_mutex;
bool forks_met = false;
LibraryLock* pool = nullptr;
LibraryLock* all = nullptr;

// A child that lives on, and never calls exec, must not keep the guard or a place in a queue that its parent had.
void close_all_private() {
  for (LibraryLock* lock = all; lock != nullptr; lock = lock->next_of_all) lock->close_private();
}

}  // namespace

LibraryLock::LibraryLock() {
  store_.set_kind(HolderKind::library);
  store_.set_heirs(local::Heirs::forks, &fork_mutex);
  store_.set_blocking(os::Blocking::polling);
}

Outcome LibraryLock::get() {
  Outcome outcome = admit(store_, request_, policy::decide, nullptr, lease_, Signals::theirs);
  if (!lease_.held()) {
    store_.close();
    return outcome;
  }
  token_ = outcome.token;
  slot_ = outcome.slot;
  owner_ = os::process_id();
  ending_ = false;
  listening_ = on_lost_ != nullptr && listener_.start(listen, this) == 0;
  return outcome;
}

bool LibraryLock::held() const {
  if (inherited()) return lease_.held();
  const os::Locked locked(mutex_);
  return lease_.held();
}

// In a forked child: the lock is the parent's, and whoever may have locked the mutex is not here.
bool LibraryLock::inherited() const { return owner_ != os::process_id(); }

// True when the lease was ours to end.
bool LibraryLock::let_go(Ending ending) {
  if (inherited()) {
    mutex_.begin_anew();
    lease_.detach();
    store_.close();
    return false;
  }
  const os::Locked locked(mutex_);
  ending_ = true;
  const bool was_held = lease_.held();
  lease_.release(ending, os::now());
  return was_held;
}

void LibraryLock::release(Ending ending) {
  (void)let_go(ending);
  if (!listening_ || inherited()) return;
  listening_ = false;
  if (listener_.is_self()) {
    listener_.detach();  // released from within on_lost
  } else {
    listener_.join();  // at once: releasing wrote to the file it watches
  }
}

bool LibraryLock::lose_if_asked() {
  os::Watch watch;
  for (;;) {
    bool revoked;
    {
      const os::Locked locked(mutex_);
      if (ending_ || !lease_.held()) return false;
      revoked = store_.revoked(watch);
    }
    if (revoked) return let_go(Ending::unknown);
    (void)watch.wait(kListenNs);
  }
}

void LibraryLock::listen(void* self) {
  auto* lock = static_cast<LibraryLock*>(self);
  if (lock->lose_if_asked()) lock->on_lost_(lock->context_, lock->token_);
}

LibraryLock* fresh_lock() {
  {
    const os::Locked locked(fork_mutex);
    if (!forks_met) os::keep_through_fork(fork_mutex, close_all_private);
    forks_met = true;
    if (LibraryLock* lock = pool) {
      pool = lock->below;
      lock->below = nullptr;
      return lock;
    }
  }
  void* room = os::pages(sizeof(LibraryLock));
  if (room == nullptr) return nullptr;
  auto* lock = new (room) LibraryLock;
  const os::Locked locked(fork_mutex);
  lock->next_of_all = all;
  all = lock;
  return lock;
}

void give_back(LibraryLock* lock) {
  const os::Locked locked(fork_mutex);
  lock->below = pool;
  pool = lock;
}

}  // namespace atmost::limiter
