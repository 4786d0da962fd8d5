#include "local_store.h"

#include <cerrno>

#include "listing.h"
#include "nesting.h"
#include "os/clock.h"
#include "os/occupancy.h"
#include "os/self.h"
#include "queue.h"

namespace atmost::local {
namespace {

constexpr int kReopenTries = 16;

bool wants_holders(const Request& request, bool last_chance) {
  return !request.expire_after.is_forever() || request.expire_auto ||
         (request.on_busy == OnBusy::replace && last_chance);
}

// What the original tells who is refused: all that run, under whatever limit.
Status count_all(LockFile& file, std::uint32_t& held) {
  Count count;
  Status counted = count_held(file, 1, kMaxSlots, kMaxSlots, count);
  held = count.held;
  return counted;
}

// Turns are measured by the clock, whatever moment a caller gives.
std::int64_t turn_clock(const Request& request, const Instant& now) {
  return request.now_boot_ns != 0 ? os::boot_ns() : now.boot_ns;
}

}  // namespace

Capabilities LocalStore::capabilities() const {
  return {true, true, true, true, true, true, true, true, true, true, true};
}

bool LocalStore::opened_for(const Request& request) const {
  if (!opened_ || count_ != request.lock_count || owner_ != owner_for(request)) return false;
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (request.locks[i].path.view() != entries_[i].file.path()) return false;
  }
  return true;
}

Status LocalStore::open_all(const Request& request) {
  making_ = {request.make_parents || wants_memory(request), request.create_mode};
  if (opened_for(request)) return {};
  close();
  count_ = request.lock_count;
  owner_ = owner_for(request);
  for (std::uint32_t i = 0; i < count_; ++i) {
    LockFile& file = entries_[i].file;
    file.set_heirs(heirs_, opening_);
    if (Status opened = file.open(request.locks[i], request, LockFile::Access::create);
        !opened.ok()) {
      close();
      return opened;
    }
    std::uint32_t at = i;
    for (; at > 0; --at) {
      const LockFile& before = entries_[order_[at - 1]].file;
      const Identity& a = before.identity();
      const Identity& b = file.identity();
      if (a.device == b.device && a.inode == b.inode) {
        const Error twice =
            file.failure(Code::usage, 0, "is the same lock as another one named here");
        close();
        return twice;
      }
      if (a.device < b.device || (a.device == b.device && a.inode < b.inode)) break;
      order_[at] = order_[at - 1];
    }
    order_[at] = i;
  }
  opened_ = true;
  return {};
}

void LocalStore::close() {
  for (std::uint32_t i = 0; i < count_; ++i) {
    Entry& entry = entries_[i];
    if (entry.words_registered) {  // a hold that was given away: the mapping would keep it, and the
                                   // word is not ours
      (void)clear_own_words(entry);
      os::forget_words();
    }
    entry.words_registered = false;
    entry.file.close();
    entry.reserved.clear();
    entry.flocked = false;
  }
  watch_.stop();
  opened_ = false;
}

void LocalStore::close_private() {
  for (std::uint32_t i = 0; i < count_; ++i) entries_[i].file.close_private();
}

Result<LockFile::Guarded> LocalStore::guard_all(const Request& request, std::uint32_t& culprit) {
  // The original waits for its mutex, which is the guard, as long as it takes; a signal ends it as
  // any other wait.
  const std::int64_t deadline =
      request.foreign_format ? Duration::kForever : plus(os::boot_ns(), {kGuardPatienceNs});
  for (std::uint32_t i = 0; i < count_; ++i) {
    culprit = order_[i];
    Result<LockFile::Guarded> guarded = entries_[culprit].file.guard(deadline);
    if (!guarded.ok() || guarded.value() != LockFile::Guarded::held) {
      unguard_all();
      return guarded;
    }
  }
  return LockFile::Guarded::held;
}

void LocalStore::unguard_all() {
  for (std::uint32_t i = count_; i > 0; --i) entries_[order_[i - 1]].file.unguard();
}

void LocalStore::drop_all() {
  for (std::uint32_t i = 0; i < count_; ++i) {
    drop_flock(entries_[i]);
    drop(entries_[i].file, owner_, entries_[i].reserved);
  }
}

Result<Decision> LocalStore::attempt(const Request& request, DecideFn decide, const Instant& now,
                                     Ticket* queue, Lease& lease) {
  for (int round = 0; round < kReopenTries; ++round) {
    if (Status opened = open_all(request); !opened.ok()) return opened.error();
    std::uint32_t culprit = 0;
    Result<LockFile::Guarded> guarded = guard_all(request, culprit);
    if (!guarded.ok()) return guarded.error();
    if (guarded.value() == LockFile::Guarded::replaced) {
      close();  // and with it our place in the queue of a file that nobody finds any more
      if (queue != nullptr) *queue = {};
      continue;
    }
    if (guarded.value() == LockFile::Guarded::timeout) {
      Decision busy;
      busy.why = Why::guard;
      busy.lock = culprit;
      busy.culprit = guard_holder(entries_[culprit].file);
      return busy;
    }
    Result<Decision> decision = decide_all(request, decide, now, queue);
    if (!decision.ok() && decision.error().sys == ESTALE) {  // replaced since the guard was taken
      close();
      if (queue != nullptr) *queue = {};
      continue;
    }
    if (decision.ok() && decision.value().verdict == Verdict::admit) lease = Lease(this, 0);
    unguard_all();
    return decision;
  }
  return entries_[0].file.failure(Code::io, 0, "is replaced again and again");
}

