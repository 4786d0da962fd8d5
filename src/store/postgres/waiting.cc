#include "waiting.h"

#include <algorithm>

#include "asking.h"
#include "os/clock.h"
#include "os/self.h"
#include "schema.h"

namespace atmost::postgres {
namespace {

// Each sign of life of a waiter is good for so long (asking.cc has the same for those that do not
// count any more).
constexpr Duration kPlaceLasts = Duration::seconds(30);
constexpr Duration kRefreshEvery = Duration::seconds(10);
// Less than that is left only to a place whose owner was told that it is its turn, or has missed
// that.
constexpr std::int64_t kCalledUs = 15'000'000;
// Nobody is told when a lease ends by itself, or when the one who was told dies: look now and then.
// The further behind, the more seldom, so that a long queue costs the server no more than some
// fifty looks a second.
constexpr std::int64_t kLookNs = 1'000'000'000;
constexpr std::uint32_t kLookShare = 20;
// For the answer of a holder that may be there after all.
constexpr std::int64_t kLookForAnswerNs = 100'000'000;
constexpr std::int64_t kJustAfterUs = 2'000;
// A server that is gone or stands still has to be known a second after the timeout by everybody,
// wherever in the queue: who has heard nothing of it for longer than that second asks a question of
// no weight first.
constexpr std::int64_t kFreshNs = 1'000'000'000;
constexpr std::int64_t ask_after(std::int64_t timeout_ns) { return timeout_ns * 3 / 5; }

}  // namespace

Statement draw_place(const std::string& key, const Request& request, const LockSpec& spec,
                     const Instant& now, const std::string& clock, std::int32_t session,
                     const std::vector<Value>& caller) {
  // Beside it, those that went away long ago are swept up.
  const std::string sql = "WITH gone AS (DELETE FROM atmost.waiter WHERE lock = $1 AND " +
                          waiter_is_over() +
                          ") INSERT INTO atmost.waiter (lock, session, expires, since, max, take, "
                          "mode, joins, owner, host, pid, "
                          "uid, id, "
                          "command) VALUES ($1, $2, clock_timestamp() + " +
                          interval_of(3) + ", coalesce(" + moment_of(4) + ", " + clock +
                          "), $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING ticket";
  std::vector<Value> values = {key,
                               std::to_string(session),
                               number(kPlaceLasts.ns / 1000),
                               given_moment(now),
                               number(spec.max),
                               number(spec.take),
                               number(static_cast<std::uint32_t>(spec.mode)),
                               truth(request.on_busy == OnBusy::join)};
  for (std::size_t i = 0; i < caller.size(); ++i) {
    if (i != 2) values.push_back(caller[i]);  // a waiter's boot is of no interest
  }
  return {sql, std::move(values), "INSERT", 1};
}

Statement leave_place(const std::string& key, std::uint64_t ticket) {
  return {"DELETE FROM atmost.waiter WHERE lock = $1 AND ticket = $2",
          {key, number(ticket)},
          "DELETE",
          0};
}

// Asked in vain, though it was our turn: it still is, from now on anew.
void add_sign_of_life(const std::string& key, std::uint64_t ticket, const Sight& sight,
                      std::vector<Statement>& to) {
  if (!sight.place_left_us || *sight.place_left_us >= kCalledUs) return;
  to.push_back({"UPDATE atmost.waiter SET expires = clock_timestamp() + " + interval_of(3) +
                    " WHERE lock = $1 AND ticket = $2",
                {key, number(ticket), number(kPlaceLasts.ns / 1000)},
                "UPDATE",
                0});
}

// When to look again though nobody told us.
void PostgresStore::plan_look(const Asked& asked, const Decision& decision) {
  const std::int64_t now = os::boot_ns();
  std::uint32_t ahead = 0;
  std::int64_t first_end_us = INT64_MAX;
  bool gone = false;
  for (const Asked::One& one : asked.locks) {
    ahead = std::max(ahead, one.sight.waiters_ahead);
    gone = gone || (queued_ && !one.sight.place_left_us);
    for (const Holder& holder : one.sight.holders) {
      if (!holder.expired && !holder.doubted) first_end_us = std::min(first_end_us, holder.left_us);
    }
  }
  std::int64_t pause = kLookNs + kLookNs / kLookShare * ahead;
  pause -= pause / 8 * (os::scatter() % 8) / 8;
  if (asked.doubts && ahead == 0) pause = std::min(pause, kLookForAnswerNs);
  if (ahead == 0 && first_end_us < pause / 1000) pause = (first_end_us + kJustAfterUs) * 1000;
  if (gone) {  // our place was swept up while we were away (suspended, stopped): another is drawn
    *asked.queue = {};
    leave_queue();
    return;
  }
  look_again_ns_ = now + std::min(pause, std::max<std::int64_t>(decision.retry_in.ns, 1'000'000));
  if (!queued_) refresh_ns_ = now + kRefreshEvery.ns;
  if (place_key_ != link_->session_key())
    refresh_ns_ = now;  // our place is that of a session of before
  queued_ = true;
  if (settings_.alone) latch_.arm();
}

void PostgresStore::leave_queue() {
  queued_ = false;
  latch_.disarm();
}

Result<Wake> PostgresStore::await(const Request& request, Ticket& ticket, std::int64_t deadline) {
  const std::int64_t look_again = look_again_ns_;
  for (;;) {
    if (latch_.is_set()) {
      withdraw(request, ticket);
      latch_.obey();
    }
    const std::int64_t ask = link_->heard_boot_ns() + ask_after(settings_.timeout.ns);
    const std::int64_t until = std::min({deadline, look_again, refresh_ns_, ask});
    try {
      if (link_->await_news(until, latch_.descriptor())) return Wake::maybe;
      if (latch_.is_set()) continue;
      const std::int64_t now = os::boot_ns();
      if (now >= deadline) return Wake::deadline;
      if (now < std::min({look_again, refresh_ns_, ask})) return Wake::interrupted;
      ask_whether_it_is_there();
      if (now >= look_again) return Wake::maybe;
      if (now >= refresh_ns_) refresh_place();
    } catch (const Trouble& trouble) {
      // The place is a row and outlives the connection; a new one is made by the next attempt, if
      // it is soon.
      if (trouble.kind != Trouble::Kind::unreachable) return error_of(trouble);
      return os::boot_ns() >= deadline ? Wake::deadline : Wake::maybe;
    }
  }
}

// Until when whoever asks now waits for an answer: a second after the timeout since the last one.
// Whoever was suspended himself has heard nothing either; he asks as if he had been awake.
std::int64_t PostgresStore::known_dead_by() const {
  const std::int64_t asleep = os::boot_ns() - ask_after(settings_.timeout.ns) - kFreshNs;
  return std::max(link_->heard_boot_ns(), asleep) + settings_.timeout.ns + kFreshNs;
}

void PostgresStore::ask_whether_it_is_there() {
  if (os::boot_ns() < link_->heard_boot_ns() + kFreshNs) return;
  const Statement statements[] = {{"SELECT 1", {}, "SELECT", 1}};
  link_->ask(statements, known_dead_by());
}

void PostgresStore::refresh_place() {
  talk([&](Link& link, std::int64_t deadline) {
    const Statement statements[] = {
        {"UPDATE atmost.waiter SET expires = clock_timestamp() + " + interval_of(2) +
             ", session = $3 WHERE owner = $1",
         {party_->owner, number(kPlaceLasts.ns / 1000), std::to_string(link.session_key())},
         "UPDATE",
         0}};
    link.ask(statements, deadline);
    place_key_ = link.session_key();
  });
  refresh_ns_ = os::boot_ns() + kRefreshEvery.ns;
}

void PostgresStore::withdraw(const Request& request, Ticket& ticket) {
  if (!ticket.drawn) return;
  std::vector<std::pair<std::string, std::uint64_t>> places;
  for (std::uint32_t i = 0; i < request.lock_count; ++i) {
    const Result<std::string> key = key_of(request.locks[i]);
    if (key.ok()) places.emplace_back(key.value(), ticket.numbers[i]);
  }
  std::sort(places.begin(), places.end());
  std::vector<Statement> statements = {begin()};
  for (const auto& [key, number] : places) statements.push_back(take_row(key));
  for (const auto& [key, number] : places) {
    statements.push_back(leave_place(key, number));
    statements.push_back(wake_first(key));
  }
  statements.push_back(commit());
  ticket = {};
  leave_queue();
  // Without our session the place is nobody's: those behind pass it over. No connection is made for
  // that.
  if (!link_->is_open()) return;
  try {
    link_->ask(statements, known_dead_by());
  } catch (const Trouble&) {
    link_->close();
  }
}

}  // namespace atmost::postgres
