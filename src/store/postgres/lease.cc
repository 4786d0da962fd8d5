#include <poll.h>

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
          {one.key, number(one.held.token), number(ttl.ns / 1000), number(kNoRenewal)},
          2};
}

Statement drop_rows(const HeldRows& one) {
  return {"DELETE FROM atmost.holder WHERE lock = $1 AND token = $2 RETURNING slot",
          {one.key, number(one.held.token)},
          1};
}

HeldLease::HeldLease(PostgresSession& session, std::unique_ptr<Connection> connection,
                     std::vector<HeldRows> rows, std::vector<HeldLock> held, Duration ttl)
    : session_(session),
      connection_(std::move(connection)),
      held_(std::move(held)),
      rows_(std::move(rows)),
      ttl_(ttl) {
  connection_->set_bell(renewal_.bell());
  connection_->go_first(true);
}

HeldLease::~HeldLease() {
  renewal_.stop();
  if (look_ != nullptr) look_->end();
}

int HeldLease::start(std::int64_t sent_boot_ns, Duration pause, Duration reserve) {
  look_at_hosts();
  return renewal_.start(*this, sent_boot_ns, ttl_, pause, reserve);
}

std::unique_ptr<Connection> HeldLease::stop() {
  renewal_.stop();
  connection_->set_bell(-1);
  return std::move(connection_);
}

// Asks all hosts of the URL, unless there is only one or the look before has not ended.
void HeldLease::look_at_hosts() {
  const Client& client = *session_.client_;
  if (client.address.servers.size() > 1 && look_ == nullptr)
    look_ = HostLook::begin(client.address, client.id);
}

// True if the look that has ended found that another host leads, too. A look that began before our
// session did counts for nothing: a server that was restarted since would pass for another one.
bool HeldLease::overtaken(std::int64_t give_up) {
  if (look_ == nullptr || !look_->done()) return false;
  const std::shared_ptr<HostLook> look = std::move(look_);
  if (look->begun_boot_ns() <= connection_->opened_boot_ns()) return false;
  const Statement question[] = {ask_state()};
  const HostState ours = read_state(connection_->ask(question, give_up)[0]);
  return std::any_of(look->hosts().begin(), look->hosts().end(),
                     [&](const HostState& each) { return overtakes(each, ours); });
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
    if (overtaken(give_up)) return fleet::Renewed::lost;
    look_at_hosts();
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
         {one.key, number(one.held.token)},
         1});
  }
  connection_->forget_news();
  for (const Rows& rows : connection_->ask(statements, give_up)) {
    rows.expect(1);
    if (rows.integer(0, 0) > 0) return true;
  }
  return false;
}

// Blocks until there is news, `renewal_.bell()` is readable or the time is up; makes a broken
// connection anew meanwhile.
bool HeldLease::news(std::int64_t until) {
  try {
    connection_->open(std::min(plus(os::boot_ns(), kPatience), until));
    return connection_->await_news(until, renewal_.bell());
  } catch (const DatabaseError&) {
    const std::int64_t again = std::min(plus(os::boot_ns(), kAgain), until);
    while (os::boot_ns() < again) {
      pollfd bell = {renewal_.bell(), POLLIN, 0};
      if (poll(&bell, 1, static_cast<int>((again - os::boot_ns()) / 1'000'000 + 1)) > 0) break;
    }
    return false;
  }
}

bool HeldLease::asked_to_stop(std::int64_t until) {
  while (os::boot_ns() < until) {
    pollfd bell = {renewal_.bell(), POLLIN, 0};
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

// In the order of the keys, in which every caller locks rows.
std::vector<HeldRows> HeldLease::sorted_rows() const {
  std::vector<HeldRows> rows = rows_;
  std::sort(rows.begin(), rows.end(),
            [](const HeldRows& a, const HeldRows& b) { return a.key < b.key; });
  return rows;
}

// Looks, ends the hold and writes that.
void HeldLease::give_back(Connection& connection, Ending ending, const Instant& now,
                          std::int64_t deadline) const {
  const std::string& clock = session_.client_->settings.clock;
  const std::vector<HeldRows> locks = sorted_rows();
  std::vector<Statement> statements = {begin()};
  for (const HeldRows& one : locks) {
    statements.push_back(read_row(one.key, 0, clock));
    statements.push_back(drop_rows(one));
  }
  const std::vector<Rows> answers = connection.ask(statements, deadline);
  statements.clear();
  for (std::size_t i = 0; i < locks.size(); ++i) {
    const Rows& row = answers[1 + 2 * i];
    // No finish is recorded after the lease was lost: others may have run since.
    if (row.count() == 1 && answers[2 + 2 * i].count() > 0) {
      const Clocks clocks = {now, now.boot_ns, clock_of(row)};
      const rule::State before = state_of(row, clocks);
      rule::LockPlan plan;
      plan.state = before;
      if (rule::finish(plan.state, locks[i].held, ending, now))
        statements.push_back(write_row(locks[i].key, before, plan, clocks, clock));
    }
    statements.push_back(wake_first(locks[i].key));
  }
  statements.push_back(commit());
  statements.push_back(on_disk());
  connection.ask(statements, deadline);
}

std::int64_t HeldLease::release(Ending ending, const Instant& now) {
  Client& client = *session_.client_;
  const bool lost = upkeep().lost;
  const std::int64_t until = upkeep().until_boot_ns;
  std::int64_t left_until = 0;
  if (std::unique_ptr<Connection> connection = stop(); !client.connection->is_open())
    client.connection = std::move(connection);
  client.connection->go_first(true);
  try {
    client.talk(
        [&](Connection& connection, std::int64_t deadline) {
          try {
            give_back(connection, ending, now, deadline);
          } catch (const DatabaseError& failure) {
            connection.abandon(deadline);
            if (!failure.is(kLockTimeout)) throw;
            // Another transaction has locked the lock's row. Our slots need not wait for it; the
            // waiters will look for themselves.
            std::vector<Statement> bare;
            for (const HeldRows& one : rows_) bare.push_back(drop_rows(one));
            connection.ask(bare, deadline);
          }
        },
        true, until);
  } catch (const DatabaseError&) {
    // No renewal follows: the slots are free when the lease ends, and then there is nothing left to
    // release.
    left_until = lost ? 0 : until;
  }
  client.connection->go_first(false);
  return left_until;
}

}  // namespace atmost::postgres
