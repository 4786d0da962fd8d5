// attempt(): look, decide, and take the slots or a place in the queue, all in one transaction.
#include <algorithm>

#include "attempt.h"
#include "lease.h"
#include "os/clock.h"
#include "session.h"
#include "waiting.h"

namespace atmost::postgres {
namespace {

constexpr Duration kDrawAgain = Duration::millis(20);
// A server's clock that was set forward ends all leases at once. So a holder whose lease has ended
// is notified, and renews it if it still runs, because the row is still its own. If it has not
// answered after this time, it counts as gone.
constexpr Duration kAnswer = Duration::millis(500);
constexpr Duration kLookForAnswer = Duration::millis(50);
// A moment that was noted stays as it is if the next measurement differs by no more.
constexpr std::int64_t kDueKeepsNs = 1'000'000;

// A last admission ahead of the clock would close the lock until the clock catches up. So it is set
// to the present, once.
Statement bring_back(const std::string& key, const std::string& clock) {
  const auto mended = [&](const std::string& column) {  // null stays null
    return column + " = CASE WHEN " + column + " > " + clock + " THEN " + clock + " ELSE " +
           column + " END";
  };
  return {"UPDATE atmost.lock SET " + mended("last_start") + ", " + mended("last_finish") + ", " +
              mended("last_success") +
              ", admissions = CASE WHEN admissions IS NOT NULL THEN ARRAY(SELECT least(at, " +
              clock +
              ") FROM unnest(admissions) WITH ORDINALITY AS each (at, nth) ORDER BY nth) END "
              "WHERE name = $1",
          {key},
          "UPDATE 1",
          0};
}

}  // namespace

void PostgresSession::begin_attempt(Attempt& attempt) const {
  for (std::uint32_t i = 0; i < request_.lock_count; ++i) attempt.locks.push_back({i, keys_[i]});
  const auto by_key = [](const LockAttempt& a, const LockAttempt& b) { return a.key < b.key; };
  std::sort(attempt.locks.begin(), attempt.locks.end(), by_key);
}

Result<Decision> PostgresSession::attempt(DecideFn decide, const Instant& now, Ticket* queue,
                                          Lease& lease) {
  Attempt attempt;
  attempt.decide = decide;
  attempt.now = now;
  attempt.queue = queue;
  attempt.lease = &lease;
  begin_attempt(attempt);
  try {
    do {
      if (attempt.doubts) os::sleep_until(plus(os::boot_ns(), kLookForAnswer));
      client_->talk([&](Connection& connection, std::int64_t deadline) {
        attempt_once(connection, attempt, deadline);
      });
    } while (queue == nullptr && attempt.doubts && attempt.answer.verdict == Verdict::busy);
  } catch (const DatabaseError& failure) {
    if (!failure.is(kLockTimeout)) return client_->error_of(failure);
    attempt.answer = {};
    // The server ends a transaction whose client is idle: a caller that waits anyway waits for
    // that, too.
    attempt.answer.why = queue != nullptr ? Why::no_slot : Why::guard;
  }
  // A waiter without a place gets no notification: the place was deleted, or could not be drawn
  // yet. The next attempt draws one.
  if (queue != nullptr && !queue->drawn && worth_waiting(attempt.answer)) {
    attempt.answer.retry_in = std::min(attempt.answer.retry_in, kDrawAgain);
  }
  return attempt.answer;
}

void PostgresSession::attempt_once(Connection& connection, Attempt& attempt,
                                   std::int64_t deadline) {
  connection.forget_news();
  std::vector<Statement> statements = {begin()};
  for (const LockAttempt& one : attempt.locks) {
    const std::uint64_t ticket = attempt.has_ticket() ? attempt.queue->numbers[one.index] : 0;
    if (doubtful_) add_clearance(statements, one.key, ticket);
    add_look(statements, {one.key, &request_.locks[one.index], static_cast<std::int64_t>(ticket),
                          &client_->id, client_->settings.clock, request_.rate.count});
  }
  const std::size_t step = kLookStatements + (doubtful_ ? 3 : 0);
  try {
    const std::vector<Rows> answers = connection.ask(statements, deadline);
    for (std::size_t i = 0; i < attempt.locks.size(); ++i) {
      const std::size_t first = 1 + (i + 1) * step - kLookStatements;
      attempt.locks[i].snapshot = read_look(std::span(answers).subspan(first, kLookStatements),
                                            connection.server().backend);
    }
    doubt(attempt);
    const Duration recovering = recovery(connection, attempt, deadline);
    if (!recovering.is_zero() && attempt.queue == nullptr)
      throw DatabaseError{
          DatabaseError::Kind::setup, why_paused(recovering), {}, Code::unavailable};
    attempt.answer = decide_all(attempt, recovering);
    if (attempt.answer.verdict == Verdict::admit) {
      admit(connection, attempt, deadline);
    } else {
      refuse(connection, attempt, attempt.answer, deadline);
    }
    doubtful_ = false;
  } catch (...) {
    connection.abandon(deadline);
    throw;
  }
}

void PostgresSession::doubt(Attempt& attempt) {
  const std::int64_t now = os::boot_ns();
  attempt.doubts = false;
  for (LockAttempt& one : attempt.locks) {
    for (Holder& holder : one.snapshot.holders) {
      const auto question = questioned_.find(holder.token);
      if (!holder.expired) {
        if (question != questioned_.end()) questioned_.erase(question);
        continue;
      }
      holder.doubted = question == questioned_.end() || now < plus(question->second, kAnswer);
      holder.expired = !holder.doubted;
      attempt.doubts = attempt.doubts || holder.doubted;
    }
  }
}

void PostgresSession::add_questions(const Attempt& attempt, std::vector<Statement>& to) const {
  for (const LockAttempt& one : attempt.locks) {
    for (const Holder& holder : one.snapshot.holders) {
      if (!holder.doubted || questioned_.contains(holder.token)) continue;
      to.push_back(
          {"SELECT pg_notify('atmost_' || owner, '') FROM atmost.holder WHERE lock = $1 AND slot = "
           "$2",
           {one.key, number(holder.slot)},
           "SELECT",
           1});
    }
  }
}

// The first lock in the request's order that does not admit decides.
Decision PostgresSession::decide_all(Attempt& attempt, Duration recovering) const {
  Decision answer;
  for (std::uint32_t i = 0; i < request_.lock_count; ++i) {
    const auto one = std::find_if(attempt.locks.begin(), attempt.locks.end(),
                                  [i](const LockAttempt& each) { return each.index == i; });
    const Asker caller = {attempt.has_ticket() ? attempt.queue->numbers[i] : 0,
                          attempt.queue == nullptr || attempt.queue->for_rate_only};
    build_view(one->snapshot, request_, request_.locks[i], attempt.now, caller, one->seen);
    if (!recovering.is_zero()) one->seen.view.has_room = false;
    answer = attempt.decide(request_, request_.locks[i], one->seen.view, attempt.now);
    answer.lock = i;
    if (!recovering.is_zero() && recovering < answer.retry_in) answer.retry_in = recovering;
    if (answer.verdict != Verdict::admit) return answer;
    if (one->seen.slots.size() != request_.locks[i].take) {
      throw DatabaseError{DatabaseError::Kind::setup, "admitted without room", {}, Code::internal};
    }
  }
  return answer;
}

// Until when the caller's rate does not allow it, and whether its place has to say so.
PostgresSession::Due PostgresSession::due_of(const Attempt& attempt,
                                             const Decision& decision) const {
  Due due;
  if (attempt.queue == nullptr) return due;
  due.for_rate = waits_for_rate(request_, decision);
  const std::int64_t before = attempt.queue->due_boot_ns;
  const bool early = due.for_rate && decision.verdict == Verdict::too_soon;
  due.boot_ns = due_after(request_, decision, attempt.now, before);
  if (due.boot_ns != 0) {
    const auto asked =
        std::find_if(attempt.locks.begin(), attempt.locks.end(),
                     [&](const LockAttempt& each) { return each.index == decision.lock; });
    due.at = asked->snapshot.clock + (early ? decision.retry_in.ns / 1000 : 0);
  }
  const std::int64_t moved = due.boot_ns > before ? due.boot_ns - before : before - due.boot_ns;
  due.changed = request_.rate.count > 0 && moved > kDueKeepsNs;
  return due;
}

// Not admitted: writes nothing but a place in the queue, and the correction of a future admission.
void PostgresSession::refuse(Connection& connection, Attempt& attempt, const Decision& decision,
                             std::int64_t deadline) {
  std::vector<Statement> statements;
  if (decision.last_in_future && !attempt.now.given)
    statements.push_back(bring_back(keys_[decision.lock], client_->settings.clock));
  const Due due = due_of(attempt, decision);
  const bool worth = due.for_rate || (worth_waiting(decision) && attempt.queue != nullptr &&
                                      !attempt.queue->for_rate_only);
  const bool draws = worth && !attempt.queue->drawn;
  const std::size_t first = statements.size();
  if (draws) {
    for (const LockAttempt& one : attempt.locks) {
      const LockSpec& spec = request_.locks[one.index];
      std::vector<Value> caller;
      add_caller(caller, request_, client_->id);
      statements.push_back(draw_place(one.key, request_, spec, attempt.now, client_->settings.clock,
                                      connection.session_key(), due.at, caller));
      if (request_.on_busy == OnBusy::supersede)
        statements.push_back(supersede_older(one.key, client_->id));
    }
  }
  for (const LockAttempt& one : attempt.locks) {
    if (attempt.has_ticket())
      add_sign_of_life(one.key, attempt.queue->numbers[one.index], one.snapshot, statements);
    if (attempt.has_ticket() && due.changed)
      statements.push_back(note_due(one.key, attempt.queue->numbers[one.index], due.at));
  }
  if (decision.why == Why::owed) statements.push_back(call_silent_first(keys_[decision.lock]));
  add_questions(attempt, statements);
  if (statements.empty() && !doubtful_) {
    statements.push_back(rollback());
    connection.ask(statements, deadline);
  } else {
    statements.push_back(commit());
    doubtful_ = doubtful_ || draws;
    const std::vector<Rows> answers = connection.ask(statements, deadline);
    const std::size_t step = request_.on_busy == OnBusy::supersede ? 2 : 1;
    for (std::size_t i = 0; draws && i < attempt.locks.size(); ++i) {
      const Rows& drawn = answers[first + i * step];
      drawn.expect(1);
      attempt.queue->numbers[attempt.locks[i].index] =
          static_cast<std::uint64_t>(drawn.integer(0, 0, 1));
    }
    if (draws) {
      attempt.queue->drawn = true;
      place_key_ = connection.session_key();
    }
    for (const LockAttempt& one : attempt.locks) {
      for (const Holder& holder : one.snapshot.holders) {
        if (holder.doubted) questioned_.emplace(holder.token, os::boot_ns());
      }
    }
  }
  if (attempt.queue != nullptr) attempt.queue->due_boot_ns = due.boot_ns;
  if (attempt.has_ticket()) plan_look(attempt, decision);
}

}  // namespace atmost::postgres
