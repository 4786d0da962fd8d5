#include "local_store.h"

#include <cerrno>
#include <cstring>

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

void clear_revocation(int fd, std::uint32_t slot) {
  Word word;
  if (read_words(fd, slot, 1, &word) == 0 && (word.flags & kRevokedFlag) != 0) {
    (void)write_flags(fd, slot, word.flags & ~kRevokedFlag);
  }
}

// What the original tells who is refused: all that run, under whatever limit.
Status count_all(LockFile& file, std::uint32_t& held) {
  Count count;
  Status counted = count_held(file, 1, kMaxSlots, kMaxSlots, count);
  held = count.held;
  return counted;
}

std::uint64_t next_token(std::uint64_t stored, const Instant& now) {
  const auto by_clock = static_cast<std::uint64_t>(now.real_ns > 0 ? now.real_ns / 1000 : 0);
  return stored + 1 > by_clock ? stored + 1 : by_clock;
}

}  // namespace

Capabilities LocalStore::capabilities() const { return {true, true, true, true, true, true, true, true}; }

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
    if (Status opened = file.open(request.locks[i], request, LockFile::Access::create); !opened.ok()) {
      close();
      return opened;
    }
    std::uint32_t at = i;
    for (; at > 0; --at) {
      const LockFile& before = entries_[order_[at - 1]].file;
      const Identity& a = before.identity();
      const Identity& b = file.identity();
      if (a.device == b.device && a.inode == b.inode) {
        const Error twice = file.failure(Code::usage, 0, "is the same lock as another one named here");
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
    if (entry
            .words_registered) {  // a hold that was given away: the mapping would keep it, and the word is not ours
      (void)clear_own_words(entry);
      os::forget_words();
    }
    entry.words_registered = false;
    entry.file.close();
    entry.reserved.clear();
  }
  watch_.stop();
  opened_ = false;
}

void LocalStore::close_private() {
  for (std::uint32_t i = 0; i < count_; ++i) entries_[i].file.close_private();
}

Result<LockFile::Guarded> LocalStore::guard_all(const Request& request, std::uint32_t& culprit) {
  // The original waits for its mutex, which is the guard, as long as it takes; a signal ends it as any other wait.
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
  for (std::uint32_t i = 0; i < count_; ++i) drop(entries_[i].file, owner_, entries_[i].reserved);
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

View LocalStore::view_of(const Request& request, Entry& entry, const LockSpec& spec, bool last_chance) {
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
  if (!view.room && request.nested) view.held_by_ancestor = own_tree_blocks(entry.file, spec, request);
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
    const Seeker seeker = {queue != nullptr && queue->drawn ? queue->numbers[i] : 0};
    if (spec.max > 0) {
      if (Status reserved = reserve(entry.file, spec, owner_, seeker, words_, entry.reserved);
          !reserved.ok()) {
        drop_all();
        return reserved.error();
      }
    }
    decision = decide(request, spec, view_of(request, entry, spec, queue == nullptr), now);
    decision.lock = i;
    if (i == 0) first = decision.limits;
    if (decision.verdict != Verdict::admit) break;
  }
  if (decision.verdict == Verdict::admit) decision.limits = first;  // what the command is limited by
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

Status LocalStore::after_refusal(const Request& request, const Decision& decision, const Instant& now,
                                 Ticket* queue) {
  drop_all();
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
    if (!drawn.ok()) {
      for (std::uint32_t j = 0; j < i; ++j)
        give_up_ticket(entries_[j].file, request.locks[j], queue->numbers[j]);
      return drawn;
    }
  }
  queue->drawn = true;
  return {};
}

Status LocalStore::commit(const Request& request, const Instant& now, Ticket* queue) {
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (Status admitted = admit_to(request, i, now); !admitted.ok()) {
      take_back(request, i + 1);
      return admitted;
    }
  }
  for (std::uint32_t i = 0; i < count_; ++i) write_hints(request, i, now);
  if (queue != nullptr) withdraw(request, *queue);
  watch_.rest();
  return {};
}

// Nobody was admitted: an interval must not count from now. What cannot be written now is as stale as before.
void LocalStore::take_back(const Request& request, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count && !request.foreign_format; ++i) {
    entries_[i].file.header() = entries_[i].before;
    (void)entries_[i].file.save_header();
  }
}

// What must be written for the admission to be one: the index for foreign callers, the header for the next of ours.
Status LocalStore::admit_to(const Request& request, std::uint32_t lock, const Instant& now) {
  Entry& entry = entries_[lock];
  if (Status raised = entry.file.raise_index(entry.reserved.slots[entry.reserved.count - 1]); !raised.ok()) {
    return raised;
  }
  entry.held.fd = entry.file.slot_fd();
  entry.held.count = entry.reserved.count;
  std::memcpy(entry.held.slots, entry.reserved.slots, sizeof(std::uint32_t) * entry.reserved.count);
  if (request.foreign_format) return {};
  Header& header = entry.file.header();
  entry.before = header;
  entry.admitted = now;
  header.token = next_token(header.token, now);
  header.refusals = 0;
  header.start = data_of(now, entry.file.identity());
  entry.held.token = header.token;
  return entry.file.save_header();
}

// What only shortens later searches and fills listings: failures (a full disk) cost just that.
void LocalStore::write_hints(const Request& request, std::uint32_t lock, const Instant& now) {
  if (request.foreign_format) return;
  Entry& entry = entries_[lock];
  const int fd = entry.file.fd();
  std::uint32_t indices[kMaxTake];
  for (std::uint32_t i = 0; i < entry.held.count; ++i) {
    indices[i] = entry.held.slots[i] - 1;
    Record record =
        make_record(request, entry.held.slots[i], entry.held.token, kind_, now, entry.file.identity());
    (void)write_record(fd, record);
  }
  // One registration a process, so only the first lock's words are vouched for; with exec it would end at once, and a
  // keeper may be a child of who is admitted here.
  std::uint32_t registered = 0;
  const bool stays = kind_ == HolderKind::supervised && !request.exec && request.kept_for == 0;
  if (lock == 0 && stays && entry.file.identity().boot != 0) {
    registered = os::register_words(fd, kWordsAt, indices, entry.held.count);
  }
  entry.words_registered = registered > 0;
  if (kind_ == HolderKind::library) {  // what a taker once wrote to a library that is gone is not for us
    for (std::uint32_t i = 0; i < entry.held.count; ++i) clear_revocation(fd, entry.held.slots[i]);
  }
  const std::uint32_t self = registered > 0 ? os::thread_id() : 0;
  for (std::uint32_t i = 0; i < entry.held.count; ++i) {
    (void)write_word(fd, entry.held.slots[i], i < registered ? self : 0);
  }
}

void LocalStore::name_holder(std::int64_t pid) {
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Entry& entry = entries_[i];
    for (std::uint32_t j = 0; j < entry.held.count; ++j) {
      Record record;
      if (!read_record(entry.file.fd(), entry.held.slots[j], record)) continue;
      record.pid = static_cast<std::uint32_t>(pid);
      (void)write_record(entry.file.fd(), record);
    }
  }
}

const HeldLock& LocalStore::held(std::uint32_t, std::uint32_t lock) const { return entries_[lock].held; }

void LocalStore::withdraw(const Request& request, Ticket& ticket) {
  if (!ticket.drawn) return;
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (entries_[i].file.present()) give_up_ticket(entries_[i].file, request.locks[i], ticket.numbers[i]);
  }
  ticket = {};
}

}  // namespace atmost::local
