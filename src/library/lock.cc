#include "lock.h"

#include <cstddef>
#include <cstring>
#include <new>

#include "core/schemes.h"
#include "limiter/admission.h"
#include "limiter/environment.h"
#include "limiter/held_command.h"
#include "os/clock.h"
#include "os/self.h"
#include "os/watch.h"
#include "policy/decide.h"
#include "policy/limits.h"

namespace atmost::limiter {
namespace {

// The file's events wake the listener; this is for lost ones.
constexpr std::int64_t kListenNs = 500'000'000;

constexpr Command kNoCommand;

}  // namespace

LibraryLock::LibraryLock(os::Mutex& forks)
    : forks_(forks),
      journal_(request_, kSchemes[0].traits, kNoCommand, nullptr, append_to_kept_log) {
  session_.set_heirs(local::Heirs::forks, &forks_);
  session_.set_keeping();
}

Status LibraryLock::open(os::Blocking how) {
  if (!in_files()) return open_link();
  session_.set_blocking(how);
  Status opened = session_.open(request_);
  if (opened.ok()) return opened;
  return with_store_named(opened.error());
}

Outcome LibraryLock::ask(const os::WaitGate* gate) {
  const auto how = gate != nullptr ? os::Blocking::interruptible : os::Blocking::polling;
  if (const Status opened = open(how); !opened.ok()) {
    Outcome failed;
    failed.error = opened.error();
    return failed;
  }
  return admit(locks(), policy::decide, nullptr, lease_,
               {.signals = Signals::theirs, .log = &journal_, .gate = gate});
}

// Copies what lies in front of the locks.
void LibraryLock::fill(const LibraryRequest& from) {
  scheme_ = &from.scheme();
  const Request& options = from.settings.request;
  if (filled_from_ != from.number) {
    std::memcpy(static_cast<void*>(&request_), &options, offsetof(Request, locks));
    keep_log(options.log);
    filled_from_ = from.number;
  }
  LockSpec& lock = request_.locks[0];
  lock.max = options.locks[0].max;
  lock.max_given = options.locks[0].max_given;
  lock.take = options.locks[0].take;
  lock.mode = options.locks[0].mode;
  lock.name = lock.path = {};
  texts_.clear();
  request_.lock_count = 1;
  request_.make_parents = request_.looks_only = request_.log_is_own = false;
  request_.no_history = options.no_history;
  request_.eviction = from.eviction();
}

void LibraryLock::keep_log(const PathParts& log) {
  log.join(log_);
  request_.log = {.directory = log_};
}

Outcome LibraryLock::get(const LibraryRequest& from) {
  on_lost_ = from.on_lost;
  context_ = from.context;
  if (!from.interruptible || request_.wait.is_zero()) return get_at(nullptr);
  const os::WaitGate gate(from.wait_mask);
  return get_at(&gate);
}

Outcome LibraryLock::get_at(const os::WaitGate* gate) {
  if (in_fleet()) return get_in_fleet(gate);
  request().command = program();
  journal_.begin_anew();
  Outcome outcome = ask(gate);
  if (!lease_.held()) {
    if (outcome.kind == Outcome::Kind::refused) {
      learn_refusal(locks(), outcome);
      journal_.denied(outcome);
    }
    close();
    return outcome;
  }
  begin_to_hold(outcome);
  return outcome;
}

void LibraryLock::begin_to_hold(Outcome& outcome) {
  limits_ = outcome.decision.limits;
  waited_ = outcome.waited;
  const Instant at = in_files() ? session_.admitted_at() : os::now();
  admitted_boot_ns_ = at.boot_ns;
  if (in_files()) journal_.caller_is(session_.user());
  journal_.admitted(lease_, waited_, &at);
  token_ = outcome.token;
  slot_ = outcome.slot;
  owner_ = os::process_id();
  ending_ = false;
  listening_ = false;  // a forked child has a copy of its parent's
  if (on_lost_ != nullptr) begin_to_listen(outcome);
}

// A caller that could not be called when the lock is lost gets no lock: the slot is free again, and
// the outcome is a failure.
void LibraryLock::begin_to_listen(Outcome& outcome) {
  int error = in_files() ? 0 : over_.open();
  if (error == 0) error = listener_.start(listen, this);
  listening_ = error == 0;
  if (listening_) return;
  over_.close();
  release(Ending::failure);
  outcome.kind = Outcome::Kind::failed;
  outcome.error = error_of(Code::internal, error, "cannot start the thread that calls on_lost");
}

FleetLock* LibraryLock::fleet() {
  if (fleet_ != nullptr) return fleet_;
  void* const room = os::pages(sizeof(FleetLock));
  if (room != nullptr) fleet_ = new (room) FleetLock(forks_);
  return fleet_;
}

// Takes the lock if nothing is in the way, not even for a moment. Otherwise nothing has happened:
// the next attempt finds the reason.
bool LibraryLock::get_at_once() {
  if (in_fleet()) return false;
  request().command = program();
  journal_.begin_anew();
  Outcome outcome;
  if (open(os::Blocking::never).ok()) {
    outcome = admit(locks(), admit_if_free, nullptr, lease_,
                    {.signals = Signals::theirs, .at_once = true});
  }
  session_.set_blocking(os::Blocking::polling);
  if (!lease_.held()) {
    close();
    return false;
  }
  begin_to_hold(outcome);
  asked_ = outcome;
  return true;
}

Outcome LibraryLock::probe() {
  Outcome outcome;
  request().looks_only = true;
  // A lock that was never used admits everyone; checking it must not create it.
  if (request_.lock_count == 1 && untouched(scheme_->traits, request_.locks[0])) {
    outcome.kind = Outcome::Kind::ran;
    return outcome;
  }
  if (const Status opened = open(os::Blocking::polling); !opened.ok()) {
    outcome.error = opened.error();
    return outcome;
  }
  outcome =
      admit(locks(), would_admit, nullptr, lease_, {.signals = Signals::theirs, .at_once = true});
  if (outcome.kind == Outcome::Kind::refused && is_yes(outcome.decision))
    outcome.kind = Outcome::Kind::ran;
  close();
  return outcome;
}

bool LibraryLock::held() const {
  if (in_fleet()) return held_in_fleet();
  if (inherited()) return lease_.held();
  const os::Locked locked(mutex_);
  return lease_.held() && (in_files() || link_->is_still_ours());
}

// In a forked child, the lock is the parent's, and the thread that may have locked the mutex does
// not exist.
bool LibraryLock::inherited() const { return owner_ != os::process_id(); }

// True when the lease was ours and was ended: only the caller that gets true writes the end.
bool LibraryLock::let_go(Ending ending, Stopped stopped) {
  if (in_fleet()) return let_go_in_fleet(ending, stopped);
  if (inherited()) {
    mutex_.begin_anew();
    lease_.detach();
    close();
    over_.close();
    return false;
  }
  const os::Locked locked(mutex_);
  ending_ = true;
  const bool was_held = lease_.held();
  if (was_held) ended_at_ = os::now();
  lease_.release(ending, ended_at_, lesson_of(stopped));
  if (!in_files()) link_.close();
  return was_held;
}

// If a taker stopped the holder, the taker updates the statistics, as it has the reason.
Lesson LibraryLock::lesson_of(Stopped stopped) const {
  if (request_.no_learn || stopped == Stopped::taken_over) return {};
  Lesson lesson;
  lesson.how = policy::remember;
  lesson.sample =
      sample_of(request_, limits_,
                stopped == Stopped::no ? RunSample::Kind::completed : RunSample::Kind::stopped,
                {ended_at_.boot_ns - admitted_boot_ns_});
  return lesson;
}

void LibraryLock::record_end(bool success, Stopped stopped) {
  if (journal_.place() == nullptr) return;
  Outcome outcome;
  outcome.kind = Outcome::Kind::ran;
  outcome.status.code = success ? 0 : 1;
  outcome.stopped = stopped;
  outcome.usage.known = false;
  outcome.waited = waited_;
  outcome.ran = {ended_at_.boot_ns - admitted_boot_ns_};
  outcome.over_at = ended_at_;
  if (stopped == Stopped::taken_over) journal_.lost();
  journal_.ended(outcome);
}

void LibraryLock::release(Ending ending) {
  const bool let = let_go(ending, Stopped::no);
  if (let && !in_fleet()) record_end(ending == Ending::success, Stopped::no);
  if (listening_) end_listening();
  if (let && in_fleet()) fleet_->await_end();
}

void LibraryLock::end_listening() {
  if (inherited()) return;
  listening_ = false;
  if (over_.is_open()) over_.raise(os::WakePair::End::near);
  if (listener_.is_self()) {
    listener_.detach();  // released from within on_lost
  } else {
    listener_.join();  // at once: releasing wrote to the file it watches, or to over_
  }
  over_.close();
}

Stopped LibraryLock::lose_if_asked() {
  const Duration limit = request_.max_runtime_auto ? limits_.max_runtime : request_.max_runtime;
  const std::int64_t end =
      limit.is_zero() || in_fleet() ? Duration::kForever : plus(admitted_boot_ns_, limit);
  os::Watch watch;
  for (;;) {
    bool revoked;
    {
      const os::Locked locked(mutex_);
      if (ending_ || (!in_fleet() && !lease_.held())) return Stopped::no;
      revoked = is_revoked(watch);
    }
    const std::int64_t left = end - os::boot_ns();
    if (revoked || left <= 0) {
      const Stopped why = revoked ? Stopped::taken_over : Stopped::max_runtime;
      return let_go(revoked ? Ending::unknown : Ending::failure, why) ? why : Stopped::no;
    }
    wait_for_end(watch, left < kListenNs ? left : kListenNs);
  }
}

void LibraryLock::listen(void* self) {
  auto* lock = static_cast<LibraryLock*>(self);
  const Stopped why = lock->lose_if_asked();
  if (why == Stopped::no) return;
  if (!lock->in_fleet()) lock->record_end(false, why);
  lock->on_lost_(lock->context_, lock->token_);
}

}  // namespace atmost::limiter
