#include "store.h"

#include <algorithm>
#include <cerrno>

#include "limit_file.h"
#include "listing.h"
#include "os/clock.h"
#include "os/room.h"
#include "queue.h"
#include "session.h"
#include "slots.h"

namespace atmost::local {
namespace {

// Visits every held slot; if a word shows a living supervisor, without a query to the kernel.
class Census {
 public:
  Census(LockFile& file, WordBuffer& buffer, LockVisitor* visitor)
      : file_(file), words_(buffer.words), visitor_(visitor) {}

  Result<std::uint32_t> take() {
    indexed_ = file_.words_count() ? file_.indexed_slots() : 0;
    std::uint32_t live = 0;  // the next slot whose word lives; above the index: there is none
    for (std::uint32_t slot = 1; slot <= kMaxSlots;) {
      for (live = std::max(live, slot); live <= indexed_ && !lives(live); ++live) continue;
      const std::uint32_t last = live <= indexed_ ? live - 1 : kMaxSlots;
      HeldSlots held;
      const int error = slot <= last ? next_held(file_, slot, last, held) : 0;
      if (error_ != 0) return file_.failure(Code::io, error_, "cannot read the lock file");
      if (error != 0) return file_.failure(Code::io, error, "cannot query locks");
      if (!held.found && live > indexed_) break;
      if (!held.found) held.first = held.last = live;
      visit(held, !held.found);
      slot = held.last + 1;
    }
    return held_;
  }

 private:
  bool lives(std::uint32_t slot) {
    if (slot < first_ || slot >= first_ + WordBuffer::kCapacity) {
      first_ = slot;
      const std::uint32_t count = std::min(indexed_ - first_ + 1, WordBuffer::kCapacity);
      error_ = read_words(file_.fd(), first_, count, words_);
    }
    return error_ == 0 && word_lives(words_[slot - first_]);
  }

  void visit(const HeldSlots& held, bool live_word) {
    ++held_;
    if (visitor_ == nullptr) return;
    HolderView holder;
    if (held.foreign) {
      describe_foreign(file_, held, holder);
    } else {
      describe_holder(file_, held.first, live_word, holder);
    }
    name_who_is_left(file_, holder, gathered_);
    visitor_->holder(holder);
  }

  LockFile& file_;
  Word* words_;  // of the slots from first_ on
  LockVisitor* visitor_;
  std::uint32_t first_ = kMaxSlots + 1;
  std::uint32_t indexed_ = 0;
  std::uint32_t held_ = 0;
  int error_ = 0;
  bool gathered_ = false;
};

struct Waiting {
  std::uint32_t queue;
  std::uint64_t ticket;
};

struct Inspection {
  WordBuffer words;
  LimitRoom limits;
};

// Every waiter whose record is still in the ring and whose ticket is still locked, queue by queue,
// in order.
void visit_waiters(LockFile& file, const RecordedLimit& limit, LockVisitor* visitor) {
  Run any;
  if (first_locked(file.fd(), kTicketBase, queue_start(kModeQueue + 1), any, os::LockKind::read) !=
          0 ||
      !any.found)
    return;
  static Waiting waiting[kWaiterRing];  // listing is for programs, which are single-threaded
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < kWaiterRing; ++i) {
    WaiterRecord record;
    if (!read_waiter(file.fd(), i, record)) continue;
    const std::int64_t byte = queue_start(record.queue) + static_cast<std::int64_t>(record.ticket);
    os::Conflict conflict;
    // A process that waited for this ticket may still have a read lock on it, and is not a waiter.
    if (os::query_lock(file.fd(), os::Owner::description, os::LockKind::read, {byte, 1},
                       conflict) != 0)
      continue;
    if (conflict.found && conflict.bytes.length == 1)
      waiting[count++] = {record.queue, record.ticket};
  }
  std::sort(waiting, waiting + count, [](const Waiting& a, const Waiting& b) {
    return a.queue != b.queue ? a.queue < b.queue : rule::is_before(a.ticket, b.ticket);
  });
  for (std::uint32_t i = 0; i < count; ++i) {
    WaiterRecord record;
    if (!read_waiter(file.fd(), waiting[i].ticket, record)) continue;
    WaiterView waiter;
    view_of(record, file.identity(), waiter);
    if (record.queue == kLimitQueue) waiter.max = limit.max;
    visitor->waiter(waiter);
  }
}

// A drained slot may lie beyond every slot that was ever used. Words that cannot be read are not
// drained.
void visit_drained(const LockFile& file, WordBuffer& buffer, LockVisitor* visitor) {
  for (std::uint32_t first = 1; first <= kMaxSlots; first += WordBuffer::kCapacity) {
    if (read_words(file.fd(), first, WordBuffer::kCapacity, buffer.words) != 0) return;
    for (std::uint32_t i = 0; i < WordBuffer::kCapacity; ++i) {
      if ((buffer.words[i].flags & kDrainedFlag) != 0) visitor->drained_slot(first + i);
    }
  }
}

LockVisitor::Header header_of(const LockFile& file, const RecordedLimit& limit) {
  const Header& stored = file.header();
  LockVisitor::Header header;
  header.exists = true;
  header.drained = stored.drained != 0;
  header.token = stored.token;
  header.limit = limit.max > 0 ? &limit : nullptr;
  header.last = {stamp_of(stored.start, file.identity()), stamp_of(stored.finish, file.identity()),
                 stamp_of(stored.success, file.identity())};
  return header;
}

}  // namespace

Result<Owned<Session>> LocalStore::open_for(const Request& request, OpenTo how) {
  Result<Owned<LocalSession>> session = open_session(request, how);
  if (!session.ok()) return session.error();
  return Owned<Session>(static_cast<Owned<LocalSession>&&>(session.value()));
}

// Opens the file itself: it cannot use the descriptor of a lease.
Result<std::uint32_t> LocalStore::inspect(const LockSpec& lock, const Instant&,
                                          LockVisitor* visitor) {
  LockFile file;
  Request rules;
  rules.trust_fs = true;  // looking grants nothing, so any filesystem will do
  rules.across = across_;
  const bool known = visitor != nullptr && visitor->holders_only();
  if (Status opened =
          file.open(lock, rules, known ? LockFile::Access::look_again : LockFile::Access::look);
      !opened.ok())
    return opened.error();
  if (!file.present()) {
    if (visitor != nullptr) visitor->header({});
    return std::uint32_t{0};
  }
  if (Status read = file.refresh(); !read.ok()) return read.error();
  const os::RoomFor<Inspection> room;
  if (room.get() == nullptr) return file.failure(Code::io, ENOMEM, "cannot read the lock file");
  RecordedLimit limit;
  bool limited = false;
  // Without a valid one, the holders are shown all the same.
  const Status read = read_limit(file, room.get()->limits.texts[0], limit, limited);
  if (visitor != nullptr) visitor->header(header_of(file, limit));
  const bool all = visitor != nullptr && !visitor->holders_only();
  if (all) visit_drained(file, room.get()->words, visitor);
  Result<std::uint32_t> held = Census(file, room.get()->words, visitor).take();
  if (held.ok() && all) visit_waiters(file, limit, visitor);
  if (held.ok() && !read.ok()) return read.error();
  return held;
}

}  // namespace atmost::local
