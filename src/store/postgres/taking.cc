// Taking the slots, once the decision says so; and what makes the transaction's end certain.
#include <algorithm>

#include "asking.h"
#include "core/lease_time.h"
#include "hold.h"
#include "os/clock.h"
#include "waiting.h"

namespace atmost::postgres {
namespace {

// The token comes from a sequence; the others see to it that it increases after a backup was
// restored, too, and past those that a failover lost: each timeline begins a day after the one
// before, which the servers' clocks do not differ by.
Statement take_slots(const Request& request, const std::string& key, const LockSpec& spec,
                     const std::vector<std::uint32_t>& slots, const Instant& now,
                     const std::string& clock, const Party& party) {
  const std::string start = "coalesce(" + moment_of(3) + ", " + clock + ")";
  const std::string sql =
      "WITH admitted AS (UPDATE atmost.lock SET token = greatest(nextval('atmost.token'), token + "
      "1, " +
      micros("clock_timestamp()") + " + " + timeline() + " * 86400000000), last_start = " + start +
      ", refusals = 0 WHERE name = $1 RETURNING token) INSERT INTO atmost.holder (lock, slot, "
      "token, "
      "expires, "
      "since, exclusive, expire_after, owner, host, boot, pid, uid, id, command) SELECT $1, slot, "
      "token, "
      "clock_timestamp() + " +
      interval_of(4) + ", " + start +
      ", $5, $6, $7, $8, $9, $10, $11, $12, $13 FROM admitted, unnest($2::integer[]) AS slot "
      "RETURNING slot, "
      "token";
  const Duration due = request.expire_after;
  std::vector<Value> values = {key,
                               array_of(slots),
                               given_moment(now),
                               number(request.ttl.ns / 1000),
                               truth(spec.mode == Mode::exclusive),
                               due.is_forever() ? Value{} : number(due.ns / 1000)};
  add_caller(values, request, party);
  return {sql, std::move(values), "INSERT", 2};
}

[[noreturn]] void changed_meanwhile() {
  throw Trouble{Trouble::Kind::refused, "a lease that had ended was renewed meanwhile", "40001",
                Code::unavailable};
}

[[noreturn]] void malformed() {
  throw Trouble{Trouble::Kind::malformed,
                "an answer that cannot be: other slots than asked for",
                {},
                Code::unavailable};
}

}  // namespace

// All that a caller writes, from its first look to its end, and then nothing of it.
std::vector<Statement> PostgresStore::rehearsal() const {
  Request request;
  request.ttl = Duration::seconds(1);
  const LockSpec& spec = request.locks[0];
  HeldRows rows;
  rows.key = "(doctor)";
  std::vector<Value> caller;
  add_caller(caller, request, *party_);
  std::vector<Statement> all = {begin()};
  add_look(all, {rows.key, &spec, 0, party_.get(), settings_.clock});
  all.push_back(
      draw_place(rows.key, request, spec, {}, settings_.clock, link_->session_key(), caller));
  all.push_back(call_silent_first(rows.key));
  all.push_back(take_slots(request, rows.key, spec, {1}, {}, settings_.clock, *party_));
  Sight first;
  first.first_era = true;
  add_era(all, first, request.ttl);
  all.push_back(leave_place(rows.key, 0));
  all.push_back(renew_rows(rows, request.ttl));
  all.push_back(let_go(rows, Ending::success, {}, settings_.clock));
  all.push_back(wake_first(rows.key));
  all.push_back(rollback());
  return all;
}

// What a transaction that broke off may have left behind.
void PostgresStore::add_clearance(std::vector<Statement>& to, const std::string& key,
                                  std::uint64_t ticket) const {
  std::string tokens = "{";
  for (const std::unique_ptr<Hold>& hold : holds_) {
    for (std::size_t i = 0; hold != nullptr && i < hold->locks().size(); ++i) {
      if (tokens.size() > 1) tokens += ',';
      tokens += std::to_string(hold->locks()[i].held.token);
    }
  }
  tokens += '}';
  // The row first: whatever broke off had it too, and has ended by then, one way or the other.
  to.push_back(take_row(key));
  to.push_back(
      {"DELETE FROM atmost.holder WHERE lock = $1 AND owner = $2 AND token <> ALL ($3::bigint[])",
       {key, party_->owner, tokens},
       "DELETE",
       0});
  to.push_back({"DELETE FROM atmost.waiter WHERE lock = $1 AND owner = $2 AND ticket <> $3",
                {key, party_->owner, number(ticket)},
                "DELETE",
                0});
}

// A lease that had ended when we looked may be renewed by a transaction that began before that
// moment: it has to be out of the table before anybody takes its place.
void PostgresStore::take_expired_out(Link& link, const Asked& asked, std::int64_t deadline) {
  std::vector<Statement> statements;
  std::vector<const Asked::One*> concerned;
  for (const Asked::One& one : asked.locks) {
    std::vector<std::uint32_t> expired;
    for (const Holder& holder : one.sight.holders) {
      if (holder.expired) expired.push_back(holder.slot);
    }
    if (expired.empty()) continue;
    concerned.push_back(&one);
    statements.push_back(
        {"DELETE FROM atmost.holder WHERE lock = $1 AND slot = ANY ($2::integer[]) AND expires <= "
         "clock_timestamp() RETURNING slot",
         {one.key, array_of(expired)},
         "DELETE",
         1});
  }
  if (statements.empty()) return;
  const std::vector<Rows> answers = link.ask(statements, deadline);
  for (std::size_t i = 0; i < concerned.size(); ++i) {
    std::vector<std::uint32_t> gone;
    for (int row = 0; row < answers[i].count(); ++row) {
      gone.push_back(static_cast<std::uint32_t>(answers[i].integer(row, 0, 1, kMaxSlots)));
    }
    for (const Holder& holder : concerned[i]->sight.holders) {
      if (holder.expired && std::find(gone.begin(), gone.end(), holder.slot) == gone.end())
        changed_meanwhile();
    }
  }
}

void PostgresStore::admit(Link& link, Asked& asked, std::int64_t deadline) {
  const Request& request = *asked.request;
  take_expired_out(link, asked, deadline);
  std::vector<Statement> statements;
  for (const Asked::One& one : asked.locks) {
    const LockSpec& spec = request.locks[one.index];
    statements.push_back(
        take_slots(request, one.key, spec, one.picture.slots, asked.now, settings_.clock, *party_));
  }
  add_era(statements, asked.locks.front().sight, request.ttl);
  for (const Asked::One& one : asked.locks) {
    if (asked.has_ticket())
      statements.push_back(leave_place(one.key, asked.queue->numbers[one.index]));
    // We may have left room, or stood before somebody who has some.
    if (one.sight.waiters > 0) statements.push_back(wake_first(one.key));
  }
  statements.push_back(commit());
  doubtful_ = true;
  const std::int64_t sent = os::boot_ns();
  const std::vector<Rows> answers = link.ask(statements, deadline);
  keep(link, asked, std::span(answers).first(asked.locks.size()), sent);
}

void PostgresStore::keep(Link&, Asked& asked, std::span<const Rows> answers, std::int64_t sent) {
  const Request& request = *asked.request;
  std::vector<HeldRows> locks(asked.locks.size());
  for (std::size_t i = 0; i < asked.locks.size(); ++i) {
    const Asked::One& one = asked.locks[i];
    HeldRows& to = locks[one.index];
    to.key = one.key;
    const Rows& rows = answers[i];
    rows.expect(static_cast<int>(one.picture.slots.size()));
    for (std::uint32_t slot : one.picture.slots) {
      const int row = static_cast<int>(to.held.count);
      to.held.token = static_cast<std::uint64_t>(rows.integer(row, 1, 1));
      if (rows.integer(row, 0) != slot || rows.integer(row, 1) != rows.integer(0, 1)) malformed();
      to.held.slots[to.held.count++] = slot;
    }
    if (to.held.token <= one.sight.token) malformed();
  }
  if (os::boot_ns() >= plus(sent, request.ttl)) {
    throw Trouble{Trouble::Kind::silent,
                  "the lease had ended before it was confirmed",
                  {},
                  Code::unavailable};
  }
  if (asked.queue != nullptr) *asked.queue = {};
  const bool told_to_end = latch_.is_set();
  leave_queue();
  auto hold = std::make_unique<Hold>(std::move(link_), std::move(locks), request.ttl);
  link_ = std::make_unique<Link>(*address_, *party_);
  auto place = std::find(holds_.begin(), holds_.end(), nullptr);
  if (place == holds_.end()) place = holds_.insert(holds_.end(), nullptr);
  *place = std::move(hold);
  const auto handle = static_cast<std::uint32_t>(place - holds_.begin());
  const int error = (*place)->start(sent, renewal_pause(request.ttl, request.kill_grace));
  if (error != 0) {
    release(handle, Ending::unknown, asked.now);
    throw Trouble{Trouble::Kind::setup, "no thread to renew the lease with", {}, Code::internal};
  }
  if (told_to_end) {
    release(handle, Ending::unknown, asked.now);
    latch_.obey();
  }
  *asked.lease = Lease(this, handle);
}

}  // namespace atmost::postgres
