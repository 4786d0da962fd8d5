// The pipeline on one page: admission, environment, command, release.
#include "core/limiter.h"

#include <cerrno>
#include <new>

#include "admission.h"
#include "companion.h"
#include "core/words.h"
#include "environment.h"
#include "held_command.h"
#include "idle_watch.h"
#include "journal.h"
#include "notices.h"
#include "notifier.h"
#include "os/activity.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/room.h"
#include "os/self.h"
#include "os/signals.h"
#include "os/spawn.h"
#include "policy/decide.h"
#include "policy/limits.h"
#include "run/kept_output.h"
#include "run/run.h"

namespace atmost {
namespace {

using limiter::OpenLocks;

constinit limiter::Variables own_variables;

// Of another run, and the secret of --ping.
constexpr std::string_view kNotForTheCommand[] = {"ATMOST_PING=", limiter::kMonitorName};

void fail(const Error& error, Outcome& outcome) {
  outcome.kind = Outcome::Kind::failed;
  outcome.error = error;
}

[[gnu::cold]] Error nothing_counted() {
  return error_of(Code::usage, 0,
                  "this system does not count what processes do (/proc/PID/io): use --max-runtime "
                  "instead of --max-idle, --expire-after instead of --expire-idle");
}

void spread(const Request& request) {
  const Duration part = policy::splay_part(request.splay, os::host_name(), request.locks[0].name);
  os::sleep_until(plus(os::boot_ns(), part));
}

// Every Nth consecutive refusal is reported. If the count cannot be stored, report it.
void count_refusal(const OpenLocks& locks, Outcome& outcome) {
  const std::uint32_t nth = locks.request.alert_after;
  if (nth == 0) return;
  const Result<std::uint32_t> counted = locks.session.count_refusal(outcome.decision.lock);
  outcome.refusals = counted.ok() ? counted.value() : 0;
  outcome.silenced = outcome.refusals % nth != 0;
}

// `inherit` has room for a descriptor of each lock, and is borrowed.
run::Task task_of(const OpenLocks& locks, const Command& command, const Lease& lease,
                  const Limits& limits, int* inherit) {
  const Request& request = locks.request;
  run::Task task;
  task.argv = command.argv;
  task.inherit = inherit;
  task.inherit_apart = !request.exec;
  for (std::uint32_t i = 0; !request.close_fd && i < request.lock_count; ++i) {
    if (lease.lock(i).fd >= 0) inherit[task.inherit_count++] = lease.lock(i).fd;
  }
  // Only this process knows when a lease ends, so the command must not outlive it.
  task.signal_at_our_death = locks.traits.leased ? os::kKill : 0;
  task.monitor = limiter::monitored.monitor;
  task.childless = limiter::monitored.childless;
  task.may_lose_monitor = limiter::monitored.may_lose_monitor;
  task.own_tree = request.until == Until::tree;
  task.max_runtime = request.max_runtime_auto ? limits.max_runtime : request.max_runtime;
  task.max_idle = limits.max_idle;
  task.asks_again = request.max_runtime_auto || request.max_idle_auto;
  task.kill_grace = request.kill_grace;
  return task;
}

void supervise(const OpenLocks& locks, const Command& command, run::Task& task, Lease lease,
               limiter::Journal& journal, Observer* observer, run::KeptOutput* output,
               Outcome& outcome) {
  limiter::HeldCommand hold(locks, std::move(lease), task, journal, outcome, observer, output);
  if (limiter::monitored.reports) limiter::monitored.line.say(os::Word::running);
  const run::RunReport report = run::supervise(task, hold);
  if (report.fork_error == 0 && report.exec_error == 0) return hold.over(report, outcome);
  hold.not_started(outcome);
  fail(report.exec_error != 0 ? limiter::not_started(command, report.exec_error)
                              : limiter::no_process(report.fork_error),
       outcome);
}

// Returns only if the command could not be started.
void become(const OpenLocks& locks, const Command& command, const run::Task& task, Lease& lease,
            limiter::Journal& journal, Outcome& outcome) {
  limiter::begin_hold(locks, lease, outcome, journal);  // no process of ours is left afterwards
  const int error = os::become({.argv = task.argv,
                                .envp = task.envp,
                                .inherit = task.inherit,
                                .inherit_count = task.inherit_count});
  fail(limiter::not_started(command, error), outcome);
  lease.release(Ending::not_started, limiter::moment(locks.request));
}

// A leased store decides without statistics. If they cannot be read, there is no limit.
[[gnu::noinline]] void recall_limits(Session& session, const Request& request, Outcome& outcome) {
  LockStats lock{};
  DirectoryStats directory{};
  View view;
  const Edit recall = {.what = Edit::What::recall, .lock = &lock, .directory = &directory};
  if (session.edit(0, recall).ok()) {
    view.lock_stats = &lock;
    view.directory_stats = &directory;
  }
  outcome.decision.limits = policy::limits_of(request, view);
}

void show_output(const Request& request, Observer* observer, run::KeptOutput& output) {
  output.show();
  if (observer == nullptr || output.has_room()) return;
  Error full = error_of(Code::io, 0, request.locks[0].name);
  full.message.append(
      ": no room is left for the command's output, and some of it may be missing (TMPDIR names "
      "another directory)");
  observer->warning(full);
}

// The run is over, and its slots are free: who is told of it. If the count of failures cannot be
// stored, all are.
void tell_others(const OpenLocks& locks, const Outcome& outcome, Observer* observer,
                 limiter::Notifier& notifier) {
  run::KeptOutput& output = notifier.output();
  const Request& request = locks.request;
  const bool failed = policy::is_failure(policy::occasion_of(outcome));
  std::uint32_t failures = 0;
  if (policy::counts_failures(request)) {
    const Result<std::uint32_t> counted = locks.session.count_end(0, failed);
    if (counted.ok()) failures = counted.value();
  }
  const policy::Messages who = policy::messages_of(request, outcome, failures);
  notifier.ended(outcome, who);
  if (output.descriptor() >= 0) {
    if (who.show_output || (outcome.kind == Outcome::Kind::ran && request.output == OutputTo::tail))
      show_output(request, observer, output);
    output.leave();
  }
  notifier.wait();
}

// Once, when requests begin to be spam.
void tell_of_spam(const Request& request, const Outcome& outcome, Observer* observer,
                  limiter::Notifier* notifier) {
  Error words = error_of(Code::too_soon, 0, request.locks[outcome.decision.lock].name);
  words.message.append(": spam: requests keep coming sooner than every ");
  words.message.append(duration_words(outcome.decision.limits.if_elapsed));
  words.message.append(", and the interval grows (told once; see: atmost tune)");
  if (observer != nullptr) observer->warning(words);
  if (!request.notify.empty() && (request.notify_on & kTellSpam) != 0) notifier->spammed(outcome);
}

// From the open session to the end of the command.
Outcome run_under(Store& store, const OpenLocks& locks, const Command& command,
                  limiter::Journal& journal, limiter::Notifier* notifier, Observer* observer) {
  const Request& request = locks.request;
  char* const* const environment = os::environment();
  char** const merged =
      run_arena().array<char*>(limiter::count_words(environment) + limiter::Variables::kMost + 1);
  if (merged == nullptr) return Outcome::failure(error_of(Code::internal, ENOMEM, "out of memory"));
  Lease lease;
  limiter::IdleWatch* const idle =
      watches_holders(request) ? limiter::idle_watch_for(store, request) : nullptr;
  Outcome outcome = limiter::admit(locks, policy::decide, observer, lease,
                                   {.log = &journal, .idle = idle, .store = &store});
  if (outcome.kind == Outcome::Kind::refused) {
    count_refusal(locks, outcome);
    const bool spam = limiter::learn_refusal(locks, outcome);
    journal.denied(outcome);
    if (spam) tell_of_spam(request, outcome, observer, notifier);
  }
  if (!lease.held()) return outcome;
  if (locks.traits.leased && wants_stats(request)) recall_limits(locks.session, request, outcome);
  if (observer != nullptr) observer->admitted(lease, outcome.waited);
  limiter::notice_flocks(request, lease, observer);

  if (notifier != nullptr) notifier->begins(outcome, lease);
  limiter::set_variables(locks, lease, outcome.waited, own_variables);
  own_variables.merge(environment, kNotForTheCommand, merged);

  int inherit[kMaxLocks];
  run::Task task = task_of(locks, command, lease, outcome.decision.limits, inherit);
  task.envp = merged;
  run::KeptOutput* const output = notifier != nullptr ? notifier->kept() : nullptr;
  if (output != nullptr) task.output = output->descriptor();
  if (request.exec) {
    become(locks, command, task, lease, journal, outcome);
  } else {
    supervise(locks, command, task, std::move(lease), journal, observer, output, outcome);
  }
  journal.ended(outcome);
  if (notifier != nullptr) tell_others(locks, outcome, observer, *notifier);
  return outcome;
}

// `notifier` is null unless somebody is told of the run, or sees its output only then.
Outcome run_with_session(Store& store, const Request& request, const Command& command,
                         limiter::Notifier* notifier, Observer* observer) {
  Result<Owned<Session>> session = store.open(request);
  if (!session.ok()) return Outcome::failure(session.error());
  const OpenLocks locks = {request, store.traits(), *session.value()};
  static_assert(sizeof(limiter::Journal) <= os::kSmallRoom);
  const os::RoomFor<limiter::Journal> room;  // on the stack it would touch three pages more
  if (room.get() == nullptr)
    return Outcome::failure(error_of(Code::io, ENOMEM, "there is no memory to open the lock"));
  struct Made {
    ~Made() { journal->~Journal(); }
    limiter::Journal* journal;
  } const made = {new (room.get()) limiter::Journal(request, locks.traits, command, observer)};
  if (notifier != nullptr) {
    if (const Status ready = notifier->prepare(*made.journal); !ready.ok())
      return Outcome::failure(ready.error());
  }
  return run_under(store, locks, command, *made.journal, notifier, observer);
}

Outcome run_and_tell(Store& store, const Request& request, const Command& command,
                     Observer* observer) {
  limiter::Notifier notifier(request, command, observer);
  if (const Status kept = notifier.keep_output(); !kept.ok()) return Outcome::failure(kept.error());
  return run_with_session(store, request, command, &notifier, observer);
}

}  // namespace

Outcome run_command(Store& store, const Request& request, const Command& command,
                    Observer* observer) {
  if ((watches_silence(request) || watches_holders(request)) && os::counts_activity() != 0)
    return Outcome::failure(nothing_counted());
  if (!request.splay.is_zero()) spread(request);
  const bool tells =
      !request.notify.empty() || !request.ping.empty() || request.output != OutputTo::show;
  return tells ? run_and_tell(store, request, command, observer)
               : run_with_session(store, request, command, nullptr, observer);
}

Instant now() { return os::now(); }

}  // namespace atmost
