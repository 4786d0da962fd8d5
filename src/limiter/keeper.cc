#include "keeper.h"

#include "admission.h"
#include "held_command.h"
#include "idle_watch.h"
#include "journal.h"
#include "notices.h"
#include "os/clock.h"
#include "os/process.h"
#include "os/request_pipe.h"
#include "os/self.h"
#include "os/spawn.h"
#include "policy/decide.h"
#include "policy/limits.h"
#include "store/symlink/session.h"

namespace atmost::limiter {
namespace {

// Finds a process that carries the script's mark, or was forked by it with the descriptor that
// stands for the mark until it starts a program, and is not older than the script: an earlier
// process with the same number may have left some.
class Marked final : public os::ProcessVisitor {
 public:
  explicit Marked(const Request& request) : request_(request) {}

  bool process(std::int64_t pid, const os::ProcessFacts& facts) override {
    const bool possible = !facts.ended() && facts.start_boot_ns >= request_.kept_for_start_ns;
    if (!possible || pid == os::process_id()) return true;
    if (!os::is_marked(pid, kMark, request_.kept_for) && !os::has_open(pid, request_.kept_for))
      return true;
    os::ProcessFacts again;
    if (found.open(pid) != 0 || os::process_facts(pid, again) != 0) return true;
    any = again.start_boot_ns == facts.start_boot_ns && found.alive();
    return !any;
  }

  bool any = false;
  os::ProcessHandle found;

 private:
  const Request& request_;
};

// A walk may miss a process that was started during the walk by one that has ended. Only two walks
// in a row prove that none is left.
os::Watched watch_tree(const Request& request, os::EventWait& event_wait) {
  constexpr int kProof = 2;
  for (int walks_in_vain = 0; walks_in_vain < kProof;) {
    Marked marked(request);
    (void)os::each_process(marked);
    if (!marked.any) {
      ++walks_in_vain;
      continue;
    }
    walks_in_vain = 0;
    const os::Watched watched = event_wait.watch(marked.found.descriptor(), nullptr);
    if (watched != os::Watched::ended) return watched;
  }
  return os::Watched::ended;
}

// The time for which a keeper stays after it released the lock: a script that locks in a loop finds
// it there.
constexpr std::int64_t kIdleNs = 2'000'000'000;

// The keeper from the moment when it no longer needs its starter.
class Keeper {
 public:
  Keeper(const Keeping& keeping, Session& session, Lease lease, const Outcome& outcome)
      : request_(keeping.request),
        locks_{keeping.request, keeping.store.traits(), session},
        script_(keeping.script),
        requests_(keeping.requests),
        lease_(static_cast<Lease&&>(lease)),
        outcome_(outcome) {}

  [[noreturn]] void live(os::HelperProcess& starter);

 private:
  void keep();
  Duration longest() const;
  Lesson lesson_of(os::Watched watched, Duration kept) const;
  os::Watched watch();
  bool take_again();
  bool in_place() const;

