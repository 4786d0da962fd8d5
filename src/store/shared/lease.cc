#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "core/lease_time.h"
#include "core/words.h"
#include "directory.h"
#include "os/clock.h"
#include "os/file.h"
#include "session.h"
#include "store/local/hints.h"

namespace atmost::shared {
namespace {

// The interval at which the holder looks for a request to stop: one call of the server for each
// slot.
constexpr Duration kLook = Duration::seconds(1);
constexpr Duration kAnswer = Duration::seconds(2);
constexpr Duration kRelease = Duration::seconds(5);
constexpr Duration kLate = Duration::millis(200);

std::vector<HeldLock> held_by(const Core& core) {
  std::vector<HeldLock> held;
  for (std::uint32_t i = 0; i < core.request.lock_count; ++i) held.push_back(core.lease.lock(i));
  return held;
}

// With the descriptors that hold the locks: after the server has freed one, no write of them
// succeeds. 0, or the first failure.
int beat(const std::vector<HeldLock>& held, std::uint64_t number) {
  for (const HeldLock& lock : held) {
    if (const int error = local::beat(lock.fd, lock.slots[0], lock.token, number)) return error;
  }
  return 0;
}

// True if the path of each lock still leads to the file that is locked: else others may be admitted
// by a new one. Opening it asks the server; stat(2) may answer from what this machine remembers.
bool are_in_place(const std::vector<HeldLock>& held, const Core& core) {
  for (std::size_t i = 0; i < held.size(); ++i) {
    struct stat ours, there;
    const os::Fd found(
        open(core.request.locks[i].path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
    if (!found.open()) {
      if (errno == ENOENT || errno == ELOOP) return false;
      continue;  // it may not be read: nobody else opens it, either
    }
    if (fstat(held[i].fd, &ours) == 0 && fstat(found.get(), &there) == 0 &&
        (ours.st_ino != there.st_ino || ours.st_dev != there.st_dev))
      return false;
  }
  return true;
}

}  // namespace

HeldLease::HeldLease(SharedSession& session) : HeldLease(session, held_by(*session.core_)) {}

HeldLease::HeldLease(SharedSession& session, std::vector<HeldLock> held)
    : session_(session), held_(std::move(held)) {}

HeldLease::~HeldLease() { renewal_.stop(); }

Status HeldLease::begin() {
  const auto failed = std::make_shared<int>(EIO);
  // The attempt may have waited for a server that hung: the heartbeat proves the lock anew.
  const auto sent = std::make_shared<std::int64_t>(0);
  const auto job = [failed, sent, held = held_, core = session_.core_] {
    *sent = os::boot_ns();
    *failed = beat(held, 1);
  };
  if (session_.worker_.run(job, plus(os::boot_ns(), kPatience)) != Worker::Ran::done)
    return silent(session_.core_->directory);
  beats_ = 1;
  int error = *failed;
  const Duration ttl = session_.core_->request.ttl;
  const Duration grace = session_.core_->request.kill_grace;
  const bool warned = session_.core_->request.on_lost == OnLost::warn;
  if (error == 0) {
    error = renewal_.start(*this, *sent, ttl, renewal_pause(ttl, grace),
                           renewal_reserve(grace, warned));
  }
  if (error == 0) return {};
  Error words = error_of(Code::io, error, session_.core_->request.locks[0].path.view());
  words.message.append(": the lock was taken, but the lease cannot be kept: ");
  words.message.append(errno_words(error));
  return words;
}

Upkeep HeldLease::upkeep() const {
  Upkeep known = renewal_.upkeep();
  if (contest_ != Contest::none) known.contest = contest_;
  return known;
}

fleet::Renewed HeldLease::renew(std::int64_t give_up) {
  const auto failed = std::make_shared<int>(EAGAIN);
  const std::uint64_t number = ++beats_;
  const auto in_place = std::make_shared<bool>(true);
  const auto job = [failed, in_place, number, held = held_, core = session_.core_] {
    const int error = beat(held, number);
    *in_place = error != 0 || are_in_place(held, *core);
    *failed = error;
  };
  if (session_.worker_.run(job, give_up) != Worker::Ran::done) return fleet::Renewed::unknown;
  if (!*in_place) return fleet::Renewed::lost;
  if (*failed == 0) return fleet::Renewed::yes;
  // The server has freed the lock. Other failures (a full disk) may pass.
  const bool lost = *failed == EIO || *failed == ESTALE || *failed == EBADF;
  return lost ? fleet::Renewed::lost : fleet::Renewed::unknown;
}

bool HeldLease::asked_to_stop(std::int64_t until) {
  while (!renewal_.rest(std::min(until, plus(os::boot_ns(), kLook))) && os::boot_ns() < until) {
    const auto found = std::make_shared<Contest>(Contest::none);
    const auto job = [found, core = session_.core_] {
      for (std::uint32_t i = 0; i < core->request.lock_count && *found == Contest::none; ++i)
        *found = core->lease.contested(i);
    };
    const std::int64_t give_up = std::min(until, plus(os::boot_ns(), kAnswer));
    if (session_.worker_.run(job, give_up) != Worker::Ran::done) continue;
    if (*found == Contest::none) continue;
    contest_ = *found;
    return true;
  }
  return false;
}

void HeldLease::release(Ending ending, const Instant& now) {
  const bool lost = upkeep().lost;
  renewal_.stop();
  const auto job = [core = session_.core_, ending, now, lost] {
    // Nothing is locked again with a descriptor whose locks the server has freed.
    if (lost) {
      core->lease.detach();
      core->session.close();
      core->opened = false;
    } else {
      core->lease.release(ending, now);
    }
  };
  // If the server is silent, the slots are free when this process has ended, or with its lease.
  (void)session_.worker_.run(job, plus(os::boot_ns(), lost ? kLate : kRelease));
}

}  // namespace atmost::shared
