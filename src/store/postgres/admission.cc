// Taking the slots that a decision admitted, and making the end of the transaction certain.
#include <algorithm>

#include "admission.h"

#include "attempt.h"
#include "core/lease_time.h"
#include "lease.h"
#include "os/clock.h"
#include "session.h"
#include "waiting.h"

namespace atmost::postgres {
namespace {

// The token comes from a sequence. The other terms make it increase even after a backup was
// restored, or after a failover lost tokens: each timeline begins a day after the one before, and
// the servers' clocks differ by less.
Statement take_slots(const Request& request, const std::string& key, const LockSpec& spec,
                     const std::vector<std::uint32_t>& slots, const Instant& now,
                     const std::string& clock, const ClientId& client) {
  // The first caller with a rate begins the list, with the last admission before. One more than the
  // largest rate needs is kept: the last one may be taken back.
  const std::string kept = "coalesce(admissions[greatest(1, cardinality(admissions) - " +
                           std::to_string(kMaxRate - 1) +
                           ") :], CASE WHEN last_start IS NULL THEN '{}'::timestamptz[] ELSE "
                           "ARRAY[last_start] END)";
  const std::string start = "coalesce(" + moment_of(3) + ", " + clock + ")";
  const std::string sql =
      "WITH admitted AS (UPDATE atmost.lock SET token = greatest(nextval('atmost.token'), token + "
      "1, " +
      micros("clock_timestamp()") + " + " + known_timeline() +
      " * 86400000000), last_start = " + start +
      ", admissions = CASE WHEN admissions IS NOT NULL OR $14::boolean THEN " + kept + " || " +
      start +
      " END, refusals = 0 WHERE name = $1 RETURNING token) INSERT INTO atmost.holder (lock, slot, "
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
  add_caller(values, request, client);
  values.push_back(truth(request.rate.count > 0));
  return {sql, std::move(values), "INSERT", 2};
}

[[noreturn]] void changed_meanwhile() {
  throw DatabaseError{DatabaseError::Kind::refused, "a lease that had ended was renewed meanwhile",
                      "40001", Code::unavailable};
}

[[noreturn]] void malformed() {
  throw DatabaseError{DatabaseError::Kind::malformed,
                      "an answer that cannot be: other slots than asked for",
                      {},
                      Code::unavailable};
}

}  // namespace

// All statements of a caller, from its first look to its end, and then a rollback.
std::vector<Statement> rehearsal(const Client& client) {
  Request request;
  request.ttl = Duration::seconds(1);
  const LockSpec& spec = request.locks[0];
  HeldRows rows;
  rows.key = "(doctor)";
  std::vector<Value> caller;
  add_caller(caller, request, client.id);
  std::vector<Statement> all = {begin()};
  add_look(all, {rows.key, &spec, 0, &client.id, client.settings.clock, 0});
  all.push_back(draw_place(rows.key, request, spec, {}, client.settings.clock,
                           client.connection->session_key(), 0, caller));
  all.push_back(supersede_older(rows.key, client.id));
  all.push_back(note_due(rows.key, 0, 0));
  all.push_back(call_silent_first(rows.key));
  all.push_back(take_slots(request, rows.key, spec, {1}, {}, client.settings.clock, client.id));
  Snapshot first;
  first.first_era = true;
  add_era(all, first, request.ttl);
  all.push_back(leave_place(rows.key, 0, client.id));
  all.push_back(renew_rows(rows, request.ttl));
  all.push_back(let_go(rows, Ending::success, {}, client.settings.clock));
  all.push_back(wake_first(rows.key));
  all.push_back(on_disk());
  all.push_back(rollback());
  return all;
}

// Removes what a transaction that was cut off may have left behind.
void PostgresSession::add_clearance(std::vector<Statement>& to, const std::string& key,
                                    std::uint64_t ticket) const {
  std::string tokens = "{";
  for (std::size_t i = 0; lease_ != nullptr && i < lease_->rows().size(); ++i) {
    if (i > 0) tokens += ',';
    tokens += std::to_string(lease_->rows()[i].token);
  }
  tokens += '}';
  // The row first: the transaction that was cut off had locked it, too, so it has ended by then.
  to.push_back(take_row(key));
  to.push_back(
      {"DELETE FROM atmost.holder WHERE lock = $1 AND owner = $2 AND token <> ALL ($3::bigint[])",
       {key, client_->id.owner, tokens},
       "DELETE",
       0});
  to.push_back({"DELETE FROM atmost.waiter WHERE lock = $1 AND owner = $2 AND ticket <> $3",
                {key, client_->id.owner, number(ticket)},
                "DELETE",
                0});
}

// A lease that had ended when we looked may be renewed by a transaction that began before that
// moment. So its row has to be deleted before another caller takes the slot.
void PostgresSession::take_expired_out(Connection& connection, const Attempt& attempt,
                                       std::int64_t deadline) {
  std::vector<Statement> statements;
  std::vector<const LockAttempt*> concerned;
  for (const LockAttempt& one : attempt.locks) {
    std::vector<std::uint32_t> expired;
    for (const Holder& holder : one.snapshot.holders) {
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
  const std::vector<Rows> answers = connection.ask(statements, deadline);
  for (std::size_t i = 0; i < concerned.size(); ++i) {
    std::vector<std::uint32_t> gone;
    for (int row = 0; row < answers[i].count(); ++row) {
      gone.push_back(static_cast<std::uint32_t>(answers[i].integer(row, 0, 1, kMaxSlots)));
    }
    for (const Holder& holder : concerned[i]->snapshot.holders) {
      if (holder.expired && std::find(gone.begin(), gone.end(), holder.slot) == gone.end())
        changed_meanwhile();
    }
  }
}

void PostgresSession::admit(Connection& connection, Attempt& attempt, std::int64_t deadline) {
  take_expired_out(connection, attempt, deadline);
  std::vector<Statement> statements;
  for (const LockAttempt& one : attempt.locks) {
    const LockSpec& spec = request_.locks[one.index];
    statements.push_back(take_slots(request_, one.key, spec, one.seen.slots, attempt.now,
                                    client_->settings.clock, client_->id));
  }
  add_era(statements, attempt.locks.front().snapshot, request_.ttl);
  for (const LockAttempt& one : attempt.locks) {
    if (attempt.has_ticket())
      statements.push_back(leave_place(one.key, attempt.queue->numbers[one.index], client_->id));
    // There may be room left, or we may have stood before a waiter that has room.
    if (one.snapshot.waiters > 0) statements.push_back(wake_first(one.key));
  }
  statements.push_back(commit());
  // No command starts before that. The lock's row is free for others meanwhile.
  statements.push_back(on_disk());
  doubtful_ = true;
  const std::int64_t sent = os::boot_ns();
  const std::vector<Rows> answers = connection.ask(statements, deadline);
  adopt_lease(attempt, std::span(answers).first(attempt.locks.size()), sent);
}

void PostgresSession::adopt_lease(Attempt& attempt, std::span<const Rows> answers,
                                  std::int64_t sent) {
  std::vector<HeldLock> held(attempt.locks.size());
  for (std::size_t i = 0; i < attempt.locks.size(); ++i) {
    const LockAttempt& one = attempt.locks[i];
    HeldLock& to = held[one.index];
    const Rows& rows = answers[i];
    rows.expect(static_cast<int>(one.seen.slots.size()));
    for (std::uint32_t slot : one.seen.slots) {
      const int row = static_cast<int>(to.count);
      to.token = static_cast<std::uint64_t>(rows.integer(row, 1, 1));
      if (rows.integer(row, 0) != slot || rows.integer(row, 1) != rows.integer(0, 1)) malformed();
      to.slots[to.count++] = slot;
    }
    if (to.token <= one.snapshot.token) malformed();
  }
  if (os::boot_ns() >= plus(sent, request_.ttl)) {
    throw DatabaseError{DatabaseError::Kind::silent,
                        "the lease had ended before it was confirmed",
                        {},
                        Code::unavailable};
  }
  if (attempt.queue != nullptr) *attempt.queue = {};
  const bool told_to_end = latch_.is_set();
  leave_queue();
  lease_ = std::make_unique<HeldLease>(*this, client_->trade_connection(), keys_, std::move(held),
                                       request_.ttl);
  Lease lease(lease_.get());
  const Duration grace = request_.kill_grace;
  const int error = lease_->start(sent, renewal_pause(request_.ttl, grace),
                                  renewal_reserve(grace, request_.on_lost == OnLost::warn));
  if (error != 0) {
    lease.release(Ending::unknown, attempt.now);
    throw DatabaseError{
        DatabaseError::Kind::setup, "no thread to renew the lease with", {}, Code::internal};
  }
  if (told_to_end) {
    lease.release(Ending::unknown, attempt.now);
    latch_.obey();
  }
  *attempt.lease = std::move(lease);
}

}  // namespace atmost::postgres
