#include "lease.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "os/clock.h"
#include "session.h"

namespace atmost::postgres {
namespace {

// The pause before a broken connection is made anew. The rows show any news that was missed.
constexpr Duration kAgain = Duration::millis(200);
constexpr Duration kPatience = Duration::seconds(2);

// The value of `asked` (schema.cc) from which on there is no renewal.
constexpr std::int64_t kNoRenewal = 3;

}  // namespace

Statement renew_rows(const HeldRows& one, Duration ttl) {
  return {"UPDATE atmost.holder SET expires = CASE WHEN asked < $4 THEN clock_timestamp() + " +
              interval_of(3) +
              " ELSE expires END WHERE lock = $1 AND token = $2 RETURNING slot, asked",
          {one.key, number(one.token), number(ttl.ns / 1000), number(kNoRenewal)},
          "UPDATE",
          2};
}

// Do not record a finish after the lease was lost: others may have run since.
Statement let_go(const HeldRows& one, Ending ending, const Instant& now, const std::string& clock) {
  const std::string gone = "DELETE FROM atmost.holder WHERE lock = $1 AND token = $2";
  std::vector<Value> values = {one.key, number(one.token)};
  if (ending == Ending::not_started) {  // has no part in a rate, if it is still the newest
    return {"WITH gone AS (" + gone +
                " RETURNING slot) UPDATE atmost.lock SET admissions = admissions[: "
                "cardinality(admissions) - 1] WHERE name = $1 AND token = $2 AND EXISTS (SELECT "
                "FROM gone)",
            std::move(values), "UPDATE", 0};
  }
  if (!is_finish(ending)) return {gone, std::move(values), "DELETE", 0};
  values.push_back(given_moment(now));
  const std::string at = "coalesce(" + moment_of(3) + ", " + clock + ")";
  return {"WITH gone AS (" + gone + " RETURNING slot) UPDATE atmost.lock SET last_finish = " + at +
              (ending == Ending::success ? ", last_success = " + at : "") +
              " WHERE name = $1 AND EXISTS (SELECT FROM gone)",
          std::move(values), "UPDATE", 0};
}

HeldLease::HeldLease(PostgresSession& session, std::unique_ptr<Connection> connection,
                     const std::vector<std::string>& keys, std::vector<HeldLock> held, Duration ttl)
    : Hold(held.data()),
      session_(session),
      connection_(std::move(connection)),
      held_(std::move(held)),
      ttl_(ttl),
      bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  for (std::size_t i = 0; i < keys.size(); ++i) rows_.push_back({keys[i], held_[i].token});
  connection_->set_bell(bell_);
}

HeldLease::~HeldLease() {
  renewal_.stop();
  if (bell_ >= 0) close(bell_);
}

int HeldLease::start(std::int64_t sent_boot_ns, Duration pause, Duration reserve) {
  return renewal_.start(*this, sent_boot_ns, ttl_, pause, reserve);
}

std::unique_ptr<Connection> HeldLease::stop() {
  renewal_.stop();
  connection_->set_bell(-1);
  return std::move(connection_);
}

void HeldLease::wake() {
  const std::uint64_t one = 1;
  if (write(bell_, &one, sizeof one) < 0) {  // full: it is readable already
  }
}

// All rows, or lost. By token, on whichever connection, because a hold outlives its session. A row
// that exists is ours, even if its lease has ended by the server's clock: no caller has taken its
// place, and the clock may have been set forward.
fleet::Renewed HeldLease::renew(std::int64_t give_up) {
  try {
    connection_->open(give_up);
    std::vector<Statement> statements = {begin()};
    for (const HeldRows& one : rows_) {
      statements.push_back(renew_rows(one, ttl_));
    }
    statements.push_back(commit());
    const std::vector<Rows> answers = connection_->ask(statements, give_up);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Rows& rows = answers[i + 1];
      std::vector<std::uint32_t> slots;
      for (int row = 0; row < rows.count(); ++row) {
        slots.push_back(static_cast<std::uint32_t>(rows.integer(row, 0, 1, kMaxSlots)));
        if (rows.integer(row, 1, 0, kNoRenewal) >= kNoRenewal) return fleet::Renewed::unknown;
      }
      std::sort(slots.begin(), slots.end());
      const HeldLock& held = held_[i];
      if (!std::equal(slots.begin(), slots.end(), held.slots, held.slots + held.count))
        return fleet::Renewed::lost;
    }
    return fleet::Renewed::yes;
  } catch (const DatabaseError&) {
    return fleet::Renewed::unknown;
  }
}

