// attempt(): look, decide, and take the slots or a place in the queue, all in one transaction.
#include <algorithm>

#include "asking.h"
#include "hold.h"
#include "os/clock.h"
#include "waiting.h"

namespace atmost::postgres {
namespace {

constexpr Duration kDrawAgain = Duration::millis(20);
// A server's clock that was set forward ends all leases at once. So a holder whose lease has ended
// is told, and renews it if it is there: its row is still its own. After this its silence is
// believed.
constexpr Duration kAnswer = Duration::millis(500);
constexpr Duration kLookForAnswer = Duration::millis(50);

// A last admission that lies ahead of the clock would close the lock until the clock catches up: it
// becomes now, once.
Statement bring_back(const std::string& key, const std::string& clock) {
  const auto mended = [&](const std::string& column) {  // what is not known stays so
    return column + " = CASE WHEN " + column + " > " + clock + " THEN " + clock + " ELSE " +
           column + " END";
  };
  return {"UPDATE atmost.lock SET " + mended("last_start") + ", " + mended("last_finish") + ", " +
              mended("last_success") + " WHERE name = $1",
          {key},
          "UPDATE 1",
          0};
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
  const auto same = std::adjacent_find(asked.locks.begin(), asked.locks.end(), same_key);
  if (same != asked.locks.end()) {
    Error twice = atmost::error_of(Code::usage, 0, request.locks[same->index].name);
    twice.message.append(": the same lock twice: leave one of them out");
    return twice;
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
    do {
      if (asked.doubts) os::sleep_until(plus(os::boot_ns(), kLookForAnswer));
      talk([&](Link& link, std::int64_t deadline) { attempt_once(link, asked, deadline); });
    } while (queue == nullptr && asked.doubts && asked.answer.verdict == Verdict::busy);
  } catch (const Trouble& trouble) {
    if (!trouble.is(kLockTimeout)) return error_of(trouble);
    asked.answer = {};
    // The server ends a transaction whose client stands still: who waits anyway, waits for that,
    // too.
    asked.answer.why = queue != nullptr ? Why::no_slot : Why::guard;
  }
  // Nobody wakes a waiter without a place: it was swept up, or could not be drawn yet. The next
  // attempt draws one.
  if (queue != nullptr && !queue->drawn && worth_waiting(asked.answer)) {
    asked.answer.retry_in = std::min(asked.answer.retry_in, kDrawAgain);
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
    add_look(statements, {one.key, &request.locks[one.index], static_cast<std::int64_t>(ticket),
                          party_.get(), settings_.clock});
  }
  const std::size_t step = kLookStatements + (doubtful_ ? 3 : 0);
  try {
    const std::vector<Rows> answers = link.ask(statements, deadline);
    for (std::size_t i = 0; i < asked.locks.size(); ++i) {
      const std::size_t first = 1 + (i + 1) * step - kLookStatements;
      asked.locks[i].sight =
          read_look(std::span(answers).subspan(first, kLookStatements), link.server().backend);
    }
    doubt(asked);
    const Duration recovering = recovery(link, asked, deadline);
    if (!recovering.is_zero() && asked.queue == nullptr)
      throw Trouble{Trouble::Kind::setup, why_paused(recovering), {}, Code::unavailable};
    asked.answer = decide_all(asked, recovering);
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

void PostgresStore::doubt(Asked& asked) {
  const std::int64_t now = os::boot_ns();
  asked.doubts = false;
  for (Asked::One& one : asked.locks) {
    for (Holder& holder : one.sight.holders) {
      const auto question = questioned_.find(holder.token);
      if (!holder.expired) {
        if (question != questioned_.end()) questioned_.erase(question);
        continue;
      }
      holder.doubted = question == questioned_.end() || now < plus(question->second, kAnswer);
      holder.expired = !holder.doubted;
      asked.doubts = asked.doubts || holder.doubted;
    }
  }
}

void PostgresStore::add_questions(const Asked& asked, std::vector<Statement>& to) const {
  for (const Asked::One& one : asked.locks) {
    for (const Holder& holder : one.sight.holders) {
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

// The first lock in the request's order that does not admit answers for all.
Decision PostgresStore::decide_all(Asked& asked, Duration recovering) const {
  const Request& request = *asked.request;
  Decision answer;
  for (std::uint32_t i = 0; i < request.lock_count; ++i) {
    const auto one = std::find_if(asked.locks.begin(), asked.locks.end(),
                                  [i](const Asked::One& each) { return each.index == i; });
    paint(one->sight, request, request.locks[i], asked.now, !asked.has_ticket(),
          asked.queue == nullptr, one->picture);
    if (!recovering.is_zero()) one->picture.view.room = false;
    answer = asked.decide(request, request.locks[i], one->picture.view, asked.now);
    answer.lock = i;
    if (!recovering.is_zero() && recovering < answer.retry_in) answer.retry_in = recovering;
    if (answer.verdict != Verdict::admit) return answer;
    if (one->picture.slots.size() != request.locks[i].take) {
      throw Trouble{Trouble::Kind::setup, "admitted without room", {}, Code::internal};
    }
  }
  return answer;
}

// Not admitted: nothing is written but a place in the queue, and a time that has to be mended.
void PostgresStore::stay_out(Link& link, Asked& asked, const Decision& decision,
                             std::int64_t deadline) {
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
      statements.push_back(draw_place(one.key, *asked.request, spec, asked.now, settings_.clock,
                                      link.session_key(), caller));
    }
  }
  for (const Asked::One& one : asked.locks) {
    if (asked.has_ticket())
      add_sign_of_life(one.key, asked.queue->numbers[one.index], one.sight, statements);
  }
  if (decision.why == Why::owed) statements.push_back(call_silent_first(keys_[decision.lock]));
  add_questions(asked, statements);
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
    if (draws) {
      asked.queue->drawn = true;
      place_key_ = link.session_key();
    }
    for (const Asked::One& one : asked.locks) {
      for (const Holder& holder : one.sight.holders) {
        if (holder.doubted) questioned_.emplace(holder.token, os::boot_ns());
      }
    }
  }
  if (asked.has_ticket()) plan_look(asked, decision);
}

}  // namespace atmost::postgres
