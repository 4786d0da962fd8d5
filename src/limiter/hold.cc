// atmost hold and release: locks on behalf of a process that runs already.
#include <cerrno>
#include <new>

#include "core/limiter.h"
#include "core/parse.h"
#include "core/words.h"
#include "journal.h"
#include "keeper.h"
#include "notices.h"
#include "os/host.h"
#include "os/process.h"
#include "os/self.h"
#include "store/local/store.h"
#include "store/symlink/store.h"

namespace atmost {
namespace {

// Descriptors that complete_hold() leaves for hold_for(): opened twice, the script would cost a
// tenth more. Made when it is needed, and never destroyed: a variable with a destructor costs every
// start of the program a page fault.
os::ProcessHandle& kept_script() {
  alignas(os::ProcessHandle) static unsigned char room[sizeof(os::ProcessHandle)];
  static os::ProcessHandle* const made = new (room) os::ProcessHandle;
  return *made;
}

Error about(std::int64_t pid, Code code, std::string_view what) {
  Error error = error_of(code, 0, "process ");
  error.message.append_signed(pid).append(what);
  return error;
}

// Opens the script, so that it cannot be mistaken for a later process, and returns its start.
Status open_script(std::int64_t pid, os::ProcessHandle& script, std::int64_t& start_ns) {
  const int error = script.open(pid);
  if (error == ESRCH || error == EINVAL) return about(pid, Code::usage, ": no such process");
  os::ProcessFacts facts;
  os::Credentials ids;
  const std::uint32_t self = os::user_id();
  const int unseen = error != 0 ? error : os::process_facts(pid, facts);
  if (unseen == EACCES) {
    return about(
        pid, Code::not_permitted,
        ": /proc hides it from this user; only its own user or root may hold a lock for it");
  }
  if (unseen != 0 || (self != 0 && os::process_credentials(pid, ids) != 0)) {
    return about(pid, Code::unavailable,
                 ": on this system only its parent can see it end: use atmost run");
  }
  if (!script.alive()) return about(pid, Code::usage, ": it has ended");
  if (self != 0 && self != ids.user) {
    return about(pid, Code::not_permitted,
                 ": another user's; only that user or root may hold a lock for it");
  }
  start_ns = facts.start_boot_ns;
  return {};
}

Status make_absolute(Arena& texts, TextView& path) {
  if (path.empty() || path.view().front() == '/') return {};
  PathText absolute;
  if (!absolute_path(path, absolute)) {
    return error_of(Code::io, 0,
                    "the working directory is not known: name the lock by a path from / on");
  }
  return keep_path({.directory = absolute}, texts, path);
}

Status make_absolute(Arena& texts, PathParts& log) {
  if (log.empty() || log.directory.starts_with('/')) return {};
  TextView path;
  Status kept = keep_path(log, texts, path);
  if (kept.ok()) kept = make_absolute(texts, path);
  if (kept.ok()) log = {.directory = path};
  return kept;
}

// The starter's part: blocks until the helper has an outcome.
Outcome follow(const Request& request, os::HelperProcess& helper, const os::ProcessHandle& script) {
  if (helper.which_first(script.descriptor()) == os::HelperProcess::First::process_ended) {
    helper.kill_and_wait();
    return Outcome::failure(
        about(request.kept_for, Code::busy,
              ": it ended before the lock was free, and nothing is held for it"));
  }
  SentOutcome report;
  if (!helper.receive(&report, sizeof report)) {
    return Outcome::failure(
        error_of(Code::internal, 0, "the keeper was killed before it had the lock"));
  }
  // A keeper without the lock ends before its starter: it still has the script's descriptors, and
  // with them a flock(2) of the script's.
  if (report.plain.kind != Outcome::Kind::ran) helper.kill_and_wait();
  return report.received();
}

// The last step: after it, the keeper does not need its starter. Before it, the script's shell gets
// the address of the keeper's request pipe.
Outcome handed_over(const limiter::Keeping& keeping, const Outcome& outcome,
                    const os::HelperProcess& helper, std::string_view keeper_to) {
  const os::RequestPipe& requests = keeping.requests;
  if (outcome.kind == Outcome::Kind::refused) {
    limiter::Journal journal(keeping.request, keeping.store.traits(), Command{}, nullptr);
    journal.denied(outcome);
  }
  if (outcome.kind != Outcome::Kind::ran) return outcome;
  if (requests.hangs() && keeping.store.traits().inheritable) {
    const Text<63> address = requests.address(helper.pid()).push('\n');
    (void)os::append_to(PathText(keeper_to).c_str(), address.view().data(), address.view().size());
  }
  const char heard = 1;
  if (!helper.send(&heard, sizeof heard)) {
    return Outcome::failure(
        error_of(Code::internal, 0, "the keeper was killed as soon as it had the lock"));
  }
  return outcome;
}

}  // namespace

Status complete_hold(Store& store, std::int64_t pid, Arena& texts, Request& request) {
  std::int64_t start_ns = 0;
  if (Status opened = open_script(pid, kept_script(), start_ns); !opened.ok()) return opened;
  Status absolute = make_absolute(texts, request.log);
  for (std::uint32_t i = 0; absolute.ok() && i < request.lock_count; ++i)
    absolute = make_absolute(texts, request.locks[i].path);
  if (!absolute.ok()) return absolute;
  request.kept_for = pid;
  request.kept_for_start_ns = start_ns;
  request.nested = true;  // the script may hold it already, and would wait for itself
  os::ProcessLabel label;
  if (request.command.empty() && os::process_label(pid, label)) request.command = label.name;
  if (!store.traits().kept_for_pid) {
    request.keep_at_most =
        request.expire_after;  // the script's own limit; those of other holders do not matter
    request.expire_after = Duration::forever();
    // A learned limit is known at the admission.
    request.max_runtime_auto = request.expire_auto;
    request.expire_auto = false;
  } else if (request.until == Until::tree) {
    return error_of(Code::usage, 0,
                    "--until: a symlink lock ends with the process that it names: use a file lock");
  }
  return {};
}

Outcome hold_for(Store& store, const Request& request, std::string_view keeper_to,
                 Observer* observer) {
  os::RequestPipe requests;
  if (!keeper_to.empty()) (void)requests.hang();
  const limiter::Keeping keeping = {store, request, kept_script(), requests};
  os::HelperProcess helper;
  if (const int error = helper.start()) return Outcome::failure(limiter::no_process(error));
  if (helper.is_helper()) limiter::take_and_keep(keeping, helper, observer);
  return handed_over(keeping, follow(request, helper, kept_script()), helper, keeper_to);
}

Result<bool> release_for(Store& store, const LockSpec& lock, std::int64_t pid,
                         std::int64_t at_real_ns) {
  if (store.traits().kept_for_pid && at_real_ns != 0)
    return error_of(Code::usage, 0, "--now: a symlink lock records no end: leave it out");
  if (store.traits().kept_for_pid) return symlink::let_go(lock, pid);
  os::ProcessFacts facts;
  const bool runs = os::process_facts(pid, facts) == 0;
  return local::let_go(lock, pid, runs ? facts.start_boot_ns : 0, at_real_ns);
}

std::int64_t caller_id() { return os::parent_id(); }

}  // namespace atmost
