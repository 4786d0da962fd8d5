#include "session.h"

#include <algorithm>

#include "os/clock.h"
#include "os/self.h"
#include "statements.h"
#include "store.h"
#include "store/fleet/locks.h"

namespace atmost::postgres {
namespace {

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

PostgresSession::PostgresSession(PostgresStore& store, const Request& request,
                                 std::unique_ptr<Client> client)
    : store_(store), request_(request), client_(std::move(client)) {}

Status PostgresSession::prepare() {
  for (std::uint32_t i = 0; i < request_.lock_count; ++i) {
    Result<std::string> key = key_of(request_.locks[i]);
    if (!key.ok()) return key.error();
    keys_.push_back(std::move(key.value()));
    locks_.push_back(std::make_unique<LockFacts>(i, keys_.back()));
    facts_.push_back(locks_.back().get());
  }
  std::sort(locks_.begin(), locks_.end(),
            [](const auto& a, const auto& b) { return a->key < b->key; });
  return fleet::check_distinct(request_);
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

void PostgresSession::end(const End& what) {
  if (what.of == End::Of::place) return give_up_place(*what.ticket);
  if (what.of == End::Of::hold) return release(what.ending, what.now);
  Ticket place;
  if (queued_) give_up_place(place);
  // Rows left by a transaction that was cut off have this client's id: the next client has another
  // one.
  if (!doubtful_) store_.give_client(std::move(client_));
  delete this;
}

Upkeep PostgresSession::upkeep(About, std::uint32_t) const {
  Upkeep known;
  if (lease_ != nullptr) known = lease_->upkeep();
  known.left_until_boot_ns = left_until_ns_;
  const bool wrote = lease_ != nullptr || queued_ || doubtful_ || !stops_.empty();
  if (wrote) known.name.assign(client_->id.owner);
  return known;
}

void PostgresSession::release(Ending ending, const Instant& now) {
  const std::unique_ptr<HeldLease> lease = std::move(lease_);
  left_until_ns_ = lease->release(ending, now);
}

}  // namespace atmost::postgres
