// atmost hold and release: locks on behalf of a process that runs already.
#include <cerrno>

#include "admission.h"
#include "core/limiter.h"
#include "core/words.h"
#include "flock_notice.h"
#include "journal.h"
#include "keeper.h"
#include "os/process_label.h"
#include "os/self.h"
#include "policy/decide.h"
#include "store/local/keepers.h"
#include "store/local/local_store.h"
#include "store/symlink/symlink_store.h"
#include "stores.h"

namespace atmost {
namespace {

Error about(std::int64_t pid, Code code, std::string_view what) {
  Error error = error_of(code, 0, "process ");
  error.message.append_signed(pid).append(what);
  return error;
}

Outcome failed(const Error& error) {
  Outcome outcome;
  outcome.error = error;
  return outcome;
}

Outcome cannot_start(int error) {
  Error unable = error_of(Code::internal, error, "cannot start a process: ");
  unable.message.append(errno_words(error));
  return failed(unable);
}

// The script, so that it cannot be mistaken for a later process; and since when it runs.
Status open_script(std::int64_t pid, os::ProcessHandle& script, std::int64_t& start_ns) {
  const int error = script.open(pid);
  if (error == ESRCH || error == EINVAL)
    return about(pid, Code::usage, ": there is none of that number");
  os::ProcessFacts facts;
  os::Credentials ids;
  const std::uint32_t self = os::user_id();
  if (error != 0 || os::process_facts(pid, facts) != 0 ||
      (self != 0 && os::process_credentials(pid, ids) != 0)) {
    return about(pid, Code::unavailable,
                 ": this system lets nobody but its parent see it end: use atmost run");
  }
  if (!script.alive()) return about(pid, Code::usage, ": it has ended");
  if (self != 0 && self != ids.user) {
    return about(pid, Code::not_permitted,
                 ": another user's; only that user or root may hold a lock for it");
  }
  start_ns = facts.start_boot_ns;
  return {};
}

bool make_absolute(PathText& path) {
  if (path.empty() || path.view().front() == '/') return !path.truncated();
  PathText directory;
  if (os::working_directory(directory) == nullptr) return false;
  std::string_view relative = path;
  while (relative.starts_with("./")) relative.remove_prefix(2);
  path = PathText(directory.push('/').append(relative));
  return !path.truncated();
}

// For a process without its directory.
Status prepare(Request& request, std::int64_t pid, std::int64_t start_ns) {
  bool absolute = make_absolute(request.log_path);
  for (std::uint32_t i = 0; i < request.lock_count; ++i)
    absolute = absolute && make_absolute(request.locks[i].path);
  if (!absolute) {
    return error_of(Code::io, 0,
                    "the working directory cannot be told: name the lock by a path from / on");
  }
  request.kept_for = pid;
  request.kept_for_start_ns = start_ns;
  request.nested = true;  // the script may hold it already, and would wait for itself
  os::ProcessLabel label;
  if (request.command.empty() && os::process_label(pid, label)) request.command = label.name;
  if (request.locks[0].store == StoreKind::symlink) {
    if (request.until == Until::tree) {
      return error_of(
          Code::usage, 0,
          "--until: a symlink lock ends with the process that it names: use a file lock");
    }
    limiter::symlink_locks().set_holder(pid);
  } else {
    request.keep_at_most =
        request.expire_after;  // its request time; that of others is none of its business
    request.expire_after = Duration::forever();
  }
  return {};
}

// The starter's side: blocks until the companion has an outcome.
Outcome follow(const Request& request, os::Companion& companion, const os::ProcessHandle& script) {
  Outcome outcome;
  if (companion.which_first(script.descriptor()) == os::Companion::First::process_ended) {
    companion.kill_and_wait();
    return failed(about(request.kept_for, Code::busy,
                        ": it ended before the lock was free, and nothing is held for it"));
  }
  if (!companion.hear(&outcome, sizeof outcome)) {
    return failed(error_of(Code::internal, 0, "the keeper was killed before it had the lock"));
  }
  return outcome;
}

// The last step: from here on the keeper stands alone. Before it, the script's shell is told how to
// ask it.
Outcome handed_over(const Request& request, const Outcome& outcome, const os::Companion& companion,
                    const os::Bell& bell, std::string_view keeper_to) {
  if (outcome.kind == Outcome::Kind::refused) {
    limiter::Journal journal(request, Command{}, nullptr);
    journal.denied(outcome);
  }
  if (outcome.kind != Outcome::Kind::ran) return outcome;
  if (bell.hangs() && request.locks[0].store == StoreKind::file) {
    const Text<63> address = bell.address(companion.companion()).push('\n');
    (void)os::append_to(PathText(keeper_to).c_str(), address.view().data(), address.view().size());
  }
  const char heard = 1;
  if (!companion.tell(&heard, sizeof heard)) {
    return failed(error_of(Code::internal, 0, "the keeper was killed as soon as it had the lock"));
  }
  return outcome;
}

// Without waiting, and before there is a keeper: who finds the lock free pays for no second process
// that asks.
Outcome take_at_once(const limiter::Keeping& keeping, os::Companion& companion,
                     Observer* observer) {
  Lease lease;
  Request& request = keeping.request;
  const Duration wait = request.wait;
  request.wait = {};
  Outcome outcome = limiter::admit(limiter::store_for(request.locks[0]), request, policy::decide,
                                   observer, lease);
  request.wait = wait;
  if (!lease.held()) return outcome;
  if (const int error = companion.start()) {
    lease.release(Ending::unknown, {});
    return cannot_start(error);
  }
  if (companion.is_companion()) {
    limiter::keep_inherited(keeping, companion, static_cast<Lease&&>(lease), outcome);
  }
  limiter::local_locks().name_holder(companion.companion());
  if (observer != nullptr) observer->admitted(lease, outcome.waited);
  limiter::notice_flocks(request, lease, observer);
  lease.detach();
  return outcome;
}

}  // namespace

Outcome hold_for(Request& request, std::int64_t pid, std::string_view keeper_to,
                 Observer* observer) {
  os::Bell bell;
  if (!keeper_to.empty()) (void)bell.hang();
  os::ProcessHandle script;
  std::int64_t start_ns = 0;
  if (Status opened = open_script(pid, script, start_ns); !opened.ok())
    return failed(opened.error());
  if (Status prepared = prepare(request, pid, start_ns); !prepared.ok())
    return failed(prepared.error());

  const limiter::Keeping keeping = {request, script, bell};
  os::Companion companion;
  Outcome outcome;
  if (request.locks[0].store == StoreKind::file) {
    outcome = take_at_once(keeping, companion, observer);
    limiter::close_stores();
  }
  const bool waits = outcome.kind == Outcome::Kind::refused && !request.wait.is_zero();
  if (waits || request.locks[0].store == StoreKind::symlink) {
    if (const int error = companion.start()) return cannot_start(error);
    if (companion.is_companion()) limiter::take_and_keep(keeping, companion, observer);
    outcome = follow(request, companion, script);
  }
  return handed_over(request, outcome, companion, bell, keeper_to);
}

Result<bool> release_for(const LockSpec& lock, std::int64_t pid) {
  if (lock.store == StoreKind::symlink) return limiter::symlink_locks().let_go(lock, pid);
  os::ProcessFacts facts;
  const bool runs = os::process_facts(pid, facts) == 0;
  return local::let_go(lock, pid, runs ? facts.start_boot_ns : 0);
}

std::int64_t caller_id() { return os::parent_id(); }

}  // namespace atmost
