// Stopping the holder of a slot: it is asked through its row, and stops itself. If it cannot
// answer, its lease ends.
#include <algorithm>
#include <utility>

#include "os/clock.h"
#include "session.h"
#include "statements.h"
#include "store/fleet/locks.h"

namespace atmost::postgres {
namespace {

// A taker refreshes its claim whenever it queries; the claim of a dead taker ends after this.
constexpr Duration kClaimLasts = Duration::seconds(2);

std::int64_t asked_level(SignalStep step) {
  switch (step) {
    case SignalStep::interrupt:
      return 1;
    case SignalStep::terminate:
      return 2;
    case SignalStep::kill:
      return 3;  // no more renewals: the hold ends with its lease
    case SignalStep::look:
    case SignalStep::prove:
      break;
  }
  return 0;
}

}  // namespace

// A row of atmost.takeover. If this process dies, the claim ends after two seconds.
class PostgresSession::Stop final : public fleet::AskedStop {
 public:
  Stop(PostgresSession& session, std::string key, std::uint32_t slot, std::uint64_t hold)
      : session_(session), key_(std::move(key)), slot_(slot), hold_(hold) {
    session_.stops_.insert(this);
  }
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;

  void close() override;
  // Ends the claim. Failures are ignored: it ends by itself.
  void unclaim();

 private:
  ~Stop() { session_.stops_.erase(this); }
  Result<SignalResult> ask(SignalStep step) override;

  PostgresSession& session_;
  const std::string key_;
  const std::uint32_t slot_;
  const std::uint64_t hold_;
};

Result<Owned<HolderStop>> PostgresSession::stop(std::uint32_t lock, std::uint32_t slot,
                                                std::uint64_t hold, StopFor) {
  const std::string& key = keys_[lock];
  const Statement statements[] = {
      begin(),
      take_row(key),
      {"INSERT INTO atmost.takeover AS old (lock, slot, owner, expires) VALUES ($1, $2, $3, "
       "clock_timestamp() + " +
           interval_of(4) +
           ") ON CONFLICT (lock, slot) DO UPDATE SET owner = excluded.owner, expires = "
           "excluded.expires WHERE old.owner = excluded.owner OR old.expires <= clock_timestamp() "
           "RETURNING slot",
       {key, number(slot), client_->id.owner, number(kClaimLasts.ns / 1000)},
       1},
      commit()};
  bool begun = false;
  const Status done = client_->run([&](Connection& connection, std::int64_t deadline) {
    const Rows claimed = std::move(connection.ask(statements, deadline)[2]);
    begun = claimed.count() == 1 && claimed.integer(0, 0) == slot;
  });
  if (!done.ok()) return done.error();
  if (!begun) return Owned<HolderStop>();
  if (client_->settings.alone) latch_.arm();
  return Owned<HolderStop>(new Stop(*this, key, slot, hold));
}

// A taker that receives a termination signal releases the slots that it has closed to others.
void PostgresSession::end_if_signalled() {
  if (!latch_.is_set()) return;
  for (Stop* stop : stops_) stop->unclaim();
  latch_.obey();
}

Result<SignalResult> PostgresSession::Stop::ask(SignalStep step) {
  session_.end_if_signalled();
  Client& client = *session_.client_;
  const std::int64_t level = asked_level(step);
  const Statement statements[] = {
      {"UPDATE atmost.takeover SET expires = clock_timestamp() + " + interval_of(4) +
           " WHERE lock = $1 AND slot = $2 AND owner = $3",
       {key_, number(slot_), client.id.owner, number(kClaimLasts.ns / 1000)}},
      {"WITH noted AS (UPDATE atmost.holder SET asked = $4 WHERE lock = $1 AND slot = $2 AND token "
       "= $3 AND asked < $4 AND expires > clock_timestamp() RETURNING owner) SELECT "
       "pg_notify('atmost_' || owner, '') FROM noted",
       {key_, number(slot_), number(hold_), number(level)},
       1},
      {"SELECT " + holder_columns() + ", " + micros(client.settings.clock) +
           " FROM atmost.holder WHERE lock = $1 AND slot = $2 AND token = $3 AND expires > "
           "clock_timestamp()",
       {key_, number(slot_), number(hold_)},
       kHolderColumns + 1}};
  SignalResult found;
  const Status done = client.run([&](Connection& connection, std::int64_t deadline) {
    const std::vector<Rows> answers = connection.ask(statements, deadline);
    found = {};
    found.signalled = answers[1].count() > 0 ? 1 : 0;
    const Rows& row = answers[2];
    if (row.count() == 0) return;
    const Instant now = {0, os::boot_ns(), false};
    const Holder holder =
        read_holder(row, 0, 0, {now, now.boot_ns, row.integer(0, kHolderColumns, 1)});
    found.held = true;
    found.pid = holder.view.pid;
    found.host = holder.view.host;
    found.id = holder.view.id;
    found.command = holder.view.command;
    found.noted = true;
    found.token = holder.view.token;
    found.start = holder.view.start;
    // The row may be very old, so the time is limited to a day.
    const std::int64_t left_us = std::min(holder.left_us, Duration::seconds(86400).ns / 1000);
    if (step == SignalStep::kill) found.until_boot_ns = plus(now.boot_ns, {left_us * 1000});
  });
  return done.ok() ? Result<SignalResult>(found) : done.error();
}

void PostgresSession::Stop::close() {
  unclaim();
  PostgresSession& session = session_;
  delete this;
  if (!session.stops_.empty() || session.queued_) return;
  if (session.lease_ == nullptr) session.end_if_signalled();
  session.latch_.disarm();
}

void PostgresSession::Stop::unclaim() {
  Client& client = *session_.client_;
  const Statement statements[] = {
      begin(),
      take_row(key_),
      {"DELETE FROM atmost.takeover WHERE lock = $1 AND slot = $2 AND owner = $3",
       {key_, number(slot_), client.id.owner}},
      wake_first(key_),
      commit()};
  // After a failure the claim ends by itself.
  (void)client.run(
      [&](Connection& connection, std::int64_t deadline) { connection.ask(statements, deadline); });
}

}  // namespace atmost::postgres
