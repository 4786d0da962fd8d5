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

os::Mutex pool_mutex;
LibraryLock* pool = nullptr;

}  // namespace

LibraryLock::LibraryLock() {
  store_.set_kind(HolderKind::library);
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
  const os::Locked locked(mutex_);
  return lease_.held();
}

// True when the lease was ours to end.
bool LibraryLock::let_go(Ending ending) {
  const os::Locked locked(mutex_);
  ending_ = true;
  const bool was_held = lease_.held();
  if (was_held && owner_ == os::process_id()) {
    lease_.release(ending, os::now());
  } else if (was_held) {
    lease_.detach();
    store_.close();
  }
  return was_held;
}

void LibraryLock::release(Ending ending) {
  (void)let_go(ending);
  if (!listening_ || owner_ != os::process_id()) return;
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
    {
      const os::Locked locked(mutex_);
      if (ending_ || !lease_.held()) return false;
    }
    if (store_.wait_for_revocation(watch, kListenNs)) return let_go(Ending::unknown);
  }
}

void LibraryLock::listen(void* self) {
  auto* lock = static_cast<LibraryLock*>(self);
  if (lock->lose_if_asked()) lock->on_lost_(lock->context_, lock->token_);
}

LibraryLock* fresh_lock() {
  {
    const os::Locked locked(pool_mutex);
    if (LibraryLock* lock = pool) {
      pool = lock->below;
      lock->below = nullptr;
      return lock;
    }
  }
  void* room = os::pages(sizeof(LibraryLock));
  return room != nullptr ? new (room) LibraryLock : nullptr;
}

void give_back(LibraryLock* lock) {
  const os::Locked locked(pool_mutex);
  lock->below = pool;
  pool = lock;
}

}  // namespace atmost::limiter
