// The reports of a takeover: to the log, to the observer, and to the statistics.
#include "core/words.h"
#include "os/clock.h"
#include "policy/limits.h"
#include "takeover_run.h"
#include "takeover_words.h"

namespace atmost::limiter {

// Records in the log whether the last signal to the victim worked.
void TakeoverRun::settle(std::uint32_t index) {
  Victim& victim = victims_[index];
  if (victim.signal == 0) return;
  const SentSignal signalled = {victim.signal, !victim.held, victim.sent};
  victim.signal = 0;
  if (!victim.held) report_stopped(index);
  if (log_ == nullptr) return;
  log_->signalled(decision_.lock, decision_.victims[index], victim.holder, signalled);
}

// Once for each signal.
void TakeoverRun::report_refusal(std::uint32_t index, std::int64_t pid, int signal) {
  Victim& victim = victims_[index];
  victim.refused = pid;
  if (pid == 0 || signal == victim.refused_signal) return;
  victim.refused_signal = signal;
  if (log_ == nullptr) return;
  log_->unreached(decision_.lock, decision_.victims[index], victim.holder, signal, pid);
}

void TakeoverRun::report_stopped(std::uint32_t index) {
  if (observer_ == nullptr) return;
  const Victim& victim = victims_[index];
  StoppedHolder holder;
  holder.slot = decision_.victims[index];
  holder.who = {victim.holder.pid, victim.host};
  holder.id = victim.id;
  holder.command = victim.command;
  holder.held = victim.holder.age;
  holder.reason = why_.reason;
  holder.limit = why_.due;
  holder.learned = why_.learned;
  holder.last = victim.last;
  holder.noted = victim.noted;
  observer_->holder_stopped(request_.locks[decision_.lock], holder);
}

bool TakeoverRun::shares_hold_with_earlier(std::uint32_t index) const {
  for (std::uint32_t i = 0; i < index; ++i) {
    if (decision_.holds[i] != 0 && decision_.holds[i] == decision_.holds[index]) return true;
  }
  return false;
}

// Warns of processes that the victims left behind. A supervised tree leaves none; other holders
// may.
void TakeoverRun::name_survivors() {
  if (observer_ == nullptr || stops_.count == 0) return;
  constexpr int kLooks = 6;  // processes that end with their parent may take a moment
  std::uint64_t tokens[kMaxVictims];
  for (std::uint32_t i = 0; i < decision_.victim_count; ++i) tokens[i] = victims_[i].holder.token;
  std::int64_t pids[kNamedSurvivors];
  std::uint32_t count = 0;
  for (int look = 0; look < kLooks; ++look) {
    if (look > 0) os::sleep_until(plus(os::boot_ns(), {kLookNs}));
    count = stops_.of[0]->survivors({tokens, decision_.victim_count}, pids);
    if (count == 0) return;
  }
  observer_->warning(survivors_words(request_.locks[decision_.lock], pids, count));
}

// A run that was stopped for its age would have taken longer. A run that was stopped for another
// reason teaches nothing.
void TakeoverRun::learn_ages() {
  if (why_.due.is_zero() || request_.no_learn) return;
  for (std::uint32_t i = 0; i < decision_.victim_count; ++i) {
    const Duration age = victims_[i].holder.age;
    if (shares_hold_with_earlier(i) || age.is_forever()) continue;
    RunSample what;
    what.kind = RunSample::Kind::stopped;
    what.ran = age;
    what.started_real_ns = moment(request_).real_ns - age.ns;
    locks_.session.learn(decision_.lock, policy::remember, what);
  }
}

}  // namespace atmost::limiter
