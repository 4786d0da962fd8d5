// Taking the slots that a plan admits to, and making the end of the transaction certain.
#include <algorithm>

#include "connection.h"
#include "core/lease_time.h"
#include "os/clock.h"
#include "session.h"
#include "statements.h"
#include "store.h"

namespace atmost::postgres {
namespace {

// Exactly as many rows as slots.
Statement take_slots(const Request& request, const LockFacts& lock,
                     std::span<const std::uint32_t> slots, const ClientId& client) {
  const Duration due = request.expire_after;
  std::vector<Value> values = {lock.key,
                               array_of(slots),
                               number(lock.plan.held.token),
                               number(lock.clocks().micros(lock.plan.state.last.start)),
                               number(request.ttl.ns / 1000),
                               truth(request.locks[lock.index].mode == Mode::exclusive),
                               due.is_forever() ? Value{} : number(due.ns / 1000)};
  add_caller(values, request, client);
  return {
      "INSERT INTO atmost.holder (lock, slot, token, since, expires, exclusive, expire_after, "
      "owner, host, boot, pid, uid, id, command) SELECT $1, slot, $3, " +
          moment_of(4) + ", clock_timestamp() + " + interval_of(5) +
          ", $6, $7, $8, $9, $10, $11, $12, $13, $14 FROM unnest($2::integer[]) AS slot",
      std::move(values), 0, "INSERT 0 " + std::to_string(slots.size())};
}

}  // namespace

// All statements of a caller, from its first look to its end, and then a rollback.
std::vector<Statement> rehearsal(const Client& client) {
  Request request;
  request.ttl = Duration::seconds(1);
  LockFacts lock(0, "(doctor)");
  lock.era.first = true;
  const std::uint32_t slot = 1;
  const HeldRows rows = {lock.key, {}};
  std::vector<Statement> all = {begin()};
  lock.add_look(all, request, 0, client.id, client.settings.clock, {});
  all.push_back(lock.ask_page(client.id));
  all.push_back(draw_place(lock, request, client, {}));
  all.push_back(note_place(lock.key, 0, {}));
  all.push_back(note_turn(lock, {0, 0}, client.settings.clock));
  all.push_back(take_slots(request, lock, {&slot, 1}, client.id));
  lock.plan.appended_count = 1;
  lock.plan.state.recorded = 1;
  all.push_back(write_row(lock.key, {}, lock.plan, lock.clocks(), client.settings.clock));
  add_era(all, lock.era, request.ttl);
  all.push_back(leave_place(lock.key, client.id));
  all.push_back(renew_rows(rows, request.ttl));
  all.push_back(drop_rows(rows));
  all.push_back(wake_first(lock.key));
  all.push_back(mark_session(client.id));
  all.push_back(on_disk());
  all.push_back(rollback());
  return all;
}

// A lease that had ended when we looked may be renewed by a transaction that began before that
// moment. So its row has to be deleted before another caller takes the slot.
void PostgresSession::take_expired_out(Connection& connection) const {
  std::vector<Statement> statements;
  std::vector<std::int64_t> counts;
  for (const auto& one : locks_) {
    std::vector<std::uint32_t> expired;
    for (const Holder& holder : one->holders_found) {
      if (holder.expired) expired.push_back(holder.view.slot);
    }
    if (expired.empty()) continue;
    counts.push_back(static_cast<std::int64_t>(expired.size()));
    statements.push_back(
        {"DELETE FROM atmost.holder WHERE lock = $1 AND slot = ANY ($2::integer[]) AND expires <= "
         "clock_timestamp()",
         {one->key, array_of(expired)}});
  }
  if (statements.empty()) return;
  const std::vector<Rows> answers = connection.ask(statements, deadline_ns_);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (answers[i].changed() != counts[i])
      throw changed_error("a lease that had ended was renewed meanwhile");
  }
}

const HeldLock* PostgresSession::admit(Connection& connection, const rule::Plan& plan,
                                       const Instant& now, Ticket* queue) {
  take_expired_out(connection);
  std::vector<Statement> statements;
  std::vector<HeldLock> held(locks_.size());
  for (const auto& one : locks_) {
    const auto slots = one->reserved().first(one->plan.take);
    HeldLock& to = held[one->index];
    to.token = one->plan.held.token;
    to.count = one->plan.take;
    std::copy(slots.begin(), slots.end(), to.slots);
    statements.push_back(take_slots(request_, *one, slots, client_->id));
  }
  add_plan(plan, statements);
  add_era(statements, locks_.front()->era, request_.ttl);
  for (const auto& one : locks_) {
    if (queue != nullptr && queue->drawn) statements.push_back(leave_place(one->key, client_->id));
    // There may be room left, or we may have stood before a waiter that has room.
    if (one->places > 0) statements.push_back(wake_first(one->key));
  }
  statements.push_back(mark_session(client_->id));
  statements.push_back(commit());
  // No command starts before that. The lock's row is free for others meanwhile.
  statements.push_back(on_disk());
  doubtful_ = true;
  const std::int64_t sent = os::boot_ns();
  const std::vector<Rows> answers = connection.ask(statements, deadline_ns_);
  for (std::size_t i = 0; i < locks_.size(); ++i) {
    if (answers[i].changed() != locks_[i]->plan.take)
      throw malformed_error("other slots than asked for");
  }
  if (queue != nullptr) *queue = {};
  return adopt_lease(std::move(held), sent, now);
}

const HeldLock* PostgresSession::adopt_lease(std::vector<HeldLock> held, std::int64_t sent,
                                             const Instant& now) {
  if (os::boot_ns() >= plus(sent, request_.ttl)) {
    throw silent_error("the lease had ended before it was confirmed");
  }
  const bool told_to_end = latch_.is_set();
  leave_queue();
  std::vector<HeldRows> rows;
  for (const rule::Facts* each : facts_) rows.push_back({keys_[rows.size()], each->plan.held});
  lease_ = std::make_unique<HeldLease>(*this, client_->trade_connection(), std::move(rows),
                                       std::move(held), request_.ttl);
  const Duration grace = request_.kill_grace;
  const int error = lease_->start(sent, renewal_pause(request_.ttl, grace),
                                  renewal_reserve(grace, request_.on_lost == OnLost::warn));
  if (error != 0 || told_to_end) release(Ending::unknown, now);
  if (error != 0) throw setup_error("no thread to renew the lease with", Code::internal);
  if (told_to_end) latch_.obey();
  return lease_->held();
}

}  // namespace atmost::postgres
