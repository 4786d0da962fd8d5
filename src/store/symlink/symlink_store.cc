#include "symlink_store.h"

#include <cerrno>

#include "link.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/process.h"
#include "os/self.h"
#include "ps_name.h"
#include "sight.h"

namespace atmost::symlink {
namespace {

// Of a crowd that is after the lock, each round lets at least one in.
constexpr int kTries = 16;

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

// In whole seconds, as the format has it: no sooner than asked for.
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

}  // namespace

Capabilities SymlinkStore::capabilities() const {
  Capabilities can;
  can.processes = true;
  can.several_slots = false;
  can.last_admission = false;
  return can;
}

Status SymlinkStore::open(const Request& request) {
  if (Status good = supported(request); !good.ok()) return good;
  if (opened_ && place_.name.view() == request.locks[0].path.view()) return {};
  opened_ = false;
  watch_.stop();
  if (Status located = locate(request.locks[0].path, place_); !located.ok()) return located;
  if (request.make_parents) {
    PathText which;
    const int unmade = os::make_directories_above(place_.name, which);
    if (unmade != 0) return failure(which, unmade, "cannot create the directory");
  }
  bool open_to_all = false;
  PathText directory;
  if (const int error = os::find_open_directory(place_.name.c_str(), open_to_all, directory)) {
    return failure(directory, error, "cannot examine the directory");
  }
  if (open_to_all) {
    return failure(
        directory, Code::not_permitted,
        "everybody may rename files in it; chmod o-w or chmod +t it, or use another directory");
  }
  if (boot_ == 0) boot_ = os::boot_hash();
  opened_ = true;
  return {};
}

// Looks without writing. True: the lock could be taken.
Result<bool> SymlinkStore::room(const Request& request, const Instant& now, View& view) {
  view.held = 0;
  Sight lock;
  if (const int error = look(place_.name.c_str(), lock))
    return failure(place_.name, error, "cannot be examined");
  if (lock.kind == Sight::Kind::alien) {
    return failure(place_.name, Code::io,
                   "is not a symlink lock (pid= time= ttl= psid= id=); name another path");
  }
  SeatSight seat;
  if (Status looked = look_at_seat(place_, seat); !looked.ok()) return looked.error();
  const bool held = lock.kind == Sight::Kind::lock && !over(lock, now, boot_, nullptr);
  const bool seated = seat.present && !over(seat, now, boot_, nullptr);
  view.held = held || seated ? 1 : 0;
  if (lock.kind == Sight::Kind::lock && lock.target.ours) {
    view.token = lock.target.token;
    if (view.token > seen_token_ && view.token < UINT64_MAX / 2) seen_token_ = view.token;
  }
  if (held && request.nested) {
    view.held_by_ancestor =
        holder_ != 0 ? lock.target.pid == holder_ : os::is_ancestor(lock.target.pid);
  }
  return !held && !seated;
}

Status SymlinkStore::write_texts(const Request& request, const Instant& now) {
  const std::int64_t pid = holder_ != 0 ? holder_ : os::process_id();
  const Being being = being_of(pid, boot_);
  Result<Text<127>> psid = psid_of(pid);
  if (!psid.ok()) return psid.error();
  Target target;
  target.pid = pid;
  target.time_s = now.real_ns > 0 ? now.real_ns / 1'000'000'000 : 0;
  target.ttl_s = ttl_of(request.expire_after);
  target.psid = psid.value();
  target.id = request.id;
  target.ours = true;
  target.start_ns = being.start_ns;
  target.boot = being.boot;
  target.token = next_token(seen_token_);
  text_ = format_target(target);
  mark_.being = being;
  mark_.until_s = target.ttl_s >= kNoExpiry ? 0 : target.time_s + target.ttl_s;
  mark_.token = target.token;
  return {};
}

Result<Grip> SymlinkStore::take(const Request& request, const Instant& now) {
  if (Status written = write_texts(request, now); !written.ok()) return written.error();
  const Being self = holder_ != 0 ? being_of(os::process_id(), boot_) : mark_.being;
  Result<Grip> seated = take_seat(place_, mark_, self, now);
  if (!seated.ok() || seated.value() == Grip::busy) return seated;
  Result<Grip> taken =
      take_link(place_, spare_name(place_, self.pid, mark_.token), text_, now, boot_);
  if (taken.ok() && taken.value() == Grip::held) {
    sweep(place_, format_mark(mark_), now, boot_);
  } else {
    leave_seat(place_, mark_);
  }
  return taken;
}

Result<Decision> SymlinkStore::attempt(const Request& request, DecideFn decide, const Instant& now,
                                       Ticket* queue, Lease& lease) {
  if (Status opened = open(request); !opened.ok()) return opened.error();
  Decision decision;
  for (int i = 0; i < kTries; ++i) {
    View view;
    view.last_chance = queue == nullptr;
    Result<bool> seen = room(request, now, view);
    if (!seen.ok()) return seen.error();
    view.room = seen.value() && i + 1 < kTries;
    decision = decide(request, request.locks[0], view, now);
    if (decision.verdict != Verdict::admit) break;
    Result<Grip> taken = take(request, now);
    if (!taken.ok()) return taken.error();
    if (taken.value() == Grip::busy) continue;
    held_ = {};
    held_.token = mark_.token;
    held_.count = 1;
    held_.slots[0] = 1;
    if (queue != nullptr) withdraw(request, *queue);
    watch_.stop();
    lease = Lease(this, 0);
    return decision;
  }
  if (decision.verdict == Verdict::busy && decision.why != Why::none && queue != nullptr)
    queue->drawn = true;
  return decision;
}

const HeldLock& SymlinkStore::held(std::uint32_t, std::uint32_t) const { return held_; }

bool SymlinkStore::await_end(const os::ProcessHandle& holder) {
  watch_.start(place_.directory.c_str());
  const std::string_view names[] = {place_.base};
  const os::ProcessHandle* const processes[] = {&holder};
  for (;;) {
    Sight found;
    const bool ours = look(place_.name.c_str(), found) == 0 && found.kind == Sight::Kind::lock &&
                      found.text.view() == text_.view();
    if (!ours) return false;
    if (watch_.wait(Duration::kForever, names, processes) == os::Change::process) return true;
  }
}

void SymlinkStore::release(std::uint32_t, Ending, const Instant&) {
  const Being self = being_of(os::process_id(), boot_);
  Claim claim;
  // With an end of its own, or of another process, the seat may be over, and somebody about to
  // remove it: one of us only.
  if (mark_.until_s != 0 || mark_.being.pid != self.pid) {
    const Result<Grip> claimed = claim_seat(place_, format_mark(mark_), self, claim);
    if (!claimed.ok() || claimed.value() == Grip::busy) return;
  }
  leave_link(place_, spare_name(place_, self.pid, mark_.token), text_);
  leave_seat(place_, mark_);
  drop_claim(claim);
}

void SymlinkStore::withdraw(const Request&, Ticket& ticket) { ticket = {}; }

Result<Wake> SymlinkStore::await(const Request& request, Ticket&, std::int64_t deadline_boot_ns) {
  if (Status opened = open(request); !opened.ok()) return opened.error();
  if (!watch_.started()) {
    watch_.start(place_.directory.c_str());
    return Wake::maybe;  // what happened before the watch began is seen by the next attempt
  }
  const Instant now = os::now();
  os::ProcessHandle holder;
  os::ProcessHandle sitter;
  Sight lock;
  SeatSight seat;
  if (const int error = look(place_.name.c_str(), lock))
    return failure(place_.name, error, "cannot be examined");
  if (Status looked = look_at_seat(place_, seat); !looked.ok()) return looked.error();
  const bool held = lock.kind == Sight::Kind::lock && !over(lock, now, boot_, &holder);
  const bool seated = seat.present && !over(seat, now, boot_, &sitter);

  std::int64_t span = kLookAgainNs;
  if (held && expiry_ns(lock.target) - now.real_ns < span)
    span = expiry_ns(lock.target) - now.real_ns;
  if (seated && seat.mark.until_s != 0) {
    const std::int64_t left = seat.mark.until_s * 1'000'000'000 - now.real_ns;
    if (left < span) span = left;
  }
  if (!held && !seated) span = kSoonNs;  // free, or about to be freed by somebody else who wants it
  if (!holder.is_open() && !sitter.is_open() && span > os::NameWatch::kBlindNs)
    span = os::NameWatch::kBlindNs;
  const std::int64_t boot_now = os::boot_ns();
  if (deadline_boot_ns != Duration::kForever && deadline_boot_ns - boot_now < span)
    span = deadline_boot_ns - boot_now;

  const std::string_view names[] = {place_.base, place_.seat_base};
  const os::ProcessHandle* const processes[] = {&holder, &sitter};
  const os::Change change = watch_.wait(span, names, processes);
  if (os::boot_ns() >= deadline_boot_ns) return Wake::deadline;
  return change == os::Change::interrupted ? Wake::interrupted : Wake::maybe;
}

Result<std::uint32_t> SymlinkStore::inspect(const LockSpec& lock, const Instant& now,
                                            LockVisitor* visitor) {
  Place place;
  if (Status located = locate(lock.path, place); !located.ok()) return located.error();
  Sight sight;
  if (const int error = look(place.name.c_str(), sight))
    return failure(place.name, error, "cannot be examined");
  if (sight.kind == Sight::Kind::alien) {
    return failure(place.name, Code::io, "is not a symlink lock (pid= time= ttl= psid= id=)");
  }
  LockVisitor::Header header;
  header.exists = sight.kind == Sight::Kind::lock;
  header.token = header.exists ? sight.target.token : 0;
  if (visitor != nullptr) visitor->header(header);
  if (!header.exists || over(sight, now, os::boot_hash(), nullptr)) return std::uint32_t{0};
  if (visitor == nullptr) return std::uint32_t{1};
  const Target& target = sight.target;
  HolderView holder;
  holder.slot = 1;
  holder.kind = target.ours ? HolderKind::supervised : HolderKind::foreign;
  holder.has_record = true;
  holder.pid = target.pid;
  holder.uid = sight.uid;
  holder.token = target.token;
  if (target.time_s < INT64_MAX / 1'000'000'000)
    holder.start = {target.time_s * 1'000'000'000, 0, false, true};
  holder.expire_after =
      target.ttl_s >= kNoExpiry ? Duration::forever() : Duration::seconds(target.ttl_s);
  holder.id = target.id;
  os::ProcessFacts facts;
  if (os::process_facts(target.pid, facts) == 0) {
    holder.process_state = facts.state;
    holder.verified = target.ours && facts.start_boot_ns == target.start_ns;
  }
  visitor->holder(holder);
  return std::uint32_t{1};
}

Result<bool> SymlinkStore::let_go(const LockSpec& lock, std::int64_t pid) {
  if (Status located = locate(lock.path, place_); !located.ok()) return located.error();
  if (boot_ == 0) boot_ = os::boot_hash();
  Sight sight;
  if (const int error = look(place_.name.c_str(), sight))
    return failure(place_.name, error, "cannot be examined");
  const Target& target = sight.target;
  if (sight.kind != Sight::Kind::lock || !target.ours || target.pid != pid) return false;
  const Instant now = os::now();
  if (over(sight, now, boot_, nullptr)) return false;
  if (os::user_id() != 0 && sight.uid != os::user_id()) {
    return failure(place_.name, Code::not_permitted,
                   "is another user's: only that user or root may release it");
  }
  mark_.being = {target.pid, target.start_ns, target.boot};
  mark_.until_s = target.ttl_s >= kNoExpiry ? 0 : target.time_s + target.ttl_s;
  mark_.token = target.token;
  text_ = sight.text;
  release(0, Ending::success, now);
  return true;
}

Status SymlinkStore::set_drained(const Request& request, std::uint32_t, bool) {
  return failure(request.locks[0].path, Code::usage,
                 "a symlink lock cannot be drained: only a file lock can");
}

Status SymlinkStore::forget(const Request&) { return {}; }

// attempt() never answers take_over: the link's own ttl decides, and nobody is signalled.
Result<bool> SymlinkStore::begin_takeover(std::uint32_t, std::uint32_t) { return false; }
Result<SignalResult> SymlinkStore::press(std::uint32_t, std::uint32_t, std::uint64_t, SignalStep) {
  return SignalResult{};
}
bool SymlinkStore::contested(std::uint32_t, std::uint32_t) const { return false; }
void SymlinkStore::end_takeover(std::uint32_t, std::uint32_t) {}

// A link has no room for a count, and the original would not keep it: every refusal is the first.
Result<std::uint32_t> SymlinkStore::count_refusal(const Request&, std::uint32_t) {
  return std::uint32_t{1};
}

}  // namespace atmost::symlink