View LocalStore::view_of(const Request& request, Entry& entry, const LockSpec& spec,
                         bool last_chance) {
  const LockFile& file = entry.file;
  const Header& header = file.header();
  View view;
  view.token = header.token;
  view.drained = header.drained != 0;
  view.room = entry.reserved.room;
  view.held = entry.reserved.held;
  view.some_drained = entry.reserved.some_drained;
  view.writer_inside = entry.reserved.writer_inside;
  view.waiters_ahead = entry.reserved.waiters_ahead;
  view.joiner_waiting = entry.reserved.joiner_waiting;
  view.takeover_running = entry.reserved.takeover_running;
  view.last_chance = last_chance;
  view.last = {stamp_of(header.start, file.identity()), stamp_of(header.finish, file.identity()),
               stamp_of(header.success, file.identity())};
  if (wants_memory(request)) show_memory(file, view);
  if (!view.room && request.nested)
    view.held_by_ancestor = own_tree_blocks(entry.file, spec, request);
  if ((!view.room || request.expire_after.is_zero()) && wants_holders(request, last_chance)) {
    view.holders = {holders_, collect_holders(entry.file, holders_)};
  }
  return view;
}

Result<Decision> LocalStore::decide_all(const Request& request, DecideFn decide, const Instant& now,
                                        Ticket* queue) {
  Decision decision;
  Limits first;
  for (std::uint32_t i = 0; i < count_; ++i) {
    Entry& entry = entries_[i];
    const LockSpec& spec = request.locks[i];
    entry.reserved.clear();
    const Seeker seeker = {queue != nullptr && queue->drawn ? queue->numbers[i] : 0,
                           turn_clock(request, now)};
    if (spec.max > 0) {
      if (Status reserved = reserve(entry.file, spec, owner_, seeker, words_, entry.reserved);
          !reserved.ok()) {
        drop_all();
        return reserved.error();
      }
    }
    View view = view_of(request, entry, spec, queue == nullptr);
    if (entry.reserved.owed_until_boot_ns != Duration::kForever)
      view.owed_for = {entry.reserved.owed_until_boot_ns - seeker.now_boot_ns};
    decision = decide(request, spec, view, now);
    decision.lock = i;
    if (i == 0) first = decision.limits;
    if (decision.verdict != Verdict::admit) break;
  }
  if (decision.verdict == Verdict::admit && request.with_flock) {
    Result<Decision> flocked = take_flocks(request, decide, now, queue, decision);
    if (!flocked.ok()) {
      drop_all();
      return flocked.error();
    }
    decision = flocked.value();
  }
  if (decision.verdict == Verdict::admit)
    decision.limits = first;  // what the command is limited by
  Status done = decision.verdict == Verdict::admit ? commit(request, now, queue)
                                                   : after_refusal(request, decision, now, queue);
  if (done.ok() && decision.verdict != Verdict::admit && request.foreign_format) {
    done = count_all(entries_[decision.lock].file, decision.held);
  }
  if (!done.ok()) {
    drop_all();
    return done.error();
  }
  return decision;
}

Status LocalStore::after_refusal(const Request& request, const Decision& decision,
                                 const Instant& now, Ticket* queue) {
  drop_all();
  if (queue != nullptr && queue->drawn) settle_own_turns(request, decision.lock, *queue);
  // A pass's own moment is past by now, and later admissions are no wonder.
  if (decision.last_in_future && !now.given && request.now_boot_ns == 0) {
    // Written once: from here on the interval counts from now, and so ends.
    LockFile& file = entries_[decision.lock].file;
    Header& header = file.header();
    for (StampData* data : {&header.start, &header.finish, &header.success}) {
      const Stamp stamp = stamp_of(*data, file.identity());
      const bool ahead = stamp.known && age_ns(stamp, now) < 0;
      if (ahead) *data = data_of(now, file.identity());
    }
    return file.save_header();
  }
  if (!worth_waiting(decision) || queue == nullptr || queue->drawn) return {};
  for (std::uint32_t i = 0; i < count_; ++i) {
    Status drawn = draw_ticket(entries_[i].file, request.locks[i], request, now, queue->numbers[i]);
    entries_[i].near = false;
    entries_[i].turn_seen_ns = 0;
    if (!drawn.ok()) {
      for (std::uint32_t j = 0; j < i; ++j)
        give_up_ticket(entries_[j].file, request.locks[j], queue->numbers[j]);
      return drawn;
    }
  }
  queue->drawn = true;
  return {};
}

const HeldLock& LocalStore::held(std::uint32_t, std::uint32_t lock) const {
  return entries_[lock].held;
}

void LocalStore::withdraw(const Request& request, Ticket& ticket) {
  if (!ticket.drawn) return;
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (entries_[i].file.present())
      give_up_ticket(entries_[i].file, request.locks[i], ticket.numbers[i]);
  }
  ticket = {};
}

}  // namespace atmost::local
