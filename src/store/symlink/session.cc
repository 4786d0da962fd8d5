#include "session.h"

#include <cerrno>
#include <new>

#include "lease.h"
#include "link.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/process.h"
#include "os/room.h"
#include "os/self.h"
#include "ps_name.h"
#include "snapshot.h"

namespace atmost::symlink {
namespace {

// Of the processes that compete for the lock, each round admits at least one.
constexpr int kTries = 16;

// In whole seconds, as the format requires; rounded up.
std::int64_t ttl_of(Duration expire_after) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (expire_after.ns >= kNoExpiry * kSecond) return kNoExpiry;
  return (expire_after.ns + kSecond - 1) / kSecond;
}

// Greater than `seen`, than every other of this process, and than the clock's microseconds.
std::uint64_t next_token(std::uint64_t seen) {
  static std::uint64_t last = 0;
  std::uint64_t old = __atomic_load_n(&last, __ATOMIC_RELAXED);
  std::uint64_t next;
  do {
    next = static_cast<std::uint64_t>(os::now().real_ns / 1000);
    if (next <= old) next = old + 1;
    if (next <= seen) next = seen + 1;
  } while (
      !__atomic_compare_exchange_n(&last, &old, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return next;
}

Status supported(const Request& request) {
  const LockSpec& lock = request.locks[0];
  std::string_view why;
  if (request.lock_count != 1) why = "symlink locks are taken one at a time, without --also";
  if (lock.max > 1 || lock.take != 1) why = "a symlink lock admits one at a time: -n 1 and -k 1";
  if (lock.mode != Mode::plain)
    why = "a symlink lock is always exclusive: leave --shared and --exclusive out";
  if (!request.if_elapsed.is_zero())
    why = "a symlink lock remembers no admission: --if-elapsed needs a file lock";
  if (request.expire_after.is_zero()) {
    why = "a symlink lock expires by its holder's own --expire-after: at least 1s, or none";
  }
  if (request.on_busy == OnBusy::replace || request.on_busy == OnBusy::join) {
    why = "a symlink lock can be waited for, skipped or refused: --on-busy=fail or skip";
  }
  if (request.until == Until::close || request.foreign_format)
    why = "a symlink lock has no descriptor to close";
  if (why.empty()) return {};
  return failure(lock.path, Code::usage, why);
}

}  // namespace

Result<Owned<SymlinkSession>> open_session(const Request& request) {
  if (Status good = supported(request); !good.ok()) return good.error();
  void* room = os::take_room(sizeof(SymlinkSession));
  if (room == nullptr) return error_of(Code::internal, ENOMEM, "out of memory");
  Owned<SymlinkSession> session(new (room) SymlinkSession(request));
  if (Status prepared = session->prepare(); !prepared.ok()) return prepared.error();
  return session;
}

Status SymlinkSession::prepare() {
  if (Status located = locate(request_.locks[0].path, names_); !located.ok()) return located;
  if (request_.make_parents) {
    PathText which;
    const int unmade = os::make_directories_above(names_.name, which);
    if (unmade != 0) return failure(which, unmade, "cannot create the directory");
  }
  bool open_to_all = false;
  PathText directory;
  if (const int error = os::find_open_directory(names_.name.c_str(), open_to_all, directory)) {
    return failure(directory, error, "cannot examine the directory");
  }
  if (open_to_all) {
    return failure(
        directory, Code::not_permitted,
        "everybody may rename files in it; chmod o-w or chmod +t it, or use another directory");
  }
  return {};
}

// Looks without writing. True: the lock could be taken.
Result<bool> SymlinkSession::room(const Instant& now, View& view) {
  view.held = 0;
  Snapshot lock;
  if (const int error = look(names_.name.c_str(), lock))
    return failure(names_.name, error, "cannot be examined");
  if (lock.kind == Snapshot::Kind::alien) {
    return failure(names_.name, Code::io,
                   "is not a symlink lock (pid= time= ttl= psid= id=); name another path");
  }
  MutexSnapshot mutex;
  if (Status looked = look_at_mutex(names_, mutex); !looked.ok()) return looked.error();
  const bool held = lock.kind == Snapshot::Kind::lock && !over(lock, now, boot_, nullptr);
  const bool mutex_held = mutex.present && !over(mutex, now, boot_, nullptr);
  view.held = held || mutex_held ? 1 : 0;
  if (lock.kind == Snapshot::Kind::lock && lock.target.ours) {
    view.token = lock.target.token;
    if (view.token > seen_token_ && view.token < UINT64_MAX / 2) seen_token_ = view.token;
  }
  if (held && request_.nested) {
    view.held_by_ancestor = request_.kept_for != 0 ? lock.target.pid == request_.kept_for
                                                   : os::is_ancestor(lock.target.pid);
  }
  return !held && !mutex_held;
}

Status SymlinkSession::write_texts(const Instant& now) {
  const std::int64_t pid = request_.kept_for != 0 ? request_.kept_for : os::process_id();
  const ProcessIdentity identity = identity_of(pid, boot_);
  Result<Text<127>> psid = psid_of(pid);
  if (!psid.ok()) return psid.error();
  Target target;
  target.pid = pid;
  target.time_s = now.real_ns > 0 ? now.real_ns / 1'000'000'000 : 0;
  target.ttl_s = ttl_of(request_.expire_after);
  target.psid = psid.value();
  target.id = request_.id;
  target.ours = true;
  target.start_ns = identity.start_ns;
  target.boot = identity.boot;
  target.token = next_token(seen_token_);
  text_ = format_target(target);
  mutex_.identity = identity;
  mutex_.until_s = target.ttl_s >= kNoExpiry ? 0 : target.time_s + target.ttl_s;
  mutex_.token = target.token;
  return {};
}

Result<TryLock> SymlinkSession::take(const Instant& now) {
  if (Status written = write_texts(now); !written.ok()) return written.error();
  const ProcessIdentity self =
      request_.kept_for != 0 ? identity_of(os::process_id(), boot_) : mutex_.identity;
  Result<TryLock> mutex_held = take_mutex(names_, mutex_, self, now);
  if (!mutex_held.ok() || mutex_held.value() == TryLock::busy) return mutex_held;
  Result<TryLock> taken =
      take_link(names_, spare_name(names_, self.pid, mutex_.token), text_, now, boot_);
  if (taken.ok() && taken.value() == TryLock::held) {
    sweep(names_, format_mutex(mutex_), now, boot_);
  } else {
    leave_mutex(names_, mutex_);
  }
  return taken;
}

Result<Decision> SymlinkSession::attempt(DecideFn decide, const Instant& now, Ticket* queue,
                                         Lease& lease) {
  Decision decision;
  for (int i = 0; i < kTries; ++i) {
    View view;
    view.last_chance = queue == nullptr;
    Result<bool> seen = room(now, view);
    if (!seen.ok()) return seen.error();
    view.has_room = seen.value() && i + 1 < kTries;
    decision = decide(request_, request_.locks[0], view, now);
    if (decision.verdict != Verdict::admit) break;
    Result<TryLock> taken = take(now);
    if (!taken.ok()) return taken.error();
    if (taken.value() == TryLock::busy) continue;
    held_ = {};
    held_.token = mutex_.token;
    held_.count = 1;
    held_.slots[0] = 1;
    if (queue != nullptr) *queue = {};
    watch_.stop();
    lease = Lease(this);
    return decision;
  }
  if (decision.verdict == Verdict::busy && decision.why != Why::none && queue != nullptr)
    queue->drawn = true;
  return decision;
}

Result<Wake> SymlinkSession::await(Ticket& ticket, std::int64_t deadline_boot_ns) {
  if (!ticket.drawn) return Wake::maybe;
  if (!watch_.started()) {
    watch_.start(names_.directory.c_str());
    return Wake::maybe;  // what happened before the watch began is seen by the next attempt
  }
  const Instant now = os::now();
  os::ProcessHandle holder;
  os::ProcessHandle sitter;
  Snapshot lock;
  MutexSnapshot mutex;
  if (const int error = look(names_.name.c_str(), lock))
    return failure(names_.name, error, "cannot be examined");
  if (Status looked = look_at_mutex(names_, mutex); !looked.ok()) return looked.error();
  const bool held = lock.kind == Snapshot::Kind::lock && !over(lock, now, boot_, &holder);
  const bool mutex_held = mutex.present && !over(mutex, now, boot_, &sitter);

  std::int64_t span = kLookAgainNs;
  if (held && expiry_ns(lock.target) - now.real_ns < span)
    span = expiry_ns(lock.target) - now.real_ns;
  if (mutex_held && mutex.holder.until_s != 0) {
    const std::int64_t left = mutex.holder.until_s * 1'000'000'000 - now.real_ns;
    if (left < span) span = left;
  }
  if (!held && !mutex_held)
    span = kSoonNs;  // free, or about to be freed by another caller that wants it
  if (!holder.is_open() && !sitter.is_open() && span > os::NameWatch::kBlindNs)
    span = os::NameWatch::kBlindNs;
  const std::int64_t boot_now = os::boot_ns();
  if (deadline_boot_ns != Duration::kForever && deadline_boot_ns - boot_now < span)
    span = deadline_boot_ns - boot_now;

  const std::string_view names[] = {names_.base, names_.mutex_base};
  const os::ProcessHandle* const processes[] = {&holder, &sitter};
  const os::Change change = watch_.wait(span, names, processes);
  if (os::boot_ns() >= deadline_boot_ns) return Wake::deadline;
  return change == os::Change::interrupted ? Wake::interrupted : Wake::maybe;
}

// attempt() never answers take_over: the link's own ttl decides, and no process is signalled.
Result<Owned<HolderStop>> SymlinkSession::stop(std::uint32_t, std::uint32_t, std::uint64_t,
                                               StopFor) {
  return Owned<HolderStop>();
}

// A link has no room for a count, and the original would not keep it: every refusal is the first.
Result<std::uint32_t> SymlinkSession::count_refusal(std::uint32_t) { return std::uint32_t{1}; }

bool SymlinkSession::is_still_ours() const {
  Snapshot found;
  return look(names_.name.c_str(), found) == 0 && found.kind == Snapshot::Kind::lock &&
         found.text.view() == text_.view();
}

bool SymlinkSession::await_end(const os::ProcessHandle& holder) {
  watch_.start(names_.directory.c_str());
  const std::string_view names[] = {names_.base};
  const os::ProcessHandle* const processes[] = {&holder};
  for (;;) {
    if (!is_still_ours()) return false;
    if (watch_.wait(Duration::kForever, names, processes) == os::Change::process) return true;
  }
}

void SymlinkSession::release(Ending, const Instant&, const Lesson&) {
  remove_lock(names_, mutex_, text_, boot_);
}

void SymlinkSession::close() {
  this->~SymlinkSession();
  os::give_room(this, sizeof *this);
}

}  // namespace atmost::symlink
