#include "store.h"

#include <algorithm>
#include <cerrno>

#include "core/schemes.h"
#include "facts.h"
#include "listing.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/room.h"
#include "queue.h"
#include "ranges.h"
#include "rule/state.h"
#include "session.h"
#include "stats_file.h"

namespace atmost::local {
namespace {

// Visits every held slot; if a word shows a living supervisor, without a query to the kernel.
class Census {
 public:
  Census(LockFile& file, WordBuffer& buffer, LockVisitor* visitor)
      : file_(file), words_(buffer.words), visitor_(visitor) {}

  Result<std::uint32_t> take() {
    const std::uint32_t indexed = file_.indexed_slots();
    for (std::uint32_t first = 1; first <= indexed; first += WordBuffer::kCapacity) {
      const std::uint32_t count = std::min(indexed - first + 1, WordBuffer::kCapacity);
      if (const int error = read_words(file_.fd(), first, count, words_)) {
        return file_.failure(Code::io, error, "cannot read the lock file");
      }
      if (Status visited = visit_piece(first, count); !visited.ok()) return visited.error();
    }
    if (Status visited = visit_doubtful(indexed + 1, kMaxSlots); !visited.ok())
      return visited.error();
    return held_;
  }

 private:
  Status visit_piece(std::uint32_t first, std::uint32_t count) {
    std::uint32_t doubtful_from = first;
    for (std::uint32_t slot = first; slot < first + count; ++slot) {
      if (!file_.words_count() || !word_lives(words_[slot - first])) continue;
      if (Status visited = visit_doubtful(doubtful_from, slot - 1); !visited.ok()) return visited;
      visit(slot, true);
      doubtful_from = slot + 1;
    }
    return visit_doubtful(doubtful_from, first + count - 1);
  }

  Status visit_doubtful(std::uint32_t first, std::uint32_t last) {
    HeldSlots held;
    for (std::uint32_t slot = std::max(first, seen_ + 1); slot <= last; slot = held.last + 1) {
      if (const int error = next_held(file_, slot, last, held))
        return file_.failure(Code::io, error, "cannot query locks");
      if (!held.found) break;
      if (held.foreign) {
        visit_foreign(held);
      } else {
        visit(held.first, false);
      }
    }
    return {};
  }

  // It may reach into the next piece.
  void visit_foreign(const HeldSlots& held) {
    ++held_;
    seen_ = held.last;
    if (visitor_ == nullptr) return;
    HolderView holder;
    describe_foreign(file_, held, holder);
    name_who_is_left(file_, holder, gathered_);
    visitor_->holder(holder);
  }

  void visit(std::uint32_t slot, bool live_word) {
    ++held_;
    if (visitor_ == nullptr) return;
    HolderView holder;
    describe_holder(file_, slot, live_word, holder);
    name_who_is_left(file_, holder, gathered_);
    visitor_->holder(holder);
  }

  LockFile& file_;
  Word* words_;
  LockVisitor* visitor_;
  std::uint32_t held_ = 0;
  std::uint32_t seen_ = 0;  // the last slot of a foreign lock
  bool gathered_ = false;
};

struct Waiting {
  std::uint32_t queue;
  std::uint64_t ticket;
};

// Every waiter whose record is still in the ring and whose ticket is still locked, queue by queue,
// in order.
void visit_waiters(LockFile& file, LockVisitor* visitor) {
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
    return a.queue != b.queue ? a.queue < b.queue : a.ticket < b.ticket;
  });
  for (std::uint32_t i = 0; i < count; ++i) {
    WaiterRecord record;
    if (!read_waiter(file.fd(), waiting[i].ticket, record)) continue;
    WaiterView waiter;
    view_of(record, file.identity(), waiter);
    visitor->waiter(waiter);
  }
}

// A taker's note beside it stays.
int set_drained_flag(const LockFile& file, std::uint32_t slot, bool drained) {
  Word word;
  if (const int error = read_words(file.fd(), slot, 1, &word)) return error;
  const std::uint32_t flags = (word.flags & ~kDrainedFlag) | (drained ? kDrainedFlag : 0);
  return flags == word.flags ? 0 : write_flags(file.fd(), slot, flags);
}

// Resuming the whole lock resumes each slot.
void resume_slots(const LockFile& file) {
  for (std::uint32_t slot = 1; slot <= file.indexed_slots(); ++slot)
    (void)set_drained_flag(file, slot, false);
}

