// The pipeline on one page: admission, environment, command, release.
#include "core/limiter.h"

#include "admission.h"
#include "core/words.h"
#include "environment.h"
#include "flock_notice.h"
#include "held_command.h"
#include "journal.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/machine.h"
#include "os/self.h"
#include "os/signal_numbers.h"
#include "policy/decide.h"
#include "policy/limits.h"
#include "policy/splay.h"
#include "run/run.h"
#include "store/local/local_store.h"
#include "store/symlink/symlink_store.h"
#include "stores.h"
#include "ward.h"

namespace atmost {
namespace {

constinit local::LocalStore local_store;
constinit symlink::SymlinkStore symlink_store;
constinit limiter::OwnVariables own_variables;
FleetStore* brought_store = nullptr;

Error not_started(const Command& command, int error) {
  const char* const name = command.argv[0];
  Error failed =
      error_of(run::exec_code(error), error, name[0] != '\0' ? name : "\"\", an empty COMMAND");
  failed.message.append(": ").append(errno_words(error));
  if (command.argv[0][0] == '-') failed.message.append(" (options come before LOCK)");
  return failed;
}

// True when the lock was lost meanwhile, or somebody else has taken it.
bool supervise(const Request& request, const Command& command, run::Task& task, Lease& lease,
               limiter::Journal& journal, Observer* observer, Outcome& outcome) {
  limiter::HeldCommand hold(lease, request, task, journal, outcome, observer);
  limiter::ward().line.say(os::Word::running);
  const run::Report report = run::supervise(task, hold);
  if (report.fork_error != 0 || report.exec_error != 0) {
    journal.admitted(lease, outcome.waited);
    hold.over({1, 0, false});
    outcome.kind = Outcome::Kind::failed;
    outcome.error = report.exec_error != 0
                        ? not_started(command, report.exec_error)
                        : error_of(Code::internal, report.fork_error, "cannot start a process: ");
    if (report.exec_error == 0) outcome.error.message.append(errno_words(report.fork_error));
    return false;
  }
  hold.over(report.status);
  outcome.kind = Outcome::Kind::ran;
  outcome.status = report.status;
  outcome.stopped = hold.stopped(report.stopped);
  outcome.stopped_by = hold.taker();
  outcome.usage = report.usage;
  outcome.told = report.told;
  outcome.ran = report.ran;
  return (hold.lost() || report.stopped == Stopped::lost) && outcome.stopped != Stopped::killed;
}

void spread(const Request& request) {
  if (request.splay.is_zero()) return;
  const Duration part = policy::splay_part(request.splay, os::host_name(), request.locks[0].name);
  os::sleep_until(plus(os::boot_ns(), part));
}

// Every so-manieth refusal in a row speaks. One that cannot be counted speaks too: silence must be
// earned.
void count_refusal(const Request& request, Outcome& outcome) {
  if (request.alert_after == 0) return;
  const Result<std::uint32_t> counted =
      limiter::store_for(request.locks[0]).count_refusal(request, outcome.decision.lock);
  outcome.refusals = counted.ok() ? counted.value() : 0;
  outcome.silenced = outcome.refusals % request.alert_after != 0;
}

// Who keeps asking too soon is to be known as such.
void remember_refusal(const Request& request, const Outcome& outcome) {
  const Decision& decision = outcome.decision;
  if (decision.verdict != Verdict::too_soon || !request.if_elapsed_auto || request.no_memory)
    return;
  RunSample what;
  what.kind = RunSample::Kind::too_soon;
  what.asked_real_ns = limiter::moment(request).real_ns;
  what.interval = decision.limits.if_elapsed;
  limiter::store_for(request.locks[decision.lock])
      .learn(request, decision.lock, policy::remember, what);
}

}  // namespace

Store& limiter::store_for(const LockSpec& lock) {
  if (lock.store == StoreKind::fleet) return fleet_store();
  if (lock.store == StoreKind::symlink) return symlink_store;
  return local_store;
}

local::LocalStore& limiter::local_locks() { return local_store; }

symlink::SymlinkStore& limiter::symlink_locks() { return symlink_store; }

void bring_store(FleetStore& store) { brought_store = &store; }
FleetStore& fleet_store() { return *brought_store; }

bool limiter::untouched(const LockSpec& lock) {
  return lock.store != StoreKind::fleet && !os::exists(lock.path.c_str());
}

bool limiter::is_relative(const LockSpec& lock) {
  return lock.store != StoreKind::fleet && lock.path.view().front() != '/';
}

void limiter::tell_lease(const Request& request) {
  if (request.locks[0].store == StoreKind::fleet) ward().line.say_lease(fleet_store().own_lease());
}

void limiter::close_stores() { local_store.close(); }

namespace {

// The working directory where some path is relative to it; else it does not matter.
const char* directory_for(const Request& request, PathText& room) {
  for (std::uint32_t i = 0; i < request.lock_count; ++i) {
    if (limiter::is_relative(request.locks[i])) return os::working_directory(room);
  }
  return nullptr;
}

}  // namespace

Outcome run_command(const Request& request, const Command& command, Observer* observer) {
  Lease lease;
  spread(request);
  // Written before it is read: a page of data that is read first comes twice, and its neighbours
  // with it.
  local_store.set_kind(HolderKind::supervised);
  const bool inherited = !request.exec && !request.close_fd;
  local_store.set_heirs(inherited ? local::Heirs::command : local::Heirs::nobody);
  limiter::Journal journal(request, command, observer);
  Outcome outcome = limiter::admit(limiter::store_for(request.locks[0]), request, policy::decide,
                                   observer, lease, limiter::Signals::ours, &journal);
  if (outcome.kind == Outcome::Kind::refused) {
    count_refusal(request, outcome);
    remember_refusal(request, outcome);
    journal.denied(outcome);
  }
  if (!lease.held()) {
    limiter::close_stores();  // or the next request of this process would find these files
    return outcome;
  }
  if (observer != nullptr) observer->admitted(lease, outcome.waited);
  limiter::notice_flocks(request, lease, observer);

  PathText directory;
  char* const* environment = os::environment();
  own_variables.set(request, lease, outcome.waited, os::variable("ATMOST_HELD"),
                    directory_for(request, directory));
  const std::size_t count =
      limiter::count_variables(environment) + limiter::OwnVariables::kCount + 1;
  char** merged = static_cast<char**>(__builtin_alloca(count * sizeof(char*)));
  own_variables.merge(environment, merged);

  int inherit[kMaxLocks];
  run::Task task;
  task.argv = command.argv;
  task.envp = merged;
  task.inherit = inherit;
  for (std::uint32_t i = 0; !request.close_fd && i < request.lock_count; ++i) {
    if (lease.lock(i).fd >= 0) inherit[task.inherit_count++] = lease.lock(i).fd;
  }
  // In a fleet nobody but us knows when the lease ends.
  task.signal_at_our_death = request.locks[0].store == StoreKind::fleet ? os::kKill : 0;
  task.warden = limiter::ward().warden;
  task.may_lose_warden = limiter::ward().may_lose_warden;
  task.own_tree = request.until == Until::tree;
  task.max_runtime =
      request.max_runtime_auto ? outcome.decision.limits.max_runtime : request.max_runtime;
  task.kill_grace = request.kill_grace;
  if (!request.exec) {
    if (supervise(request, command, task, lease, journal, observer, outcome)) journal.lost();
    journal.ended(outcome);
    return outcome;
  }
  journal.admitted(lease, outcome.waited);
  limiter::save_last_admission(request, lease);  // nobody will be there to do it later
  outcome.kind = Outcome::Kind::failed;
  outcome.error = not_started(command, run::become(task));
  lease.release(Ending::failure, limiter::moment(request));
  journal.ended(outcome);
  return outcome;
}

namespace {

Outcome ask(const Request& request, Observer* observer) {
  Lease lease;
  Outcome outcome;
  // A lock that nobody has used yet admits all but those who say 0; finding that out must not
  // create it.
  if (request.lock_count == 1 && limiter::untouched(request.locks[0])) {
    outcome.kind = request.locks[0].max == 0 ? Outcome::Kind::refused : Outcome::Kind::ran;
    outcome.decision.why = request.locks[0].max == 0 ? Why::zero : Why::none;
    return outcome;
  }
  outcome = limiter::admit(limiter::store_for(request.locks[0]), request, limiter::would_admit,
                           observer, lease);
  if (outcome.kind == Outcome::Kind::refused && limiter::is_yes(outcome.decision))
    outcome.kind = Outcome::Kind::ran;
  limiter::close_stores();
  return outcome;
}

}  // namespace

Outcome probe(const Request& request) { return ask(request, nullptr); }

Outcome wait_for_room(const Request& request, Observer* observer) { return ask(request, observer); }

Result<std::uint32_t> inspect(const LockSpec& lock, LockVisitor* visitor) {
  return limiter::store_for(lock).inspect(lock, os::now(), visitor);
}

Status set_drained(const Request& request, std::uint32_t slot, bool drained) {
  return limiter::store_for(request.locks[0]).set_drained(request, slot, drained);
}

Status forget(const Request& request) {
  return limiter::store_for(request.locks[0]).forget(request);
}

Result<Tuning> tune(const Request& request) {
  LockStats memory{};
  DirectoryStats experience{};
  const Result<bool> kept =
      limiter::store_for(request.locks[0]).recall(request, memory, experience);
  if (!kept.ok()) return kept.error();
  Tuning tuning = policy::tuning_of(memory, experience, request.learned);
  tuning.kept = kept.value();
  return tuning;
}

Instant now() { return os::now(); }

void end_as(const ExitStatus& status) { run::end_as(status); }

}  // namespace atmost
