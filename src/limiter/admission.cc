#include "admission.h"

#include <cerrno>

#include "circle_watch.h"
#include "companion.h"
#include "idle_watch.h"
#include "os/clock.h"
#include "os/waiting.h"
#include "policy/decide.h"
#include "policy/limits.h"
#include "rule/judge.h"
#include "takeover.h"

namespace atmost::limiter {
namespace {

// The interval at which a caller without a place in the queue asks again beside a foreign lock.
constexpr Duration kForeignAgain = Duration::millis(200);

void refuse(Outcome& outcome, const Decision& decision) {
  outcome.kind = Outcome::Kind::refused;
  outcome.decision = decision;
}

void fail(Outcome& outcome, const Error& error) {
  outcome.kind = Outcome::Kind::failed;
  outcome.error = error;
}

class Admission {
 public:
  Admission(const OpenLocks& locks, DecideFn decide, Observer* observer, Lease& lease,
            const Asking& how)
      : locks_(locks),
        request_(locks.request),
        session_(locks.session),
        decide_(decide),
        observer_(observer),
        lease_(lease),
        how_(how),
        waits_(!how.at_once && !request_.wait.is_zero()),
        waits_for_rate_only_(!how.at_once && !waits_ && request_.on_too_soon == OnTooSoon::wait &&
                             !request_.now_given) {}

  Outcome run();

 private:
  // Returns true when `outcome` is final.
  bool step(Outcome& outcome);
  bool on_too_soon(const Decision& decision, Outcome& outcome);
  bool on_overdue(const Decision& decision, Outcome& outcome);
  bool stop_victims(const Motive& why, Decision& victims, Outcome& outcome);
  bool on_busy(const Decision& decision, Outcome& outcome);
  bool wait_until(std::int64_t boot_ns, const Decision& decision, Outcome& outcome);
  bool wait_in_queue(std::int64_t boot_ns, const Decision& decision, Outcome& outcome);
  bool interrupted(Outcome& outcome) const;
  void stop();
  std::int64_t last_moment() const { return waits_ ? deadline_ : Duration::kForever; }

