#include "held_command.h"

#include "admission.h"
#include "companion.h"
#include "core/lease_time.h"
#include "core/words.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/signals.h"
#include "policy/limits.h"
#include "policy/steps.h"
#include "takeover_words.h"

namespace atmost::limiter {
namespace {

// The interval at which --on-lost=stop checks that the lock files are in place.
constexpr std::int64_t kLookAtFilesNs = 1'000'000'000;

}  // namespace

void HeldCommand::started(std::int64_t boot_ns) {
  started_boot_ns_ = boot_ns;
  begin_hold(locks_, lease_, admission_, journal_);
}

// Warns once.
void HeldCommand::look_at_files(const Lease& lease) {
  for (std::uint32_t i = 0; !displaced_ && lease.held() && i < request_.lock_count; ++i) {
    if (lease.in_place(i)) continue;
    displaced_ = true;
    Error words = error_of(Code::lost, 0, request_.locks[i].path);
    words.message.append(": the lock file was removed or replaced while it was held: ");
    words.message.append(stops_when_displaced_ ? "the command is stopped, as --on-lost=stop says"
                                               : "others may run beside this command");
    if (observer_ != nullptr) observer_->warning(words);
  }
}

std::int64_t HeldCommand::check(std::int64_t boot_ns) {
  if (!lease_.held()) return Duration::kForever;
  if (stops_when_displaced_) {
    look_at_files(lease_);
    return displaced_ ? boot_ns : plus(boot_ns, {kLookAtFilesNs});
  }
  if (!locks_.traits.leased) return Duration::kForever;
  const Upkeep upkeep = lease_.upkeep();
  const std::int64_t begin = upkeep.until_boot_ns - stop_time(request_.kill_grace).ns;
  const bool ending = upkeep.lost || boot_ns >= begin;
  if (!ending && !upkeep.asked_to_stop) return begin;
  if (!upkeep.asked_to_stop && request_.on_lost == OnLost::warn) {
    warn();
    return Duration::kForever;
  }
  lost_ = true;
  asked_to_stop_ = asked_to_stop_ || !ending;
  const std::int64_t left = upkeep.lost ? 0 : upkeep.until_boot_ns - boot_ns - kKillTime.ns;
  if (left < 2 * task_.kill_grace.ns) task_.kill_grace = {left > 0 ? left / 2 : 0};
  return boot_ns;
}

void HeldCommand::warn() {
  lost_ = true;
  if (observer_ == nullptr) return;
  Error words = error_of(Code::lost, 0, request_.locks[0].name);
  words.message.append(
      ": the lease is lost or cannot be renewed; the command goes on, as --on-lost=warn says");
  observer_->warning(words);
}

void HeldCommand::left(std::int64_t pid, bool refused) {
  if (observer_ != nullptr) observer_->warning(left_words(request_.locks[0].name, pid, refused));
}

// Of all locks; atmost kill counts before other takers.
Contest HeldCommand::contest(const Lease& lease) const {
  Contest found = Contest::none;
  for (std::uint32_t i = 0; lease.held() && i < request_.lock_count; ++i) {
    const Contest one = lease.contested(i);
    if (one != Contest::none && found != Contest::by_kill) found = one;
  }
  return found;
}

bool HeldCommand::taken(std::int64_t sender) {
  told_ = true;
  const bool now = contest(lease_) != Contest::none;
  asked_by_taker_ = asked_by_taker_ || now;
  if (now && sender != 0) taker_ = sender;
  return now;
}

Stopped HeldCommand::stopped(Stopped own) const {
  if (own == Stopped::max_runtime || own == Stopped::idle || own == Stopped::caller_gone)
    return own;
  if (killed_) return Stopped::killed;
  const bool asked = taken_over_ || (own == Stopped::lost && asked_to_stop_);
  return asked ? Stopped::taken_over : own;
}

// Asked when the main process ends, and again when the hold does: a taker may have given up by
// then, because something is left that it may not signal. A command that exits before any signal
// reached it ended by itself, even if a taker was about to stop it. So did one that another signal
// ended.
void HeldCommand::note_taker(const Lease& lease, const ExitStatus& status) {
  const bool by_takers_signal = status.signal == os::kInterrupt ||
                                status.signal == os::kTerminate || status.signal == os::kKill;
  const bool asked = (asked_by_taker_ && reached_) || by_takers_signal;
  const Contest by = lost_ || !asked ? Contest::none : contest(lease);
  if (by == Contest::none) return;
  taken_over_ = true;
  killed_ = by == Contest::by_kill;
}

void HeldCommand::over(const run::RunReport& report, Outcome& to) {
  hold_over(report.status);
  to.kind = Outcome::Kind::ran;
  to.status = report.status;
  to.stopped = stopped(report.stopped);
  to.stopped_by = taker_;
  to.too_fast = too_fast_ && to.stopped == Stopped::no;
  to.suspicious = suspicious_;
  to.usage = report.usage;
  to.termination_signal = report.termination_signal;
  to.ran = report.ran;
  to.over_at = over_at_;
  to.lost = lost_ || displaced_;
  const bool lost = to.lost || report.stopped == Stopped::lost;
  if (lost && to.stopped != Stopped::killed) journal_.lost();
}

void HeldCommand::hold_over(const ExitStatus& status) {
  Lease lease = std::move(lease_);
  if (!lease.held()) return;
  if (monitored.reports) monitored.line.say(os::Word::ended);
  look_at_files(lease);
  note_taker(lease, status);
  lost_ = lost_ || taken_over_;
  end(std::move(lease), status.success() ? Ending::success : Ending::failure, status);
}

void HeldCommand::not_started(Outcome& to) {
  Lease lease = std::move(lease_);
  journal_.admitted(lease, admission_.waited);
  if (monitored.reports) monitored.line.say(os::Word::ended);
  end(std::move(lease), Ending::not_started, {});
  to.over_at = over_at_;
}

void HeldCommand::end(Lease lease, Ending ending, const ExitStatus& status) {
  const Instant now = moment(request_);
  if (!request_.now_given) over_at_ = now;
  const Duration least = admission_.decision.limits.min_runtime;
  stopped_ = stopped_ && reached_;
  too_fast_ = ending == Ending::success && !stopped_ && !lost_ && ran(now) < least;
  const Lesson lesson = lesson_of(status, now);
  lease.release(too_fast_ ? Ending::failure : ending, now, lesson);
  if (locks_.traits.leased) {
    say_left_behind();
    learn_from_run(lesson, now);
  }
  report_lease(locks_.session);
}

// A store that did not answer keeps the slots until the lease ends.
void HeldCommand::say_left_behind() {
  const std::int64_t left = locks_.session.left_until_boot_ns() - os::boot_ns();
  if (left <= 0 || observer_ == nullptr) return;
  Error words = error_of(Code::unavailable, 0, request_.locks[0].name);
  words.message
      .append(": the store did not answer when the lock was released: it counts as held for ")
      .append(duration_words_up({left}))
      .append(" more, until its lease ends");
  observer_->warning(words);
}

// In a leased store, which learns by requests of its own: only for a caller that asked for learned
// limits, and when the slots are free.
void HeldCommand::learn_from_run(const Lesson& lesson, const Instant& now) {
  if (lesson.how == nullptr || !wants_stats(request_)) return;
  RunSample sample = lesson.sample;
  sample.started_real_ns = now.real_ns - sample.ran.ns;
  for (std::uint32_t i = 0; i < request_.lock_count; ++i)
    suspicious_ |= (locks_.session.learn(i, lesson.how, sample) ? 1u : 0u) << i;
}

Duration HeldCommand::ran(const Instant& now) const {
  const std::int64_t ended_ns = request_.now_given ? os::boot_ns() : now.boot_ns;
  return {ended_ns - started_boot_ns_};
}

// Other runs of the lock may have taught since this one began: if its limit is longer by now, it
// goes on, a step at a time. Else this is recorded before the command is stopped, and under the
// lock's guard, so that of several runs which reach a limit together the next goes by it.
Duration HeldCommand::limit_reached(Stopped why, Duration reached, Doing doing) {
  const bool learned = why == Stopped::idle ? request_.max_idle_auto : request_.max_runtime_auto;
  if (!learned || request_.no_learn || lost_ || displaced_) return reached;
  const Instant now = moment(request_);
  RunSample sample =
      sample_of(request_, admission_.decision.limits, RunSample::Kind::at_limit, ran(now));
  sample.started_real_ns = now.real_ns - sample.ran.ns;
  sample.limit = reached;
  sample.doing = doing;
  if (locks_.session.learn(0, policy::remember, sample))
    return policy::end_of_step(policy::step_of(reached) + 1);
  sample.kind = RunSample::Kind::stopped;
  for (std::uint32_t i = 1; i < request_.lock_count; ++i)
    locks_.session.learn(i, policy::remember, sample);
  has_taught_ = true;
  return reached;
}

// If a taker stopped the command, the taker updates the statistics: it knows the reason.
Lesson HeldCommand::lesson_of(const ExitStatus& status, const Instant& now) {
  if (request_.no_learn || started_boot_ns_ == 0 || lost_ || displaced_) return {};
  // A silence that was not learned, or a caller that has gone, proves nothing about the limits.
  const bool at_limit = stopped_ && stopped_for_ != Stopped::caller_gone &&
                        (stopped_for_ != Stopped::idle || request_.max_idle_auto);
  const auto kind = at_limit && has_taught_                   ? RunSample::Kind::admitted
                    : at_limit                                ? RunSample::Kind::stopped
                    : stopped_ || told_ || status.signal != 0 ? RunSample::Kind::cut_short
                                                              : RunSample::Kind::completed;
  Lesson lesson;
  lesson.how = policy::remember;
  lesson.sample = sample_of(request_, admission_.decision.limits, kind, ran(now));
  lesson.sample.failed = !status.success();
  lesson.suspicious = &suspicious_;
  return lesson;
}

RunSample sample_of(const Request& request, const Limits& limits, RunSample::Kind kind,
                    Duration ran) {
  RunSample sample;
  sample.kind = kind;
  sample.ran = ran;
  sample.risk_ppm = request.learned.risk_ppm;
  sample.low = request.learned.low;
  sample.high = request.learned.high;
  sample.interval = limits.if_elapsed;
  return sample;
}

void begin_hold(const OpenLocks& locks, const Lease& lease, const Outcome& admission,
                Journal& journal) {
  const Request& request = locks.request;
  journal.admitted(lease, admission.waited);
  // Requests that come during a long run are compared with this one from now on.
  RunSample sample;
  sample.kind = RunSample::Kind::admitted;
  sample.asked_real_ns = moment(request).real_ns;
  sample.interval = admission.decision.limits.if_elapsed;
  const bool learns = request.if_elapsed_auto && !request.no_learn;
  const bool saves =
      !request.if_elapsed.is_zero() || request.if_elapsed_auto || request.rate.count > 0;
  for (std::uint32_t i = 0; i < request.lock_count; ++i) {
    if (learns) locks.session.learn(i, policy::remember, sample);
    // A disk that fails now costs no more than a power failure: the run goes on.
    const RecordedLimit* const limit = lease.lock(i).limit;
    const bool rated = limit != nullptr && limit->rate_count > 0;
    if ((saves || rated) && lease.lock(i).fd >= 0) (void)os::sync_data(lease.lock(i).fd);
  }
}

}  // namespace atmost::limiter
