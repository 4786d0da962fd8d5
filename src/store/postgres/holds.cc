#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "asking.h"
#include "hold.h"
#include "os/clock.h"

namespace atmost::postgres {
namespace {

// A connection that broke is made anew so often. What news there was is known from the rows.
constexpr Duration kAgain = Duration::millis(200);
constexpr Duration kPatience = Duration::seconds(2);

// asked (schema.cc): from here on no renewal.
constexpr std::int64_t kNoRenewal = 3;

}  // namespace

Statement renew_rows(const HeldRows& one, Duration ttl) {
  return {"UPDATE atmost.holder SET expires = CASE WHEN asked < $4 THEN clock_timestamp() + " +
              interval_of(3) +
              " ELSE expires END WHERE lock = $1 AND token = $2 RETURNING slot, asked",
          {one.key, number(one.held.token), number(ttl.ns / 1000), number(kNoRenewal)},
          "UPDATE",
          2};
}

Hold::Hold(std::unique_ptr<Link> link, std::vector<HeldRows> locks, Duration ttl)
    : link_(std::move(link)),
      locks_(std::move(locks)),
      ttl_(ttl),
      bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  link_->set_bell(bell_);
}

Hold::~Hold() {
  renewal_.stop();
  if (bell_ >= 0) close(bell_);
}

int Hold::start(std::int64_t sent_boot_ns, Duration pause) {
  return renewal_.start(*this, sent_boot_ns, ttl_, pause);
}

std::unique_ptr<Link> Hold::stop() {
  renewal_.stop();
  link_->set_bell(-1);
  return std::move(link_);
}

void Hold::wake() {
  const std::uint64_t one = 1;
  if (write(bell_, &one, sizeof one) < 0) {  // full: it rings already
  }
}

// All rows, or lost. By token, whichever connection this is: a hold outlives its session. A row
// that is there is ours, also when it should have ended by the server's clock: nobody has taken its
// place, and the clock may have been set forward.
fleet::Renewed Hold::renew(std::int64_t give_up) {
  try {
    link_->open(give_up);
    std::vector<Statement> statements = {begin()};
    for (const HeldRows& one : locks_) {
      statements.push_back(renew_rows(one, ttl_));
    }
    statements.push_back(commit());
    const std::vector<Rows> answers = link_->ask(statements, give_up);
    for (std::size_t i = 0; i < locks_.size(); ++i) {
      const Rows& rows = answers[i + 1];
      std::vector<std::uint32_t> slots;
      for (int row = 0; row < rows.count(); ++row) {
        slots.push_back(static_cast<std::uint32_t>(rows.integer(row, 0, 1, kMaxSlots)));
        if (rows.integer(row, 1, 0, kNoRenewal) >= kNoRenewal) return fleet::Renewed::unknown;
      }
      std::sort(slots.begin(), slots.end());
      const HeldLock& held = locks_[i].held;
      if (!std::equal(slots.begin(), slots.end(), held.slots, held.slots + held.count))
        return fleet::Renewed::lost;
    }
    return fleet::Renewed::yes;
  } catch (const Trouble&) {
    return fleet::Renewed::unknown;
  }
}

bool Hold::told_to_stop() {
  const std::int64_t give_up = plus(os::boot_ns(), kPatience);
  std::vector<Statement> statements;
  for (const HeldRows& one : locks_) {
    statements.push_back(
        {"SELECT coalesce(max(asked), 0) FROM atmost.holder WHERE lock = $1 AND token = $2",
         {one.key, number(one.held.token)},
         "SELECT",
         1});
  }
  link_->forget_news();
  for (const Rows& rows : link_->ask(statements, give_up)) {
    rows.expect(1);
    if (rows.integer(0, 0) > 0) return true;
  }
  return false;
}

// Blocks until there is news, the bell rings or the time is up; a broken connection is made anew
// meanwhile.
bool Hold::news(std::int64_t until) {
  try {
    link_->open(std::min(plus(os::boot_ns(), kPatience), until));
    return link_->await_news(until, bell_);
  } catch (const Trouble&) {
    const std::int64_t again = std::min(plus(os::boot_ns(), kAgain), until);
    while (os::boot_ns() < again) {
      pollfd bell = {bell_, POLLIN, 0};
      if (poll(&bell, 1, static_cast<int>((again - os::boot_ns()) / 1'000'000 + 1)) > 0) break;
    }
    return false;
  }
}

bool Hold::asked_to_stop(std::int64_t until) {
  while (os::boot_ns() < until) {
    pollfd bell = {bell_, POLLIN, 0};
    if (poll(&bell, 1, 0) > 0) return false;  // for good: it rings once, at the end
    if (!news(until)) continue;
    try {
      if (told_to_stop()) return true;
      news_ = true;
      return false;
    } catch (const Trouble&) {
      // The next round makes a new connection, whose first news is that there may have been some.
    }
  }
  return false;
}

}  // namespace atmost::postgres
