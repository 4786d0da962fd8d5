#include "renewal.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "os/clock.h"

namespace atmost::fleet {
namespace {

// The pause after a renewal without an answer: short, but not so short as to overload a store that
// is failing.
constexpr Duration kAgain = Duration::millis(250);
// The longest that one renewal waits for its answer: the next one may reach a member that does
// answer.
constexpr Duration kPatience = Duration::seconds(2);

}  // namespace

Renewal::Renewal() : bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Renewal::~Renewal() {
  stop();
  if (bell_ >= 0) close(bell_);
}

void Renewal::wake() {
  const std::uint64_t one = 1;
  if (write(bell_, &one, sizeof one) < 0) {  // full: it is readable already
  }
}

bool Renewal::rest(std::int64_t until_boot_ns) {
  constexpr std::int64_t kLongestMs = 3'600'000;
  const std::int64_t left = std::max<std::int64_t>(until_boot_ns - os::boot_ns(), 0);
  pollfd polled = {bell_, POLLIN, 0};
  const auto wait_ms = static_cast<int>(std::min(left / 1'000'000 + 1, kLongestMs));
  if (poll(&polled, 1, wait_ms) <= 0) return false;
  std::uint64_t woken = 0;
  return read(bell_, &woken, sizeof woken) > 0;
}

int Renewal::start(Renewer& renewer, std::int64_t sent_boot_ns, Duration ttl, Duration pause,
                   Duration reserve) {
  stop();
  renewer_ = &renewer;
  ttl_ = ttl;
  set_pause(pause, reserve);
  again_boot_ns_ = 0;
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
  wake();
  thread_.join();
  running_ = false;
}

void Renewal::cease() {
  if (!running_) return;
  ending_ = true;
  wake();
}

Upkeep Renewal::upkeep() const {
  Upkeep upkeep;
  upkeep.until_boot_ns = until_boot_ns_;
  upkeep.lost = lost_ || os::boot_ns() >= upkeep.until_boot_ns;
  upkeep.asked_to_stop = asked_;
  if (upkeep.asked_to_stop) upkeep.contest = Contest::for_its_place;
  return upkeep;
}

void Renewal::enter(void* self) { static_cast<Renewal*>(self)->run(); }

void Renewal::renewed(std::int64_t sent_boot_ns) {
  const std::int64_t until = plus(sent_boot_ns, ttl_);
  std::int64_t known = until_boot_ns_;
  while (known < until && !until_boot_ns_.compare_exchange_weak(known, until)) {
  }
}

std::int64_t Renewal::next_boot_ns() const {
  return again_boot_ns_ != 0 ? again_boot_ns_ : until_boot_ns_ - ttl_.ns + pause_ns_;
}

void Renewal::run() {
  while (!ending_ && !lost_) {
    if (os::boot_ns() >= next_boot_ns()) {
      renew();
    } else if (renewer_->asked_to_stop(next_boot_ns()) && !asked_.exchange(true)) {
      poke();
    } else if (renewer_->doubts()) {
      again_boot_ns_ = os::boot_ns();
    }
  }
}

void Renewal::renew() {
  const std::int64_t sent = os::boot_ns();
  const std::int64_t end = until_boot_ns_;
  const std::int64_t last = end - reserve_ns_;
  // Past the deadline another caller may hold the lock: a renewal that then succeeds is useless.
  Renewed answer = sent >= end ? Renewed::lost : Renewed::unknown;
  if (sent < last) answer = renewer_->renew(std::min(plus(sent, kPatience), last));
  if (answer == Renewed::yes && os::boot_ns() >= last) answer = Renewed::unknown;
  switch (answer) {
    case Renewed::yes:
      renewed(sent);
      again_boot_ns_ = 0;
      // The timer for the old end would continue a stopped supervisor, which would then go on
      // renewing.
      poke();
      break;
    case Renewed::unknown:
      again_boot_ns_ = plus(os::boot_ns(), kAgain);
      break;
    case Renewed::lost:
      lost_ = true;
      poke();
      break;
  }
}

// Wakes a thread that waits for children (SignalGate reads it; without a gate it has no effect).
void Renewal::poke() { kill(getpid(), SIGCHLD); }

}  // namespace atmost::fleet
