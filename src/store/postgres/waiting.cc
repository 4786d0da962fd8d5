#include "waiting.h"

#include <algorithm>

#include "attempt.h"
#include "os/clock.h"
#include "os/self.h"
#include "schema.h"
#include "session.h"

namespace atmost::postgres {
namespace {

// How long each refresh of a place is good for (statements.cc has the same for places that do not
// count any more).
constexpr Duration kPlaceLasts = Duration::seconds(30);
constexpr Duration kRefreshEvery = Duration::seconds(10);
// Only a place whose owner was notified of its turn, or has missed it, has less than that left.
constexpr std::int64_t kCalledUs = 15'000'000;
// No notification comes when a lease ends by itself, or when the waiter that was notified dies:
// look now and then. Waiters further behind look less often, so that a long queue costs the server
// no more than some fifty looks a second.
constexpr std::int64_t kLookNs = 1'000'000'000;
constexpr std::uint32_t kLookShare = 20;
// For the answer of a holder that may be there after all.
constexpr std::int64_t kLookForAnswerNs = 100'000'000;
constexpr std::int64_t kJustAfterUs = 2'000;
// Every waiter in the queue has to know a second after the timeout that the server is gone or
// hangs. So a waiter that has had no answer for longer than this second first makes a cheap query.
constexpr std::int64_t kFreshNs = 1'000'000'000;
constexpr std::int64_t ask_after(std::int64_t timeout_ns) { return timeout_ns * 3 / 5; }

}  // namespace

Statement draw_place(const std::string& key, const Request& request, const LockSpec& spec,
                     const Instant& now, const std::string& clock, std::int32_t session, Micros due,
                     const std::vector<Value>& caller) {
  // The same statement also deletes old places that have ended.
  const std::string sql =
      "WITH gone AS (DELETE FROM atmost.waiter WHERE lock = $1 AND " + waiter_is_over() +
      ") INSERT INTO atmost.waiter (lock, session, expires, since, max, take, "
      "mode, joins, supersedes, due, owner, host, pid, uid, id, command) "
      "VALUES ($1, $2, clock_timestamp() + " +
      interval_of(3) + ", coalesce(" + moment_of(4) + ", " + clock + "), $5, $6, $7, $8, $9, " +
      moment_of(10) + ", $11, $12, $13, $14, $15, $16) RETURNING ticket";
  std::vector<Value> values = {key,
                               std::to_string(session),
                               number(kPlaceLasts.ns / 1000),
                               given_moment(now),
                               number(spec.max),
                               number(spec.take),
                               number(static_cast<std::uint32_t>(spec.mode)),
                               truth(request.on_busy == OnBusy::join),
                               truth(request.on_busy == OnBusy::supersede),
                               due == 0 ? Value{} : number(due)};
  for (std::size_t i = 0; i < caller.size(); ++i) {
    if (i != 2) values.push_back(caller[i]);  // a waiter's boot is not stored
  }
  return {sql, std::move(values), "INSERT", 1};
}

// Those that it replaces look at once.
Statement supersede_older(const std::string& key, const ClientId& client) {
  return {
      "WITH ours AS (SELECT max(ticket) AS ticket FROM atmost.waiter WHERE lock = $1 AND owner = "
      "$2), newest AS (UPDATE atmost.lock SET superseding = greatest(superseding, (SELECT ticket "
      "FROM ours)) WHERE name = $1) SELECT pg_notify('atmost_' || owner, '') FROM atmost.waiter "
      "WHERE lock = $1 AND supersedes AND ticket < (SELECT ticket FROM ours)",
      {key, client.owner},
      "SELECT",
      1};
}

Statement note_due(const std::string& key, std::uint64_t ticket, Micros due) {
  return {"UPDATE atmost.waiter SET due = " + moment_of(3) + " WHERE lock = $1 AND ticket = $2",
          {key, number(ticket), due == 0 ? Value{} : number(due)},
          "UPDATE",
          0};
}

// A ticket that was lost with the server's machine may be another's.
Statement leave_place(const std::string& key, std::uint64_t ticket, const ClientId& client) {
  return {"DELETE FROM atmost.waiter WHERE lock = $1 AND ticket = $2 AND owner = $3",
          {key, number(ticket), client.owner},
          "DELETE",
          0};
}

// The attempt was refused although it was our turn: the turn begins again.
void add_sign_of_life(const std::string& key, std::uint64_t ticket, const Snapshot& snapshot,
                      std::vector<Statement>& to) {
  if (!snapshot.place_left_us || *snapshot.place_left_us >= kCalledUs) return;
  to.push_back({"UPDATE atmost.waiter SET expires = clock_timestamp() + " + interval_of(3) +
                    " WHERE lock = $1 AND ticket = $2",
                {key, number(ticket), number(kPlaceLasts.ns / 1000)},
                "UPDATE",
                0});
}

// When to look again without a notification.
void PostgresSession::plan_look(const Attempt& attempt, const Decision& decision) {
  const std::int64_t now = os::boot_ns();
  std::uint32_t ahead = 0;
  std::int64_t first_end_us = INT64_MAX;
  bool gone = false;
  for (const LockAttempt& one : attempt.locks) {
    ahead = std::max(ahead, one.snapshot.waiters_ahead);
    gone = gone || (queued_ && !one.snapshot.place_left_us);
    for (const Holder& holder : one.snapshot.holders) {
      if (!holder.expired && !holder.doubted) first_end_us = std::min(first_end_us, holder.left_us);
    }
  }
  std::int64_t pause = kLookNs + kLookNs / kLookShare * ahead;
  pause -= pause / 8 * (os::scatter() % 8) / 8;
  // Before its rate allows it, only forget can make an attempt succeed.
  if (attempt.queue->due_boot_ns > now)
    pause = std::max(pause, std::min(kRefreshEvery.ns, attempt.queue->due_boot_ns - now));
  if (attempt.doubts && ahead == 0) pause = std::min(pause, kLookForAnswerNs);
  if (ahead == 0 && first_end_us < pause / 1000) pause = (first_end_us + kJustAfterUs) * 1000;
  if (gone) {  // our place was deleted while we were suspended or stopped: draw another
    *attempt.queue = {};
    leave_queue();
    return;
  }
  look_again_ns_ = now + std::min(pause, std::max<std::int64_t>(decision.retry_in.ns, 1'000'000));
  if (!queued_) refresh_ns_ = now + kRefreshEvery.ns;
  if (place_key_ != client_->connection->session_key())
    refresh_ns_ = now;  // our place names an earlier session
  queued_ = true;
  if (client_->settings.alone) latch_.arm();
}

void PostgresSession::leave_queue() {
  queued_ = false;
  latch_.disarm();
}

Result<Wake> PostgresSession::await(Ticket& ticket, std::int64_t deadline) {
  if (!ticket.drawn) return Wake::maybe;
  const std::int64_t look_again = look_again_ns_;
  for (;;) {
    if (latch_.is_set()) {
      withdraw(ticket);
      latch_.obey();
    }
    const std::int64_t ask =
        client_->connection->heard_boot_ns() + ask_after(client_->settings.timeout.ns);
    const std::int64_t until = std::min({deadline, look_again, refresh_ns_, ask});
    try {
      if (client_->connection->await_news(until, latch_.descriptor())) return Wake::maybe;
      if (latch_.is_set()) continue;
      const std::int64_t now = os::boot_ns();
      if (now >= deadline) return Wake::deadline;
      if (now < std::min({look_again, refresh_ns_, ask})) return Wake::interrupted;
      ask_whether_it_is_there();
      if (now >= look_again) return Wake::maybe;
      if (now >= refresh_ns_) refresh_place();
    } catch (const DatabaseError& failure) {
      // The place is a row and outlives the connection. The next attempt makes a new connection, if
      // it comes soon.
      if (failure.kind != DatabaseError::Kind::unreachable) return client_->error_of(failure);
      return os::boot_ns() >= deadline ? Wake::deadline : Wake::maybe;
    }
  }
}

// Until when a query that is made now waits for its answer: a second after the timeout since the
// last answer. A caller that was itself suspended had no answer either; it queries as if it had
// been awake.
std::int64_t PostgresSession::known_dead_by() const {
  const std::int64_t asleep = os::boot_ns() - ask_after(client_->settings.timeout.ns) - kFreshNs;
  return std::max(client_->connection->heard_boot_ns(), asleep) + client_->settings.timeout.ns +
         kFreshNs;
}

void PostgresSession::ask_whether_it_is_there() {
  if (os::boot_ns() < client_->connection->heard_boot_ns() + kFreshNs) return;
  const Statement statements[] = {{"SELECT 1", {}, "SELECT", 1}};
  client_->connection->ask(statements, known_dead_by());
}

void PostgresSession::refresh_place() {
  client_->talk([&](Connection& connection, std::int64_t deadline) {
    const Statement statements[] = {{"UPDATE atmost.waiter SET expires = clock_timestamp() + " +
                                         interval_of(2) + ", session = $3 WHERE owner = $1",
                                     {client_->id.owner, number(kPlaceLasts.ns / 1000),
                                      std::to_string(connection.session_key())},
                                     "UPDATE",
                                     0}};
    connection.ask(statements, deadline);
    place_key_ = connection.session_key();
  });
  refresh_ns_ = os::boot_ns() + kRefreshEvery.ns;
}

void PostgresSession::withdraw(Ticket& ticket) {
  if (!ticket.drawn) return;
  std::vector<std::pair<std::string, std::uint64_t>> places;
  for (std::size_t i = 0; i < keys_.size(); ++i) places.emplace_back(keys_[i], ticket.numbers[i]);
  std::sort(places.begin(), places.end());
  std::vector<Statement> statements = {begin()};
  for (const auto& [key, number] : places) statements.push_back(take_row(key));
  for (const auto& [key, number] : places) {
    statements.push_back(leave_place(key, number, client_->id));
    statements.push_back(wake_first(key));
  }
  statements.push_back(commit());
  ticket = {};
  leave_queue();
  // Without our session the place does not count, and the waiters behind pass it over. No
  // connection is made to delete it.
  if (!client_->connection->is_open()) return;
  try {
    client_->connection->ask(statements, known_dead_by());
  } catch (const DatabaseError&) {
    client_->connection->close();
  }
}

}  // namespace atmost::postgres
