#include "facts.h"

#include <cerrno>

#include "listing.h"
#include "os/locks.h"
#include "os/process.h"
#include "os/self.h"
#include "roll.h"
#include "stats_file.h"

namespace atmost::local {
namespace {

// For one slot, excludes every other flock(2); for several, not those of our holders.
os::LockKind flock_for(const LockSpec& spec) {
  return spec.max == 1 || spec.mode == Mode::exclusive ? os::LockKind::write : os::LockKind::read;
}

// The flock is held by a flock(1) that runs us, a shell with the descriptor open, or the process on
// whose behalf we ask.
bool flocked_by_our_tree(const Identity& file, const Request& request) {
  return os::flock_above(os::process_id(), file.device, file.inode) ||
         (request.kept_for > 1 && os::flock_above(request.kept_for, file.device, file.inode));
}

}  // namespace

LocalFacts::LocalFacts(LockFile& file, const rule::Asker& asker, os::Owner owner,
                       const Instant& now, const TurnClock& clock, FactsRoom& room,
                       ForeignSeen& seen, Reservation& reserved)
    : file_(file),
      asker_(asker),
      owner_(owner),
      now_(now),
      clock_(clock),
      room_(room),
      seen_(seen),
      reserved_(reserved),
      state_(state_of(file)) {}

bool LocalFacts::is_locked(int fd, os::Owner owner, os::Bytes bytes, os::LockKind against) {
  os::Conflict conflict;
  const int error = os::query_lock(fd, owner, against, bytes, conflict);
  if (error != 0) fail(file_.failure(Code::io, error, "cannot query locks"));
  if (conflict.found && !is_on_the_map(conflict)) foreign_ = conflict;
  return error != 0 || conflict.found;
}

// An exclusive caller needs the whole range to itself; it holds slot 1 and the mode byte.
bool LocalFacts::reserve_all() {
  if (reserved_.mode_held || any_held()) return reserved_.mode_held;
  int error = file_.lock_slots(owner_, {slot_byte(1), 1});
  if (error == 0) {
    reserved_.insert(1);
    reserved_.words_blank = false;  // not read
    error = file_.lock_slots(owner_, {kModeByte, 1});
    reserved_.mode_held = error == 0;
  }
  if (error != 0 && error != EAGAIN) fail(file_.failure(Code::io, error, "cannot lock a slot"));
  return reserved_.mode_held;
}

std::uint32_t LocalFacts::reserve(std::uint32_t count) {
  if (exclusive()) return reserve_all() ? 1 : 0;
  if (!search_) search_.emplace(file_, *asker_.lock, owner_, room_.words, reserved_);
  if (reserved_.count < count) note(search_->until(count));
  return error().ok() ? reserved_.count : 0;
}

void LocalFacts::give_back() { drop(file_, owner_, reserved_); }

// One query proves that there is no slot above N, no exclusive holder, no takeover, and no waiter
// anywhere. Behind what an exclusive caller locks, it shows takeovers and waiters.
bool LocalFacts::locked_behind() {
  if (behind_asked_) return behind_;
  behind_asked_ = true;
  const std::int64_t behind = exclusive() ? kModeByte + 1 : slot_byte(asker_.lock->max) + 1;
  behind_ = is_locked({behind, 0});
  return behind_;
}

rule::Others LocalFacts::others() {
  if (others_asked_) return others_;
  others_asked_ = true;
  const bool behind = locked_behind();
  others_.foreign = foreign_.found;
  if (!behind || foreign_.found) return others_;
  const std::uint32_t max = asker_.lock->max;
  const bool above = !exclusive() && is_locked({slot_byte(max) + 1, kMaxSlots - max});
  others_.writer = !exclusive() && is_locked({kModeByte, 1});
  others_.taking_over = is_locked({kTakeoverBase, kMaxSlots}, kOfTaker);
  others_.foreign = foreign_.found;
  // The original's message counts all holders, whatever their limits.
  const std::uint32_t few = max > kCountedAbove ? max : kCountedAbove;
  const std::uint32_t enough = asker_.request->foreign_format ? kMaxSlots : few;
  if (above) others_.above = count(max + 1, kMaxSlots, enough);
  if (others_.taking_over && asker_.ticket == 0 && search_)
    note(search_->without_taken_over(asker_.lock->take));
  return others_;
}

std::uint32_t LocalFacts::count(std::uint32_t first, std::uint32_t last, std::uint32_t enough) {
  std::uint32_t held = 0;
  note(count_held(file_, first, last, enough, held));
  return held;
}

std::uint32_t LocalFacts::held(std::uint32_t enough) {
  if (enough == 1) return any_held() ? 1 : 0;
  const std::uint32_t last = exclusive() ? kMaxSlots : asker_.lock->max;
  const std::uint32_t below = count(1, last, last);
  // A query by description also sees the locks that this process itself holds as a process; where
  // there is only one kind of lock, it does not.
  const bool strangers = owner_ == os::Owner::process && os::has_description_locks();
  return below - (strangers ? reserved_.count : 0) + (exclusive() ? 0 : others().above);
}

rule::Foreign foreign_of(const LockFile& file, const os::Conflict& conflict, ForeignSeen& seen) {
  rule::Foreign foreign;
  foreign.whole = is_whole(conflict);
  if (file.identity().across) return foreign;
  foreign.pid = conflict.pid > 0 ? conflict.pid : 0;
  if (foreign.pid == 0 && file.blocking() != os::Blocking::never) {
    const os::Bytes& bytes = conflict.bytes;
    const bool looked = seen.bytes.start == bytes.start && seen.bytes.length == bytes.length;
    if (!looked) seen.pid = locker_of(file, bytes.start);
    seen.bytes = bytes;
    foreign.pid = seen.pid;
  }
  // A holder that waits for us, or is this very process, never ends its hold.
  foreign.own_tree =
      foreign.pid > 0 && (foreign.pid == os::process_id() || os::is_ancestor(foreign.pid));
  return foreign;
}

rule::Foreign LocalFacts::foreign() { return foreign_of(file_, foreign_, seen_); }

// Our own ticket is on our description: the kernel does not report it.
rule::Waiter LocalFacts::next_waiter(rule::Queue queue, std::uint64_t after) {
  rule::Waiter waiter;
  if (!locked_behind()) return waiter;
  note(
      local::next_waiter(file_, file_queue(queue), after, asker_.ticket, waiter, clock_.record_ns));
  waiter.turn_boot_ns = clock_.to_boot(waiter.turn_boot_ns);
  waiter.due_boot_ns = clock_.to_boot(waiter.due_boot_ns);
  return waiter;
}

bool LocalFacts::has_bell(std::uint64_t ticket) {
  return bell_of(file_, ticket) != 0 && file_.bells() != nullptr;
}

std::int64_t LocalFacts::own_turn() {
  return clock_.to_boot(turn_of(file_, queue_of(*asker_.lock), asker_.ticket));
}

// This write wakes processes that watch the file. While the turn lasts, the room is the waiter's.
void LocalFacts::note_turn(rule::Queue queue, std::uint64_t ticket, std::int64_t began_boot_ns) {
  const std::int64_t began = clock_.to_record(began_boot_ns);
  local::note_turn(file_, file_queue(queue), ticket, began);
  noted_ = noted_ || began != 0;
  if (called_ || began <= clock_.record_ns - kTurn.ns) return;
  called_ = true;
  call_roll(file_, file_queue(queue), ticket, began, clock_.record_ns);
}

rule::Waiter LocalFacts::joiner(std::uint64_t after) {
  rule::Waiter one;
  if (!locked_behind() || !is_locked({kJoinByte, 1})) return one;
  note(local::next_joiner(file_, after, one));
  one.turn_boot_ns = clock_.to_boot(one.turn_boot_ns);
  return one;
}

std::uint32_t LocalFacts::waiting(std::uint32_t enough) {
  std::uint32_t count = 0;
  note(count_waiters(file_, enough, count));
  return count;
}

Stamp LocalFacts::admission(std::uint32_t back) {
  return admission_of(file_, state_.recorded - back);
}

std::span<const HolderView> LocalFacts::holders(rule::Holders which) {
  const std::span<HolderView> all = room_.holders;
  std::size_t count = 0;
  if (which != rule::Holders::left) {
    count = collect_holders(file_, all);
  } else if (reserved_.met_left) {
    count = collect_left(file_, asker_.lock->max, room_.words, all);
  }
  if (which != rule::Holders::all && reserved_.met_left) name_left(file_, now_, all.first(count));
  return all.first(count);
}

bool LocalFacts::ancestor() { return own_tree_blocks(file_, *asker_.lock, *asker_.request); }

StatsKept LocalFacts::stats(LockStats*& lock, DirectoryStats*& directory) {
  recall(file_.fd(), file_.path(), room_.lock_stats, room_.directory_stats);
  lock = &room_.lock_stats;
  directory = &room_.directory_stats;
  return StatsKept::kept;
}

// On the same description as the slots, so it ends as they do.
rule::Flock LocalFacts::flock() {
  const int error = os::try_flock(file_.slot_fd(), flock_for(*asker_.lock));
  flocked_ = error == 0;
  if (error != 0 && error != EAGAIN)
    fail(file_.failure(Code::io, error, "cannot take a flock(2) on it"));
  if (error == 0) return rule::Flock::none;
  return flocked_by_our_tree(file_.identity(), *asker_.request) ? rule::Flock::own_tree
                                                                : rule::Flock::other;
}

// By the clock of this machine.
std::int64_t LocalFacts::last_boot_ns() {
  const Stamp& last = state_.last.start;
  return last.known && file_.identity().across ? clock_.to_boot(last.real_ns)
                                               : Facts::last_boot_ns();
}

rule::State state_of(const LockFile& file) {
  const Header& header = file.header();
  const Identity& identity = file.identity();
  rule::State state;
  state.token = header.token;
  state.drained = header.drained != 0;
  state.superseding = header.superseding_ticket;
  state.refusals = header.refusals;
  state.failures = header.failures;
  state.last = {stamp_of(header.start, identity), stamp_of(header.finish, identity),
                stamp_of(header.success, identity)};
  state.recorded = header.admissions;
  state.unknown_before = stamp_of(header.unknown_before, identity);
  return state;
}

namespace {

void put_stamp(const Stamp& before, const Stamp& after, StampData& to, const Identity& identity) {
  const bool same = before.known == after.known && before.real_ns == after.real_ns &&
                    before.boot_ns == after.boot_ns && before.same_boot == after.same_boot;
  if (!same) to = as_data(after, identity);
}

}  // namespace

Status save_state(const rule::State& before, const rule::State& after, LockFile& file,
                  Record* first) {
  Header& header = file.header();
  const Identity& identity = file.identity();
  header.token = after.token;
  header.drained = after.drained ? 1 : 0;
  header.refusals = after.refusals;
  header.failures = after.failures;
  header.admissions = after.recorded;
  put_stamp(before.last.start, after.last.start, header.start, identity);
  put_stamp(before.last.finish, after.last.finish, header.finish, identity);
  put_stamp(before.last.success, after.last.success, header.success, identity);
  put_stamp(before.unknown_before, after.unknown_before, header.unknown_before, identity);
  return file.save_header(first);
}

}  // namespace atmost::local
