// A request of the C library on a thread of its own.
#include "lock.h"
#include "os/self.h"

namespace atmost::limiter {

int LibraryLock::begin(const LibraryRequest& from) {
  on_lost_ = from.on_lost;
  context_ = from.context;
  asked_by_ = os::process_id();
  asker_runs_ = false;
  answered_ = get_at_once();
  if (answered_) return 0;
  if (const int error = asking_.open()) return error;
  const int error = asker_.start(get_asked, this);
  asker_runs_ = error == 0;
  if (error != 0) asking_.close();
  return error;
}

void LibraryLock::get_asked(void* self) {
  auto* lock = static_cast<LibraryLock*>(self);
  {
    const os::WaitGate gate(nullptr, lock->asking_.fd(os::WakePair::End::far));
    lock->asked_ = lock->get_at(&gate);
  }
  __atomic_store_n(&lock->answered_, true, __ATOMIC_RELEASE);
  lock->asking_.raise(os::WakePair::End::far);
}

bool LibraryLock::answered() const {
  return __atomic_load_n(&answered_, __ATOMIC_ACQUIRE) || asked_by_ != os::process_id();
}

int LibraryLock::asking_fd() {
  if (!asker_runs_ && !asking_.is_open() && asking_.open() == 0)
    asking_.raise(os::WakePair::End::far);
  return asking_.fd(os::WakePair::End::near);
}

void LibraryLock::cancel() const {
  if (asked_by_ == os::process_id()) asking_.raise(os::WakePair::End::near);
}

bool LibraryLock::finish(Outcome& to) {
  const bool ours = asked_by_ == os::process_id();
  if (ours) {
    if (asker_runs_) asker_.join();
    to = std::move(asked_);
  } else {
    lease_.detach();
    close();
    if (fleet_ != nullptr) fleet_->close();
  }
  asking_.close();
  return ours;
}

}  // namespace atmost::limiter