  const Request& request_;
  const OpenLocks locks_;
  const os::ProcessHandle& script_;
  os::RequestPipe& requests_;
  Lease lease_;
  Outcome outcome_;
  os::EventWait event_wait_;
};

void Keeper::live(os::HelperProcess& starter) {
  int kept[kMaxLocks + 4] = {script_.descriptor()};
  unsigned count = 1;
  if (requests_.hangs()) {
    for (int fd : {os::RequestPipe::kAsk, os::RequestPipe::kAnswer, os::RequestPipe::kAskStaysOpen})
      kept[count++] = fd;
  }
  for (std::uint32_t i = 0; i < request_.lock_count; ++i) kept[count++] = lease_.lock(i).fd;
  os::hide_mark(kMark);
  starter.settle(kept, count);
  do {
    keep();
  } while (take_again());
  os::exit_now(0);
}

// Keeps the lock until it is released.
void Keeper::keep() {
  const std::int64_t admitted_ns = os::boot_ns();
  const Instant admitted = moment(request_);
  event_wait_.set_deadline(plus(admitted_ns, longest()));
  Journal journal(request_, locks_.traits, Command{}, nullptr);
  begin_hold(locks_, lease_, outcome_, journal);
  os::Watched watched = watch();
  Instant ended = moment(request_);
  Duration kept = {os::boot_ns() - admitted_ns};
  if (const std::int64_t given = event_wait_.signal_value();
      watched == os::Watched::signalled && given >= admitted.real_ns) {
    // By the given times, it ends there, or at its limit.
    kept = {given - admitted.real_ns};
    if (kept > longest()) {
      watched = os::Watched::time_up;
      kept = longest();
    }
    ended.real_ns = admitted.real_ns + kept.ns;
    ended.given = true;
  }
  // If none of our locks is under its name any more, the lock is lost.
  const bool found = watched != os::Watched::asked || in_place();
  // Only the script's parent gets the script's exit code; one that releases the lock itself has
  // succeeded.
  const bool by_itself = watched == os::Watched::signalled || watched == os::Watched::asked;
  lease_.release(by_itself ? Ending::success : Ending::failure, ended, lesson_of(watched, kept));
  if (watched == os::Watched::asked && found) requests_.accept();
  outcome_.ran = kept;
  outcome_.stopped = watched == os::Watched::time_up ? Stopped::lost : Stopped::no;
  journal.ended(outcome_);
  if (watched != os::Watched::asked || !found) os::exit_now(0);
}

Duration Keeper::longest() const {
  if (!request_.max_runtime_auto) return request_.keep_at_most;
  const Duration learned = outcome_.decision.limits.max_runtime;
  return learned.is_zero() ? Duration::forever() : learned;
}

// Only under auto: a hold without a learned limit needs no statistics. If a taker stopped the
// script, the taker updates the statistics.
Lesson Keeper::lesson_of(os::Watched watched, Duration kept) const {
  if (!wants_stats(request_)) return {};
  for (std::uint32_t i = 0; i < request_.lock_count; ++i) {
    if (lease_.contested(i) != Contest::none) return {};
  }
  Lesson lesson;
  lesson.how = policy::remember;
  const auto kind = watched != os::Watched::time_up ? RunSample::Kind::completed
                    : request_.max_runtime_auto     ? RunSample::Kind::stopped
                                                    : RunSample::Kind::cut_short;
  lesson.sample = sample_of(request_, outcome_.decision.limits, kind, kept);
  return lesson;
}

bool Keeper::in_place() const {
  for (std::uint32_t i = 0; i < request_.lock_count; ++i) {
    if (!lease_.in_place(i)) return false;
  }
  return true;
}

// `asked` means: asked to release the lock.
os::Watched Keeper::watch() {
  for (;;) {
    const os::Watched watched = event_wait_.watch(script_.descriptor(), &requests_);
    if (watched == os::Watched::ended && request_.until == Until::tree)
      return watch_tree(request_, event_wait_);
    if (watched != os::Watched::asked || requests_.asked() == kLetGo) return watched;
    if (!requests_.decline()) return os::Watched::unheard;
  }
}

// Waits for a request. If it gets no answer, the script starts another process, which can wait for
// the lock.
bool Keeper::take_again() {
  event_wait_.set_deadline(plus(os::boot_ns(), {kIdleNs}));
  const bool asked = event_wait_.watch(script_.descriptor(), &requests_) == os::Watched::asked;
  if (!asked || requests_.asked() != kTakeAgain) return false;
  outcome_ = admit(locks_, policy::decide, nullptr, lease_, {.at_once = true});
  if (lease_.held()) requests_.accept();
  return lease_.held();
}

// A link names the script and needs no process to hold it. But it stays after the script's end
// unless a process removes it.
[[noreturn]] void keep_link(const Keeping& keeping, symlink::SymlinkSession& session,
                            os::HelperProcess& starter, Lease lease) {
  const int script = keeping.script.descriptor();
  starter.settle(&script, 1);
  if (session.await_end(keeping.script)) {
    lease.release(Ending::unknown, {});
  } else {
    lease.detach();
  }
  os::exit_now(0);
}

Outcome unopened(const Error& error) {
  Outcome outcome;
  outcome.error = error;
  return outcome;
}

// Takes the lock in `session`, and reports to the starter. Ends the process unless the lock is held
// and the starter has received the report.
template <class SessionOfStore, class Keep>
[[noreturn]] void take_in(Result<Owned<SessionOfStore>> session, const Keeping& keeping,
                          os::HelperProcess& starter, Observer* observer, Keep keep) {
  Lease lease;
  IdleWatch* const idle =
      watches_holders(keeping.request) ? idle_watch_for(keeping.store, keeping.request) : nullptr;
  const Outcome outcome =
      session.ok() ? admit({keeping.request, keeping.store.traits(), *session.value()},
                           policy::decide, observer, lease, {.idle = idle, .store = &keeping.store})
                   : unopened(session.error());
  if (lease.held() && observer != nullptr) observer->admitted(lease, outcome.waited);
  if (lease.held()) notice_flocks(keeping.request, lease, observer);
  starter.stand_alone();
  const SentOutcome report(outcome);
  // A lock that the starter does not know of must be released.
  char heard = 0;
  const bool handed_over =
      starter.send(&report, sizeof report) && starter.receive(&heard, sizeof heard);
  if (!handed_over) lease.release(Ending::unknown, {});
  if (!lease.held()) os::exit_now(0);
  keep(*session.value(), static_cast<Lease&&>(lease), outcome);
  os::exit_now(0);
}

}  // namespace

void take_and_keep(const Keeping& keeping, os::HelperProcess& starter, Observer* observer) {
  starter.die_with_starter();
  if (keeping.store.traits().kept_for_pid) {
    take_in(symlink::open_session(keeping.request), keeping, starter, observer,
            [&](symlink::SymlinkSession& session, Lease&& lease, const Outcome&) {
              keep_link(keeping, session, starter, static_cast<Lease&&>(lease));
            });
  }
  take_in(keeping.store.open(keeping.request), keeping, starter, observer,
          [&](Session& session, Lease&& lease, const Outcome& outcome) {
            Keeper(keeping, session, static_cast<Lease&&>(lease), outcome).live(starter);
          });
}

}  // namespace atmost::limiter