bool HeldLease::told_to_stop() {
  const std::int64_t give_up = plus(os::boot_ns(), kPatience);
  std::vector<Statement> statements;
  for (const HeldRows& one : rows_) {
    statements.push_back(
        {"SELECT coalesce(max(asked), 0) FROM atmost.holder WHERE lock = $1 AND token = $2",
         {one.key, number(one.token)},
         "SELECT",
         1});
  }
  connection_->forget_news();
  for (const Rows& rows : connection_->ask(statements, give_up)) {
    rows.expect(1);
    if (rows.integer(0, 0) > 0) return true;
  }
  return false;
}

// Blocks until there is news, `bell_` is readable or the time is up; makes a broken connection anew
// meanwhile.
bool HeldLease::news(std::int64_t until) {
  try {
    connection_->open(std::min(plus(os::boot_ns(), kPatience), until));
    return connection_->await_news(until, bell_);
  } catch (const DatabaseError&) {
    const std::int64_t again = std::min(plus(os::boot_ns(), kAgain), until);
    while (os::boot_ns() < again) {
      pollfd bell = {bell_, POLLIN, 0};
      if (poll(&bell, 1, static_cast<int>((again - os::boot_ns()) / 1'000'000 + 1)) > 0) break;
    }
    return false;
  }
}

bool HeldLease::asked_to_stop(std::int64_t until) {
  while (os::boot_ns() < until) {
    pollfd bell = {bell_, POLLIN, 0};
    if (poll(&bell, 1, 0) > 0) return false;  // it stays readable: it is set once, at the end
    if (!news(until)) continue;
    try {
      if (told_to_stop()) return true;
      news_ = true;
      return false;
    } catch (const DatabaseError&) {
      // The next round makes a new connection, which begins with news, because some may have been
      // lost.
    }
  }
  return false;
}

void HeldLease::release(Ending ending, const Instant& now, const Lesson&) {
  // The lease object ends here in any case.
  const std::unique_ptr<HeldLease> self = std::move(session_.lease_);
  Client& client = *session_.client_;
  const std::int64_t until = upkeep().until_boot_ns;
  if (std::unique_ptr<Connection> connection = stop(); !client.connection->is_open())
    client.connection = std::move(connection);
  std::vector<HeldRows> locks = rows_;
  std::sort(locks.begin(), locks.end(),
            [](const HeldRows& a, const HeldRows& b) { return a.key < b.key; });
  std::vector<Statement> statements = {begin()};
  for (const HeldRows& one : locks) statements.push_back(take_row_unwaited(one.key));
  for (const HeldRows& one : locks) {
    statements.push_back(let_go(one, ending, now, client.settings.clock));
    statements.push_back(wake_first(one.key));
  }
  statements.push_back(commit());
  statements.push_back(on_disk());
  try {
    client.talk(
        [&](Connection& connection, std::int64_t deadline) {
          try {
            connection.ask(statements, deadline);
          } catch (const DatabaseError& failure) {
            if (!failure.is(kLockTimeout)) throw;
            // Another transaction has locked the lock's row. Our slots need not wait for it; the
            // waiters will look for themselves.
            std::vector<Statement> bare;
            for (const HeldRows& one : locks) {
              bare.push_back(let_go(one, Ending::unknown, now, client.settings.clock));
            }
            connection.ask(bare, deadline);
          }
        },
        true, until);
  } catch (const DatabaseError&) {
    // No renewal follows: the slots are free when the lease ends, and then there is nothing left to
    // release.
  }
}

}  // namespace atmost::postgres