  const OpenLocks& locks_;
  const Request& request_;
  Session& session_;
  DecideFn decide_;
  Observer* observer_;
  Lease& lease_;
  const Asking& how_;
  const bool waits_;
  const bool waits_for_rate_only_;  // in the queue (waits_for_rate())
  Ticket ticket_;
  std::int64_t deadline_ = 0;
  HolderStops stops_;  // of holders that have released their slots for us; kept until our next
                       // attempt
  bool told_ = false;
  CircleWatch circle_;
  os::StopNotice stop_notice_;  // only a caller that waits needs it
};

Outcome Admission::run() {
  // A caller that does not wait needs no clock here. If it has to ask twice (it stopped a holder,
  // or is too early), its time counts from the first answer.
  std::int64_t started = waits_ ? os::boot_ns() : 0;
  if (waits_) deadline_ = plus(started, request_.wait);
  Outcome outcome;
  bool over = step(outcome);
  if (!over || outcome.decision.why == Why::circle) {
    if (!waits_) deadline_ = started = os::boot_ns();
    while (!over) over = step(outcome);
    outcome.waited = {os::boot_ns() - started};
  }
  // Its rate would allow it too late: the first answer may be final, and have drawn a ticket.
  if (ticket_.drawn) {
    session_.withdraw(ticket_);
    report_lease(session_);
  }
  outcome.decision.kept_place = ticket_.kept;
  if (stop_notice_.asked()) stop();
  return outcome;
}

bool Admission::step(Outcome& outcome) {
  if (stop_notice_.asked()) stop();
  const bool may_wait = waits_ && os::boot_ns() < deadline_;
  const bool queues = may_wait || waits_for_rate_only_;
  if (queues && how_.signals == Signals::ours) {
    stop_notice_.install(request_.keep_place_ms > 0);  // before it draws a ticket, to give it up
  } else if (!queues) {
    session_.withdraw(ticket_);
  }
  ticket_.for_rate_only = waits_for_rate_only_;
  const Attempt attempt = {decide_, moment, queues ? &ticket_ : nullptr};
  Result<Decision> asked = rule::admit(session_, request_, attempt, lease_);
  stops_.end();
  report_lease(session_);
  if (!asked.ok()) {
    fail(outcome, asked.error());
    return true;
  }
  const Decision& decision = asked.value();
  switch (decision.verdict) {
    case Verdict::admit:
      outcome.kind = Outcome::Kind::ran;
      outcome.decision = decision;
      outcome.token = lease_.lock(0).token;
      outcome.slot = lease_.lock(0).slots[0];
      return true;
    case Verdict::too_soon:
      return on_too_soon(decision, outcome);
    case Verdict::take_over:
      return on_overdue(decision, outcome);
    case Verdict::busy:
      break;
  }
  return on_busy(decision, outcome);
}

bool Admission::on_too_soon(const Decision& decision, Outcome& outcome) {
  const std::int64_t ready = plus(os::boot_ns(), decision.retry_in);
  const bool in_time = !waits_ || ready <= deadline_;
  if (request_.on_too_soon != OnTooSoon::wait || decision.retry_in.is_forever() || !in_time ||
      request_.now_given) {
    refuse(outcome, decision);
    return true;
  }
  // In the queue of its rate it is woken when it is the first and due, or by those in front of it.
  const bool in_queue = ticket_.drawn && waits_for_rate(request_, decision);
  return wait_until(in_queue ? last_moment() : ready, decision, outcome);
}

[[gnu::noinline]] bool Admission::on_overdue(const Decision& decision, Outcome& outcome) {
  Decision overdue = decision;
  Motive why;
  if (!decision.outlived.is_zero()) {
    why.reason = StopReason::unsupervised;
    why.due = decision.outlived;
  } else if (request_.on_busy == OnBusy::replace) {
    why.reason = StopReason::replace;
  } else {
    why.due = request_.expire_auto ? decision.limits.expire_after : request_.expire_after;
    why.learned = request_.expire_auto ? &decision.limits : nullptr;
  }
  return stop_victims(why, overdue, outcome);
}

bool Admission::stop_victims(const Motive& why, Decision& overdue, Outcome& outcome) {
  Result<Takeover> taken = take_over(locks_, why, overdue, stops_, {observer_, how_.log});
  // The slots stay closed to newcomers until our next attempt; those in front get them first.
  if (taken.ok() && taken.value() == Takeover::freed) return false;
  stops_.end();
  if (!taken.ok()) {
    fail(outcome, taken.error());
    return true;
  }
  overdue.verdict = Verdict::busy;
  overdue.why = taken.value() == Takeover::taken    ? Why::taking_over
                : taken.value() == Takeover::young  ? Why::no_slot
                : taken.value() == Takeover::immune ? Why::immune
                                                    : Why::survivor;
  overdue.retry_in = Duration::millis(100);
  return on_busy(overdue, outcome);
}

bool Admission::on_busy(const Decision& decision, Outcome& outcome) {
  // The slot is being taken over, or its record made it look overdue: then there is no ticket.
  bool may_wait = waits_ && (ticket_.drawn || os::boot_ns() < deadline_);
  if (waits_for_rate_only_) may_wait = ticket_.drawn && waits_for_rate(request_, decision);
  if (!worth_waiting(decision) || !may_wait) {
    refuse(outcome, decision);
    return true;
  }
  if (how_.idle != nullptr && ticket_.drawn) {
    const bool first = decision.why == Why::no_slot && decision.waiters == 0;
    Decision victim = decision;
    if (!first) how_.idle->rest();
    if (first && how_.idle->finds_idle(decision.lock, victim))
      return stop_victims({StopReason::idle}, victim, outcome);
  }
  // The end of a foreign lock causes no event.
  const bool foreign = decision.why == Why::foreign;
  std::int64_t recheck = plus(os::boot_ns(), foreign ? kForeignAgain : decision.retry_in);
  if (how_.idle != nullptr && how_.idle->next_ns() < recheck) recheck = how_.idle->next_ns();
  const std::int64_t end = last_moment();
  return wait_until(recheck < end ? recheck : end, decision, outcome);
}

bool Admission::wait_until(std::int64_t boot_ns, const Decision& decision, Outcome& outcome) {
  if (!told_ && observer_ != nullptr) observer_->waiting(decision);
  told_ = true;
  if (interrupted(outcome)) return true;
  if (observer_ != nullptr) {
    const Duration longest = observer_->still_waiting();
    const std::int64_t look = longest.is_forever() ? boot_ns : plus(os::boot_ns(), longest);
    if (look < boot_ns) boot_ns = look;
  }
  if (!ticket_.drawn) {
    os::sleep_until(boot_ns);
    return interrupted(outcome);
  }
  return wait_in_queue(boot_ns, decision, outcome);
}

bool Admission::wait_in_queue(std::int64_t boot_ns, const Decision& decision, Outcome& outcome) {
  if (waits_) circle_.begin(how_.store);
  for (;;) {
    const std::int64_t look = circle_.next_ns();
    Result<Wake> woken = session_.await(ticket_, look < boot_ns ? look : boot_ns);
    if (!woken.ok()) {
      fail(outcome, woken.error());
      return true;
    }
    if (circle_.refuses(request_, decision, last_moment(), outcome)) return true;
    // Woken for a look at a circle alone: nothing has to be asked.
    const bool only_looked = woken.value() == Wake::deadline && look < boot_ns;
    if (interrupted(outcome)) return true;
    if (!only_looked || os::boot_ns() >= boot_ns) return false;
  }
}

bool Admission::interrupted(Outcome& outcome) const {
  if (how_.gate == nullptr || !how_.gate->interrupted()) return false;
  fail(outcome, error_of(Code::interrupted, EINTR, request_.locks[0].name));
  outcome.error.message.append(": the wait was interrupted");
  return true;
}

void Admission::stop() {
  ticket_.gives_up = stop_notice_.interrupts();
  session_.withdraw(ticket_);
  if (observer_ != nullptr) observer_->pausing();
  stop_notice_.obey();
}

}  // namespace

Outcome admit(const OpenLocks& locks, DecideFn decide, Observer* observer, Lease& lease,
              const Asking& how) {
  return Admission(locks, decide, observer, lease, how).run();
}

Decision would_admit(const Request& request, const LockSpec& lock, const View& view,
                     const Instant& now) {
  Decision decision = policy::decide(request, lock, view, now);
  // A caller that only asks stops no holder. If overdue holders (the decision's victims) would be
  // stopped, the answer is yes.
  const bool yes = decision.verdict == Verdict::admit || decision.verdict == Verdict::take_over;
  if (yes) {
    decision.verdict = Verdict::busy;
    decision.why = Why::none;
  }
  return decision;
}

Decision admit_if_free(const Request& request, const LockSpec& lock, const View& view,
                       const Instant& now) {
  Decision decision = policy::decide(request, lock, view, now);
  if (decision.verdict == Verdict::take_over) decision.verdict = Verdict::busy;
  return decision;
}

bool learn_refusal(const OpenLocks& locks, const Outcome& outcome) {
  const Decision& decision = outcome.decision;
  const bool learns = locks.request.if_elapsed_auto && !locks.request.no_learn;
  if (decision.verdict != Verdict::too_soon || !learns) return false;
  return locks.session.learn(decision.lock, policy::remember,
                             {.kind = RunSample::Kind::too_soon,
                              .asked_real_ns = moment(locks.request).real_ns,
                              .interval = decision.limits.if_elapsed});
}

Instant moment(const Request& request) {
  Instant now = os::now();
  if (request.now_given) {
    now.real_ns = request.now_real_ns;
    now.given = request.now_boot_ns == 0;
    if (!now.given) now.boot_ns = request.now_boot_ns;
  }
  return now;
}

}  // namespace atmost::limiter
