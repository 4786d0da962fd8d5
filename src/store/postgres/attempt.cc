// The two halves of an attempt: a look, which begins the transaction, and the writing of a plan,
// which ends it.
#include <algorithm>

#include "core/words.h"
#include "os/clock.h"
#include "session.h"
#include "statements.h"

namespace atmost::postgres {
namespace {

constexpr Duration kDrawAgain = Duration::millis(20);
// A server's clock that was set forward ends all leases at once. So a holder whose lease has ended
// is notified, and renews it if it still runs, because the row is still its own. If it has not
// answered after this time, it counts as gone.
constexpr Duration kAnswer = Duration::millis(500);
constexpr Duration kLookForAnswer = Duration::millis(50);

// A waiter without a place gets no notification: the place was deleted, or could not be drawn yet.
// The next attempt draws one.
void ask_soon(Decision& answer, const Ticket* queue) {
  if (queue != nullptr && !queue->drawn && worth_waiting(answer))
    answer.retry_in = std::min(answer.retry_in, kDrawAgain);
}

// The server ends a transaction whose client is idle: a caller that waits anyway waits for that,
// too.
Why why_locked(const Ticket* queue) { return queue != nullptr ? Why::no_slot : Why::guard; }

}  // namespace

Status PostgresSession::look(const Attempt& attempt, rule::Looked& to) {
  Ticket* const queue = attempt.queue;
  if (attempt.looks == 0) deadline_ns_ = plus(os::boot_ns(), client_->settings.timeout);
  try {
    client_->talk(
        [&](Connection& connection, std::int64_t deadline) {
          try {
            look_once(connection, attempt.moment, queue, deadline);
            if (!place_is_gone(queue)) return;
            // It was deleted while we were suspended or stopped. Those in other locks go, too.
            connection.abandon(deadline);
            queue->drawn = false;
            leave_queue();
            doubtful_ = true;
            look_once(connection, attempt.moment, queue, deadline);
          } catch (const DatabaseError&) {
            connection.abandon(deadline);
            throw;
          }
        },
        true, deadline_ns_);
  } catch (const DatabaseError& failure) {
    if (!failure.is(kLockTimeout)) return client_->error_of(failure);
    ask_soon(to.refuse(why_locked(queue)), queue);
    return {};
  }
  to.locks = facts_;
  to.now = clocks_.now;
  to.turns_boot_ns = clocks_.turns_boot_ns;
  return {};
}

void PostgresSession::look_once(Connection& connection, MomentFn moment, const Ticket* queue,
                                std::int64_t deadline) {
  connection.forget_news();
  std::vector<Statement> statements = {begin()};
  std::vector<Statement> clearance;
  for (const auto& one : locks_) {
    const std::uint64_t ticket = rule::asker_of(request_, queue, one->index).ticket;
    clearance.clear();
    if (doubtful_) add_clearance(clearance, one->key, ticket);
    one->add_look(statements, request_, ticket, client_->id, client_->settings.clock, clearance);
  }
  const std::vector<Rows> answers = connection.ask(statements, deadline);
  clocks_.now = moment(request_);
  const bool by_clock = clocks_.now.given || request_.now_boot_ns != 0;
  clocks_.turns_boot_ns = by_clock ? os::boot_ns() : clocks_.now.boot_ns;
  const std::size_t step = LockFacts::kStatements + clearance.size();
  for (std::size_t i = 0; i < locks_.size(); ++i)
    locks_[i]->read(std::span(answers).subspan(1 + i * step, step), connection, clocks_);
  doubt();
  recover(connection, deadline);
  if (!recovering_.is_zero() && queue == nullptr) throw setup_error(why_paused(recovering_));
  for (const auto& one : locks_)
    one->begin(rule::asker_of(request_, queue, one->index), connection, client_->id,
               !recovering_.is_zero(), deadline);
}

// The remaining time of the longest lease that may have been lost. Its holder cannot renew it, and
// will have stopped by then. Zero: it is over. Records an era that is seen for the first time,
// which needs a transaction of its own.
void PostgresSession::recover(Connection& connection, std::int64_t deadline) {
  const Era& era = locks_.front()->era;
  recovering_ = {};
  if (era.first) return;
  if (!era.pause_us) {
    connection.abandon(deadline);
    const Statement seen[] = {begin_era()};
    connection.ask(seen, deadline);
    throw changed_error("the server has a new timeline; ask again");
  }
  recovering_ = micros_span(*era.pause_us);
}

std::string why_paused(Duration left) {
  const Duration whole = Duration::seconds(left.ns / 1'000'000'000 + 1);
  return "this server took over from another, or was restored, and does not know of every holder "
         "yet: locks are given again in " +
         std::string(duration_words(whole).view()) +
         ", when the longest lease ever given is over; or at once, when every holder from before "
         "has surely stopped, by TRUNCATE atmost.era";
}

bool PostgresSession::place_is_gone(const Ticket* queue) const {
  return queue != nullptr && queue->drawn &&
         std::any_of(locks_.begin(), locks_.end(),
                     [](const auto& one) { return !one->place_is_there; });
}

// Removes what a transaction that was cut off may have left behind. The row is locked: that
// transaction had locked it, too, so it has ended.
void PostgresSession::add_clearance(std::vector<Statement>& to, const std::string& key,
                                    std::uint64_t ticket) const {
  std::string tokens = "{";
  for (std::size_t i = 0; lease_ != nullptr && i < lease_->rows().size(); ++i)
    tokens += (i > 0 ? "," : "") + std::to_string(lease_->rows()[i].held.token);
  to.push_back(
      {"DELETE FROM atmost.holder WHERE lock = $1 AND owner = $2 AND token <> ALL ($3::bigint[])",
       {key, client_->id.owner, tokens + "}"}});
  to.push_back({"DELETE FROM atmost.waiter WHERE lock = $1 AND owner = $2 AND ticket <> $3",
                {key, client_->id.owner, number(ticket)}});
}

void PostgresSession::doubt() {
  const std::int64_t now = os::boot_ns();
  doubts_ = false;
  for (const auto& one : locks_) {
    for (Holder& holder : one->holders_found) {
      const auto question = questioned_.find({one->index, holder.view.token});
      if (!holder.expired) {
        if (question != questioned_.end()) questioned_.erase(question);
        continue;
      }
      holder.doubted = question == questioned_.end() || now < plus(question->second, kAnswer);
      holder.expired = !holder.doubted;
      doubts_ = doubts_ || holder.doubted;
    }
  }
}

void PostgresSession::add_questions(std::vector<Statement>& to) const {
  for (const auto& one : locks_) {
    for (const Holder& holder : one->holders_found) {
      if (!holder.doubted || questioned_.contains({one->index, holder.view.token})) continue;
      to.push_back(
          {"SELECT pg_notify('atmost_' || owner, '') FROM atmost.holder WHERE lock = $1 AND slot = "
           "$2",
           {one->key, number(holder.view.slot)},
           1});
    }
  }
}

Status PostgresSession::apply(const rule::Plan& plan, const Instant& now, Ticket* queue,
                              rule::Applied& to) {
  try {
    write(plan, now, queue, to);
  } catch (const DatabaseError& failure) {
    client_->connection->abandon(deadline_ns_);
    if (failure.is(kLockTimeout)) {
      plan.decision = {};
      plan.decision.why = why_locked(queue);
    } else {
      to.changed = client_->try_again(failure, true, deadline_ns_);
      if (!to.changed) return client_->error_of(failure);
    }
  }
  ask_soon(plan.decision, queue);
  return {};
}

void PostgresSession::write(const rule::Plan& plan, const Instant& now, Ticket* queue,
                            rule::Applied& to) {
  for (const auto& one : locks_) {
    if (one->broken) throw DatabaseError(*one->broken);
  }
  plan.decision.retry_in =
      std::min(plan.decision.retry_in, recovering_.is_zero() ? Duration::forever() : recovering_);
  if (plan.admits()) {
    to.held = admit(*client_->connection, plan, now, queue);
  } else {
    refuse(*client_->connection, plan, queue);
    to.changed = queue == nullptr && doubts_ && plan.decision.verdict == Verdict::busy;
    if (to.changed) os::sleep_until(plus(os::boot_ns(), kLookForAnswer));
  }
  doubtful_ = false;
}

// Of an admission and of a refusal: the locks' rows, and turns.
void PostgresSession::add_plan(const rule::Plan& plan, std::vector<Statement>& to) const {
  for (const auto& one : locks_) {
    if (one->index < plan.lock_count && one->plan.changed)
      to.push_back(
          write_row(one->key, one->before(), one->plan, one->clocks(), client_->settings.clock));
    for (const LockFacts::Note& note : one->notes)
      to.push_back(note_turn(*one, note, client_->settings.clock));
  }
}

// Not admitted: writes nothing but a place in the queue, turns, and the correction of a future
// admission.
void PostgresSession::refuse(Connection& connection, const rule::Plan& plan, Ticket* queue) {
  std::vector<Statement> statements;
  const bool draws = plan.step == rule::QueueStep::draw;
  for (const auto& one : locks_) {
    const PlaceNote place = {plan.due_boot_ns == 0 ? 0 : one->clocks().micros(plan.due_boot_ns),
                             plan.claims_in != one->index};
    if (draws) {
      statements.push_back(draw_place(*one, request_, *client_, place));
    } else if (plan.place_changed) {
      statements.push_back(note_place(one->key, queue->numbers[one->index], place));
    }
  }
  add_plan(plan, statements);
  add_questions(statements);
  if (statements.empty() && !doubtful_) {
    statements.push_back(rollback());
    connection.ask(statements, deadline_ns_);
  } else {
    statements.push_back(commit());
    doubtful_ = doubtful_ || draws;
    const std::vector<Rows> answers = connection.ask(statements, deadline_ns_);
    for (std::size_t i = 0; draws && i < locks_.size(); ++i) {
      answers[i].expect(1);
      queue->numbers[locks_[i]->index] = static_cast<std::uint64_t>(answers[i].integer(0, 0, 1));
    }
    for (const auto& one : locks_) {
      for (const Holder& holder : one->holders_found) {
        if (holder.doubted)
          questioned_.emplace(std::pair(one->index, holder.view.token), os::boot_ns());
      }
    }
  }
  if (queue == nullptr) return;
  if (draws) {
    queue->drawn = true;
    place_key_ = connection.session_key();
  }
  queue->due_boot_ns = plan.due_boot_ns;
  queue->claims_in = plan.claims_in;
  if (queue->drawn) plan_look(*queue, plan.decision);
}

}  // namespace atmost::postgres
