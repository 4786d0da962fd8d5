#include "renewal.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "os/clock.h"

namespace atmost::fleet {
namespace {

// After a renewal without an answer: soon, but not a storm on a store that is in trouble.
constexpr Duration kAgain = Duration::millis(250);
// One renewal waits no longer for its answer: the next one may reach a better member.
constexpr Duration kPatience = Duration::seconds(2);

}  // namespace

int Renewal::start(Keeper& keeper, std::int64_t sent_boot_ns, Duration ttl, Duration pause) {
  stop();
  keeper_ = &keeper;
  ttl_ = ttl;
  pause_ = pause;
  next_boot_ns_ = plus(sent_boot_ns, pause);
  ending_ = false;
  lost_ = false;
  asked_ = false;
  until_boot_ns_ = plus(sent_boot_ns, ttl);
  const int error = thread_.start(enter, this);
  running_ = error == 0;
  return error;
}

void Renewal::stop() {
  if (!running_) return;
  ending_ = true;
  keeper_->wake();
  thread_.join();
  running_ = false;
}

void Renewal::cease() {
  if (!running_) return;
  ending_ = true;
  keeper_->wake();
}

Upkeep Renewal::upkeep() const {
  Upkeep upkeep;
  upkeep.until_boot_ns = until_boot_ns_;
  upkeep.lost = lost_ || os::boot_ns() >= upkeep.until_boot_ns;
  upkeep.asked_to_stop = asked_;
  return upkeep;
}

void Renewal::enter(void* self) { static_cast<Renewal*>(self)->run(); }

void Renewal::run() {
  while (!ending_ && !lost_) {
    if (os::boot_ns() >= next_boot_ns_) {
      renew();
    } else if (keeper_->asked_to_stop(next_boot_ns_) && !asked_.exchange(true)) {
      poke();
    } else if (keeper_->doubts()) {
      next_boot_ns_ = os::boot_ns();
    }
  }
}

void Renewal::renew() {
  const std::int64_t sent = os::boot_ns();
  const std::int64_t end = until_boot_ns_;
  // Past the deadline somebody else may hold the lock: a lease that revives then is of no use.
  const Renewed renewed = sent >= end ? Renewed::lost : keeper_->renew(std::min(plus(sent, kPatience), end));
  switch (renewed) {
    case Renewed::yes:
      until_boot_ns_ = plus(sent, ttl_);
      next_boot_ns_ = plus(sent, pause_);
      poke();  // a timer for the old end would continue a supervisor that somebody stopped, and it would go on renewing
      break;
    case Renewed::unknown:
      next_boot_ns_ = plus(os::boot_ns(), kAgain);
      break;
    case Renewed::lost:
      lost_ = true;
      poke();
      break;
  }
}

// Whoever waits for children, waits for this (SignalGate reads it; without a gate it has no effect).
void Renewal::poke() { kill(getpid(), SIGCHLD); }

}  // namespace atmost::fleet
