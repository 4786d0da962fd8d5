#include "waiting.h"

#include <algorithm>

#include "os/clock.h"
#include "os/self.h"
#include "session.h"
#include "statements.h"

namespace atmost::postgres {
namespace {

// The time for which each refresh of a place is good (statements.cc has the same for places that do
// not count any more).
constexpr Duration kPlaceLasts = Duration::seconds(30);
constexpr Duration kRefreshEvery = Duration::seconds(10);
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

Statement draw_place(const LockFacts& lock, const Request& request, const Client& client,
                     const PlaceNote& note) {
  const LockSpec& spec = request.locks[lock.index];
  const Clocks& clocks = lock.clocks();
  std::vector<Value> values = {lock.key,
                               std::to_string(client.connection->session_key()),
                               number(kPlaceLasts.ns / 1000),
                               number(clocks.micros(rule::stamp_of(clocks.now))),
                               number(spec.max),
                               number(spec.take),
                               number(static_cast<std::uint32_t>(spec.mode)),
                               truth(request.on_busy == OnBusy::join),
                               truth(request.on_busy == OnBusy::supersede),
                               note.due == 0 ? Value{} : number(note.due),
                               truth(note.parked)};
  add_caller(values, request, client.id);
  values.erase(values.begin() + 13);  // a waiter's boot is not stored
  return {
      "WITH drawn AS (INSERT INTO atmost.waiter (lock, session, expires, since, max, take, mode, "
      "joins, supersedes, due, parked, owner, host, pid, uid, id, command) VALUES ($1, $2, "
      "clock_timestamp() + " +
          interval_of(3) + ", " + moment_of(4) + ", $5, $6, $7, $8, $9, " + moment_of(10) +
          ", $11, $12, $13, $14, $15, $16, $17) RETURNING ticket), newest AS (UPDATE atmost.lock "
          "SET superseding = ticket FROM drawn WHERE $9 AND name = $1), told AS (SELECT "
          "pg_notify('atmost_' || owner, '') FROM atmost.waiter WHERE $9 AND lock = $1 AND "
          "supersedes AND owner <> $12) SELECT ticket FROM drawn WHERE (SELECT count(*) FROM told) "
          ">= 0",
      std::move(values), 1, "SELECT 1"};
}

Statement note_place(const std::string& key, std::uint64_t ticket, const PlaceNote& note) {
  return {"UPDATE atmost.waiter SET due = " + moment_of(3) +
              ", parked = $4 WHERE lock = $1 AND ticket = $2",
          {key, number(ticket), note.due == 0 ? Value{} : number(note.due), truth(note.parked)}};
}

Statement note_turn(const LockFacts& lock, const LockFacts::Note& note, const std::string& clock) {
  const bool used = note.began_boot_ns == 0;
  const std::int64_t age_ns = lock.clocks().turns_boot_ns - note.began_boot_ns;
  return {"WITH noted AS (UPDATE atmost.waiter SET turn = " + clock + " - " + interval_of(3) +
              " WHERE lock = $1 AND ticket = $2 RETURNING owner) SELECT pg_notify('atmost_' || "
              "owner, '') FROM noted WHERE $3::bigint IS NOT NULL",
          {lock.key, number(note.ticket), used ? Value{} : number(age_ns / 1000)},
          1};
}

Statement leave_place(const std::string& key, const ClientId& client) {
  return {"DELETE FROM atmost.waiter WHERE lock = $1 AND owner = $2", {key, client.owner}};
}

// When to look again without a notification.
void PostgresSession::plan_look(const Ticket& queue, const Decision& decision) {
  const std::int64_t now = os::boot_ns();
  std::uint32_t ahead = 0;
  std::int64_t first_end_us = INT64_MAX;
  for (const auto& one : locks_) {
    ahead = std::max(ahead, one->ahead);
    for (const Holder& holder : one->holders_found) {
      if (!holder.expired && !holder.doubted) first_end_us = std::min(first_end_us, holder.left_us);
    }
  }
  std::int64_t pause = kLookNs + kLookNs / kLookShare * ahead;
  pause -= pause / 8 * (os::scatter() % 8) / 8;
  // Before its rate allows it, only forget can make an attempt succeed.
  if (queue.due_boot_ns > now)
    pause = std::max(pause, std::min(kRefreshEvery.ns, queue.due_boot_ns - now));
  if (doubts_ && ahead == 0) pause = std::min(pause, kLookForAnswerNs);
  if (ahead == 0 && first_end_us < pause / 1000) pause = (first_end_us + kJustAfterUs) * 1000;
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
  const Statement statements[] = {{"SELECT 1", {}, 1}};
  client_->connection->ask(statements, known_dead_by());
}

void PostgresSession::refresh_place() {
  client_->talk([&](Connection& connection, std::int64_t deadline) {
    const Statement statements[] = {{"UPDATE atmost.waiter SET expires = clock_timestamp() + " +
                                         interval_of(2) + ", session = $3 WHERE owner = $1",
                                     {client_->id.owner, number(kPlaceLasts.ns / 1000),
                                      std::to_string(connection.session_key())}}};
    connection.ask(statements, deadline);
    place_key_ = connection.session_key();
  });
  refresh_ns_ = os::boot_ns() + kRefreshEvery.ns;
}

void PostgresSession::give_up_place(Ticket& ticket) {
  std::vector<Statement> statements = {begin()};
  for (const auto& one : locks_) statements.push_back(take_row(one->key));
  for (const auto& one : locks_) {
    statements.push_back(leave_place(one->key, client_->id));
    statements.push_back(wake_first(one->key));
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
