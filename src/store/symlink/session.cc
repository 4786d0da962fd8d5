#include "session.h"

#include <cerrno>
#include <new>

#include "link.h"
#include "mutex_link.h"
#include "os/above.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/process.h"
#include "os/room.h"
#include "os/self.h"

namespace atmost::symlink {
namespace {

// Of the processes that compete for the lock, each round admits at least one.
constexpr std::uint32_t kTries = 16;

// In whole seconds, as the format requires; rounded up.
std::int64_t ttl_of(Duration expire_after) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (expire_after.ns >= kNoExpiry * kSecond) return kNoExpiry;
  return (expire_after.ns + kSecond - 1) / kSecond;
}

// The last token of this process: its threads' leftovers are distinguished by their tokens.
std::uint64_t last_token = 0;

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

Result<Owned<SymlinkSession>> open_session(const Request& request, OpenTo how) {
  if (Status good = supported(request); !good.ok()) return good.error();
  void* room = os::take_room(sizeof(SymlinkSession));
  if (room == nullptr) return error_of(Code::internal, ENOMEM, "out of memory");
  Owned<SymlinkSession> session(new (room) SymlinkSession(request));
  if (Status prepared = session->prepare(how); !prepared.ok()) return prepared.error();
  return session;
}

Status SymlinkSession::prepare(OpenTo how) {
  if (Status located = locate(request_.locks[0].path, names_); !located.ok()) return located;
  if (how != OpenTo::make) return {};
  ScopedArena texts;
  TextView which;
  if (request_.make_parents) {
    const int unmade = os::make_directories_above(names_.name, texts, which);
    if (unmade != 0) return failure(which, unmade, "cannot create the directory");
  }
  Hazard hazard = Hazard::none;
  if (const int error =
          os::find_hazard(names_.name.c_str(), os::own_standard(), hazard, texts, which))
    return failure(which, error, "cannot examine the directory");
  if (hazard == Hazard::none) return {};
  Error error = failure(names_.name, Code::not_permitted, "");
  append_hazard(error.message, hazard, which);
  return error;
}

void LinkFacts::set(const rule::Asker& asker, bool held, std::uint64_t token, std::int64_t pid) {
  asker_ = asker;
  pid_ = pid;
  rule::Table table;
  holder_.slot = 1;
  if (held) table.holders = {&holder_, 1};
  // No floor: other processes take theirs from the clock.
  last_of_process_ = __atomic_load_n(&last_token, __ATOMIC_RELAXED);
  table.state.token = token > last_of_process_ ? token : last_of_process_;
  TableFacts::set(asker, table);
}

bool LinkFacts::ancestor() {
  const std::int64_t kept_for = asker_.request->kept_for;
  return pid_ != 0 && (kept_for != 0 ? pid_ == kept_for : os::is_ancestor(pid_));
}

// Looks without writing.
Status SymlinkSession::look(const Attempt& attempt, rule::Looked& to) {
  to.now = attempt.moment(request_);
  to.turns_boot_ns = to.now.boot_ns;
  to.locks = {&looked_, 1};
  Snapshot lock;
  if (const int error = symlink::look(names_.name.c_str(), lock))
    return failure(names_.name, error, "cannot be examined");
  if (lock.kind == Snapshot::Kind::alien) {
    return failure(names_.name, Code::io,
                   "is not a symlink lock (pid= time= ttl= psid= id=); name another path");
  }
  MutexSnapshot mutex;
  if (Status looked = look_at_mutex(names_, mutex); !looked.ok()) return looked;
  const bool held = lock.kind == Snapshot::Kind::lock && !over(lock, to.now, boot_, nullptr);
  const bool mutex_held = mutex.present && !over(mutex, to.now, boot_, nullptr);
  if (lock.kind == Snapshot::Kind::lock && lock.target.ours && lock.target.token > seen_token_ &&
      lock.target.token < UINT64_MAX / 2)
    seen_token_ = lock.target.token;
  facts_.set(rule::asker_of(request_, attempt.queue, 0), held || mutex_held || lost_ == kTries,
             seen_token_, held ? lock.target.pid : 0);
  return {};
}

Status SymlinkSession::apply(const rule::Plan& plan, const Instant& now, Ticket* queue,
                             rule::Applied& to) {
  if (plan.admits()) {
    const Result<TryLock> taken = take(now, facts_.plan.held.token);
    if (!taken.ok()) return taken.error();
    to.changed = taken.value() == TryLock::busy;
    if (to.changed) {
      ++lost_;
      return {};
    }
    held_ = {};
    held_.token = mutex_.token;
    held_.count = 1;
    held_.slots[0] = 1;
    to.held = &held_;
    watch_.stop();
  }
  lost_ = 0;
  if (queue != nullptr && plan.step == rule::QueueStep::draw) queue->drawn = true;
  if (queue != nullptr && plan.step == rule::QueueStep::leave) *queue = {};
  return {};
}

Status SymlinkSession::write_texts(const Instant& now, std::uint64_t token) {
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
  target.token = token;
  text_ = format_target(target);
  mutex_.identity = identity;
  mutex_.until_s = target.ttl_s >= kNoExpiry ? 0 : target.time_s + target.ttl_s;
  mutex_.token = target.token;
  return {};
}

// Busy, too, if another thread has the same token.
Result<TryLock> SymlinkSession::take(const Instant& now, std::uint64_t token) {
  std::uint64_t before = facts_.last_of_process();
  if (!__atomic_compare_exchange_n(&last_token, &before, token, false, __ATOMIC_RELAXED,
                                   __ATOMIC_RELAXED))
    return TryLock::busy;
  if (Status written = write_texts(now, token); !written.ok()) return written.error();
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
  if (const int error = symlink::look(names_.name.c_str(), lock))
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

Result<Edited> SymlinkSession::edit(std::uint32_t, const Edit& edit) {
  Edited done;
  if (edit.what == Edit::What::drain || edit.what == Edit::What::resume) {
    return failure(names_.name, Code::usage,
                   "a symlink lock cannot be drained: only a file lock can");
  }
  // A link has no room for a count, and the original would not keep it: every refusal is the first.
  if (edit.what == Edit::What::refusal) done.count = 1;
  return done;
}

bool SymlinkSession::is_still_ours() const {
  Snapshot found;
  return symlink::look(names_.name.c_str(), found) == 0 && found.kind == Snapshot::Kind::lock &&
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

void SymlinkSession::end(const End& what) {
  if (what.of == End::Of::place) *what.ticket = {};
  if (what.of == End::Of::hold) remove_lock(names_, mutex_, text_, boot_);
  if (what.of != End::Of::session) return;
  this->~SymlinkSession();
  os::give_room(this, sizeof *this);
}

}  // namespace atmost::symlink
