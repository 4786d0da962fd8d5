// attempt(): look, decide, and take the slots or a place in the queue, all in one transaction.
#include <algorithm>

#include "asking.h"
#include "atmost/lease_time.h"
#include "hold.h"
#include "os/clock.h"
#include "os/machine.h"
#include "os/self.h"
#include "waiting.h"

namespace atmost::postgres {
namespace {

// Who a row is about: parameters $first … for (owner, host, boot, pid, uid, id, command).
void add_caller(std::vector<Value>& to, const Request& request, const Party& party) {
  const Text<255> host = os::host_name();
  to.push_back(party.owner);
  to.push_back(std::string(host.view()));
  to.push_back(number(static_cast<std::int64_t>(os::boot_hash())));
  to.push_back(number(os::process_id()));
  to.push_back(number(os::user_id()));
  to.push_back(hex_of(request.id));
  to.push_back(hex_of(request.command));
}

// The token comes from a sequence; the two others see to it that it increases after a backup was restored, too.
Statement take_slots(const Request& request, const std::string& key, const LockSpec& spec,
                     const std::vector<std::uint32_t>& slots, const Instant& now, const std::string& clock,
                     const Party& party) {
  const std::string start = "coalesce(" + moment_of(3) + ", " + clock + ")";
  const std::string sql =
      "WITH admitted AS (UPDATE atmost.lock SET token = greatest(nextval('atmost.token'), token + 1, "
      "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint), last_start = " +
      start +
      ", refusals = 0 WHERE name = $1 RETURNING token) INSERT INTO atmost.holder (lock, slot, token, "
      "expires, since, "
      "exclusive, expire_after, owner, host, boot, pid, uid, id, command) SELECT $1, slot, token, "
      "clock_timestamp() + " +
      interval_of(4) + ", " + start +
      ", $5, $6, $7, $8, $9, $10, $11, $12, $13 FROM admitted, unnest($2::integer[]) AS slot RETURNING slot, "
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

// A last admission that lies ahead of the clock would close the lock until the clock catches up: it becomes now, once.
Statement bring_back(const std::string& key, const std::string& clock) {
  const auto mended = [&](const std::string& column) {  // what is not known stays so
    return column + " = CASE WHEN " + column + " > " + clock + " THEN " + clock + " ELSE " + column + " END";
  };
  return {"UPDATE atmost.lock SET " + mended("last_start") + ", " + mended("last_finish") + ", " +
              mended("last_success") + " WHERE name = $1",
          {key},
          "UPDATE 1",
          0};
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

Status PostgresStore::begin_request(const Request& request, Asked& asked) const {
  for (std::uint32_t i = 0; i < request.lock_count; ++i) {
    Result<std::string> key = key_of(request.locks[i]);
    if (!key.ok()) return key.error();
    asked.locks.push_back({});
    asked.locks.back().index = i;
    asked.locks.back().key = std::move(key.value());
  }
  const auto by_key = [](const Asked::One& a, const Asked::One& b) { return a.key < b.key; };
  const auto same_key = [](const Asked::One& a, const Asked::One& b) { return a.key == b.key; };
  std::sort(asked.locks.begin(), asked.locks.end(), by_key);
  if (std::adjacent_find(asked.locks.begin(), asked.locks.end(), same_key) != asked.locks.end()) {
    return atmost::error_of(Code::usage, 0, "the same lock twice");
  }
  return {};
}

Result<Decision> PostgresStore::attempt(const Request& request, DecideFn decide, const Instant& now,
                                        Ticket* queue, Lease& lease) {
  Asked asked;
  asked.request = &request;
  asked.decide = decide;
  asked.now = now;
  asked.queue = queue;
  asked.lease = &lease;
  if (const Status begun = begin_request(request, asked); !begun.ok()) return begun.error();
  keys_.assign(request.lock_count, {});
  for (const Asked::One& one : asked.locks) keys_[one.index] = one.key;
  try {
    talk([&](Link& link, std::int64_t deadline) { attempt_once(link, asked, deadline); });
  } catch (const Trouble& trouble) {
    if (!trouble.is(kLockTimeout)) return error_of(trouble);
    asked.answer = {};
    asked.answer.why = Why::guard;
  }
  return asked.answer;
}

void PostgresStore::attempt_once(Link& link, Asked& asked, std::int64_t deadline) {
  const Request& request = *asked.request;
  link.forget_news();
  std::vector<Statement> statements = {begin()};
  for (const Asked::One& one : asked.locks) {
    const std::uint64_t ticket = asked.has_ticket() ? asked.queue->numbers[one.index] : 0;
    if (doubtful_) add_clearance(statements, one.key, ticket);
    add_look(statements, {one.key, &request.locks[one.index], static_cast<std::int64_t>(ticket), party_.get(),
                          settings_.clock});
  }
  const std::size_t step = kLookStatements + (doubtful_ ? 3 : 0);
  try {
    const std::vector<Rows> answers = link.ask(statements, deadline);
    for (std::size_t i = 0; i < asked.locks.size(); ++i) {
      const std::size_t first = 1 + (i + 1) * step - kLookStatements;
      asked.locks[i].sight =
          read_look(std::span(answers).subspan(first, kLookStatements), link.server().backend);
    }
    asked.answer = decide_all(asked);
    if (asked.answer.verdict == Verdict::admit) {
      admit(link, asked, deadline);
    } else {
      stay_out(link, asked, asked.answer, deadline);
    }
    doubtful_ = false;
  } catch (...) {
    link.abandon(deadline);
    throw;
  }
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
  to.push_back({"DELETE FROM atmost.holder WHERE lock = $1 AND owner = $2 AND token <> ALL ($3::bigint[])",
                {key, party_->owner, tokens},
                "DELETE",
                0});
  to.push_back({"DELETE FROM atmost.waiter WHERE lock = $1 AND owner = $2 AND ticket <> $3",
                {key, party_->owner, number(ticket)},
                "DELETE",
                0});
}

// The first lock in the request's order that does not admit answers for all.
Decision PostgresStore::decide_all(Asked& asked) const {
  const Request& request = *asked.request;
  Decision answer;
  for (std::uint32_t i = 0; i < request.lock_count; ++i) {
    const auto one = std::find_if(asked.locks.begin(), asked.locks.end(),
                                  [i](const Asked::One& each) { return each.index == i; });
    paint(one->sight, request, request.locks[i], asked.now, !asked.has_ticket(), asked.queue == nullptr,
          one->picture);
    answer = asked.decide(request, request.locks[i], one->picture.view, asked.now);
    answer.lock = i;
    if (answer.verdict != Verdict::admit) return answer;
    if (one->picture.slots.size() != request.locks[i].take) {
      throw Trouble{Trouble::Kind::setup, "admitted without room", {}, Code::internal};
    }
  }
  return answer;
}

// A lease that had ended when we looked may be renewed by a transaction that began before that moment: it has to be out
// of the table before anybody takes its place.
void PostgresStore::take_expired_out(Link& link, const Asked& asked, std::int64_t deadline) {
  std::vector<Statement> statements;
  std::vector<const Asked::One*> concerned;
  for (const Asked::One& one : asked.locks) {
    const auto expired = [](const Holder& holder) { return holder.expired; };
    if (std::none_of(one.sight.holders.begin(), one.sight.holders.end(), expired)) continue;
    concerned.push_back(&one);
    statements.push_back(
        {"DELETE FROM atmost.holder WHERE lock = $1 AND expires <= clock_timestamp() RETURNING slot",
         {one.key},
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
  for (const Asked::One& one : asked.locks) {
    if (asked.has_ticket()) statements.push_back(leave_place(one.key, asked.queue->numbers[one.index]));
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
    throw Trouble{
        Trouble::Kind::silent, "the lease had ended before it was confirmed", {}, Code::unavailable};
  }
  if (asked.queue != nullptr) *asked.queue = {};
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
  *asked.lease = Lease(this, handle);
}

// Not admitted: nothing is written but a place in the queue, and a time that has to be mended.
void PostgresStore::stay_out(Link& link, Asked& asked, const Decision& decision, std::int64_t deadline) {
  std::vector<Statement> statements;
  if (decision.last_in_future && !asked.now.given)
    statements.push_back(bring_back(keys_[decision.lock], settings_.clock));
  const bool draws = worth_waiting(decision) && asked.queue != nullptr && !asked.queue->drawn;
  const std::size_t first = statements.size();
  if (draws) {
    for (const Asked::One& one : asked.locks) {
      const LockSpec& spec = asked.request->locks[one.index];
      std::vector<Value> caller;
      add_caller(caller, *asked.request, *party_);
      statements.push_back(
          draw_place(one.key, *asked.request, spec, asked.now, settings_.clock, party_->key, caller));
    }
  }
  if (statements.empty() && !doubtful_) {
    statements.push_back(rollback());
    link.ask(statements, deadline);
  } else {
    statements.push_back(commit());
    doubtful_ = doubtful_ || draws;
    const std::vector<Rows> answers = link.ask(statements, deadline);
    for (std::size_t i = 0; draws && i < asked.locks.size(); ++i) {
      answers[first + i].expect(1);
      asked.queue->numbers[asked.locks[i].index] =
          static_cast<std::uint64_t>(answers[first + i].integer(0, 0, 1));
    }
    if (draws) asked.queue->drawn = true;
  }
  if (asked.has_ticket()) plan_look(asked, decision);
}

}  // namespace atmost::postgres