// `slot` 0: the whole lock. REQUIRES: guarded.
Status drain_or_resume(LockFile& file, std::uint32_t slot, bool drained) {
  if (Status indexed = file.raise_index(slot == 0 ? 1 : slot); !indexed.ok()) return indexed;
  if (slot == 0) file.header().drained = drained ? 1 : 0;
  ++file.header().flag_changes;
  if (Status saved = file.save_header(); !saved.ok()) return saved;
  if (slot == 0 && !drained) resume_slots(file);
  const int error = slot == 0 ? 0 : set_drained_flag(file, slot, drained);
  return error == 0 ? Status{} : file.failure(Code::io, error, "cannot write the lock file");
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

LockVisitor::Header header_of(const LockFile& file) {
  const Header& stored = file.header();
  LockVisitor::Header header;
  header.exists = true;
  header.drained = stored.drained != 0;
  header.token = stored.token;
  header.last = {stamp_of(stored.start, file.identity()), stamp_of(stored.finish, file.identity()),
                 stamp_of(stored.success, file.identity())};
  return header;
}

// Runs `change` on the guarded file's header and saves it.
template <class Change>
Status change_header(LockFile& file, const Request& request, LockFile::Access access,
                     Change change) {
  if (Status opened = file.open(request.locks[0], request, access); !opened.ok()) return opened;
  if (!file.present()) return {};
  Result<LockFile::Guarded> guarded = file.guard();
  if (!guarded.ok()) return guarded.error();
  if (guarded.value() == LockFile::Guarded::replaced)
    return file.failure(Code::io, 0, "was replaced just now; try again");
  if (guarded.value() == LockFile::Guarded::timeout) {
    Error busy = file.failure(Code::busy, 0, "its guard is held too long");
    if (const std::int64_t pid = guard_holder(file); pid > 0) {
      busy.message.append(" (by process ").append_signed(pid).append(", which may be stopped)");
    }
    return busy;
  }
  Status changed = change();
  // A full disk is known only then, if the file is on another machine.
  if (changed.ok() && file.identity().across) {
    if (const int error = os::sync_data(file.fd()))
      changed = file.failure(Code::io, error, "cannot write the lock file");
  }
  file.unguard();
  return changed;
}

}  // namespace

const StoreTraits& LocalStore::traits() const { return traits_of("file"); }

Result<Owned<Session>> LocalStore::open(const Request& request) {
  Result<Owned<LocalSession>> session = open_session(request);
  if (!session.ok()) return session.error();
  return Owned<Session>(static_cast<Owned<LocalSession>&&>(session.value()));
}

// Each of these functions opens the file itself: it cannot use the descriptor of a lease.
Result<std::uint32_t> LocalStore::inspect(const LockSpec& lock, const Instant&,
                                          LockVisitor* visitor) {
  LockFile file;
  OpenRules rules = kLooking;
  rules.across = across_;
  rules.directories_known = visitor != nullptr && visitor->holders_only();
  if (Status opened = file.open(lock, rules, LockFile::Access::look); !opened.ok())
    return opened.error();
  if (!file.present()) {
    if (visitor != nullptr) visitor->header({});
    return std::uint32_t{0};
  }
  if (Status read = file.refresh(); !read.ok()) return read.error();
  if (visitor != nullptr) visitor->header(header_of(file));
  const os::RoomFor<WordBuffer> words;
  if (words.get() == nullptr) return file.failure(Code::io, ENOMEM, "cannot read the lock file");
  const bool all = visitor != nullptr && !visitor->holders_only();
  if (all) visit_drained(file, *words.get(), visitor);
  Result<std::uint32_t> held = Census(file, *words.get(), visitor).take();
  if (held.ok() && all) visit_waiters(file, visitor);
  return held;
}

Status LocalStore::set_drained(const Request& request, std::uint32_t slot, bool drained) {
  if (slot > kMaxSlots) return error_of(Code::usage, 0, "no such slot");
  LockFile file;
  // Draining creates a lock that does not exist: so a lock can be closed before its first use.
  const auto access = drained ? LockFile::Access::create : LockFile::Access::modify;
  return change_header(file, request, access, [&] { return drain_or_resume(file, slot, drained); });
}

Status LocalStore::forget(const Request& request) {
  LockFile file;
  return change_header(file, request, LockFile::Access::modify, [&]() -> Status {
    const rule::State before = state_of(file);
    rule::State state = before;
    rule::forget(state);
    put_state(before, state, file);
    if (const int error = erase_memory(file.fd()))
      return file.failure(Code::io, error, "cannot write the lock file");
    return file.save_header();
  });
}

Result<StatsKept> LocalStore::recall(const Request& request, LockStats& lock,
                                     DirectoryStats& directory) {
  LockFile file;
  lock = {};
  directory = {};
  if (Status opened = file.open(request.locks[0], request, LockFile::Access::look); !opened.ok())
    return opened.error();
  // The directory has statistics even if the lock was never used.
  if (file.present()) {
    if (Status read = file.refresh(); !read.ok()) return read.error();
  }
  const int fd = file.present() ? file.fd() : -1;
  local::recall(fd, request.locks[0].path, lock, directory);
  return fd < 0 || is_ours_alone(fd) ? StatsKept::kept : StatsKept::others_may_write;
}

}  // namespace atmost::local
