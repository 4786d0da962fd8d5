#include "locks.h"

#include <algorithm>
#include <cerrno>

namespace world {
namespace {

bool overlap(const ByteLock& a, const ByteLock& b) {
  return a.first <= b.last && b.first <= a.last;
}

bool overlap_or_touch(const ByteLock& a, const ByteLock& b) {
  return a.first - (a.first > 0) <= b.last && b.first - (b.first > 0) <= a.last;
}

bool in_conflict(const ByteLock& a, const ByteLock& b) {
  return overlap(a, b) && (a.write || b.write) && a.owner != b.owner;
}

bool is_query(int command) { return command == F_GETLK || command == F_OFD_GETLK; }

bool is_for_description(int command) {
  return command == F_OFD_GETLK || command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

int read_bytes(const LockFile& file, const struct flock& asked, ByteLock& to) {
  std::int64_t from = 0;
  if (asked.l_whence == SEEK_CUR) {
    from = file.offset;
  } else if (asked.l_whence == SEEK_END) {
    from = file.size;
  } else if (asked.l_whence != SEEK_SET) {
    return EINVAL;
  }
  if (asked.l_start > kLastByte - from) return EOVERFLOW;
  from += asked.l_start;
  if (from < 0) return EINVAL;
  if (asked.l_len > 0) {
    if (asked.l_len - 1 > kLastByte - from) return EOVERFLOW;
    to.first = from;
    to.last = from + (asked.l_len - 1);
  } else if (asked.l_len < 0) {
    if (from + asked.l_len < 0) return EINVAL;
    to.first = from + asked.l_len;
    to.last = from - 1;
  } else {
    to.first = from;
    to.last = kLastByte;
  }
  return 0;
}

// Follows the owners from whom a caller would wait, as far as all of them wait.
class DeadlockSearch {
 public:
  DeadlockSearch(std::span<const ByteLocks* const> all, const LockOwner& caller)
      : all_(all), caller_(caller) {}

  Deadlock from(const ByteLocks& here, const ByteLock& want, int owners) {
    bool always = true;
    bool ever = false;
    for (const ByteLock& held : here.all()) {
      if (!in_conflict(held, want)) continue;
      // The kernel does not look for a request that waits behind a description's lock.
      if (owners > 0 && held.owner.description) always = false;
      const Deadlock found =
          held.owner == caller_ ? Deadlock::certain : through(held.owner, owners);
      ever = ever || found != Deadlock::no;
      always = always && found == Deadlock::certain;
    }
    return !ever ? Deadlock::no : always ? Deadlock::certain : Deadlock::perhaps;
  }

 private:
  static constexpr int kMostOwners = 11;

  // The requests of `owner`; several at once only of a description, or of a process's threads.
  Deadlock through(const LockOwner& owner, int owners) {
    if (owners >= kMostOwners) return Deadlock::no;
    Deadlock found = Deadlock::no;
    int requests = 0;
    for (const ByteLocks* inode : all_) {
      for (const Blocked& blocked : inode->blocked()) {
        if (blocked.want.owner != owner) continue;
        const Deadlock next = from(*inode, blocked.want, owners + 1);
        // It may wait behind the request of a description, too.
        found = std::max(found, waits_behind_description(*inode, blocked)
                                    ? std::min(next, Deadlock::perhaps)
                                    : next);
        ++requests;
      }
    }
    return requests > 1 ? std::min(found, Deadlock::perhaps) : found;
  }

  static bool waits_behind_description(const ByteLocks& inode, const Blocked& waiter) {
    return std::ranges::any_of(inode.blocked(), [&](const Blocked& other) {
      return other.want.owner.description && in_conflict(other.want, waiter.want);
    });
  }

  std::span<const ByteLocks* const> all_;
  LockOwner caller_;
};

}  // namespace

std::size_t ByteLocks::count_conflicts(const ByteLock& want) const {
  std::size_t count = 0;
  for (const ByteLock& held : locks_) {
    if (held.first > want.last) break;
    count += in_conflict(held, want);
  }
  return count;
}

const ByteLock* ByteLocks::conflict(const ByteLock& want, std::size_t index) const {
  for (const ByteLock& held : locks_) {
    if (held.first > want.last) break;
    if (in_conflict(held, want) && index-- == 0) return &held;
  }
  return nullptr;
}

void ByteLocks::insert(const ByteLock& lock) {
  locks_.insert(std::ranges::upper_bound(locks_, lock.first, {}, &ByteLock::first), lock);
}

// An owner's locks never overlap: at most one of them ends behind the bytes.
void ByteLocks::give_back(const ByteLock& bytes) {
  std::optional<ByteLock> behind;
  auto kept = locks_.begin();
  for (ByteLock held : locks_) {
    if (held.owner == bytes.owner && overlap(held, bytes)) {
      if (held.last > bytes.last) {
        behind = held;
        behind->first = bytes.last + 1;
      }
      if (held.first >= bytes.first) continue;
      held.last = bytes.first - 1;
    }
    *kept++ = held;
  }
  locks_.erase(kept, locks_.end());
  if (behind) insert(*behind);
}

void ByteLocks::lock(const ByteLock& lock) {
  if (holds(lock)) return;
  give_back(lock);
  ByteLock whole = lock;
  std::erase_if(locks_, [&](const ByteLock& held) {
    if (held.owner != lock.owner || held.write != lock.write || !overlap_or_touch(held, lock)) {
      return false;
    }
    whole.first = std::min(whole.first, held.first);
    whole.last = std::max(whole.last, held.last);
    return true;
  });
  insert(whole);
  ++changes_;
}

void ByteLocks::unlock(const ByteLock& bytes) {
  give_back(bytes);
  ++changes_;
}

void ByteLocks::drop(const LockOwner& owner) {
  if (std::erase_if(locks_, [&](const ByteLock& held) { return held.owner == owner; }) > 0) {
    ++changes_;
  }
}

bool ByteLocks::holds(const ByteLock& lock) const {
  return std::ranges::any_of(locks_, [&](const ByteLock& held) {
    return held.owner == lock.owner && held.write == lock.write && held.first <= lock.first &&
           held.last >= lock.last;
  });
}

void ByteLocks::unblock(int caller) {
  std::erase_if(blocked_, [&](const Blocked& blocked) { return blocked.caller == caller; });
}

Deadlock find_deadlock(std::span<const ByteLocks* const> all, const ByteLocks& here,
                       const ByteLock& want) {
  if (want.owner.description) return Deadlock::no;
  return DeadlockSearch(all, want.owner).from(here, want, 0);
}

int read_request(int process, const LockFile& file, int command, const struct flock& asked,
                 LockRequest& to) {
  const bool query = is_query(command);
  if (query && asked.l_type != F_RDLCK && asked.l_type != F_WRLCK) return EINVAL;
  if (const int error = read_bytes(file, asked, to.lock); error != 0) return error;
  if (asked.l_type != F_RDLCK && asked.l_type != F_WRLCK && asked.l_type != F_UNLCK) return EINVAL;
  if (!query && asked.l_type == F_RDLCK && !file.readable) return EBADF;
  if (!query && asked.l_type == F_WRLCK && !file.writable) return EBADF;
  const bool description = is_for_description(command);
  if (description && asked.l_pid != 0) return EINVAL;
  to.lock.owner = {description, description ? file.description : process};
  to.lock.write = asked.l_type == F_WRLCK;
  to.kind = query                     ? LockRequest::Kind::query
            : asked.l_type == F_UNLCK ? LockRequest::Kind::unlock
                                      : LockRequest::Kind::lock;
  to.waits = command == F_SETLKW || command == F_OFD_SETLKW;
  return 0;
}

void write_answer(const ByteLock* conflict, struct flock& answer) {
  if (conflict == nullptr) {
    answer.l_type = F_UNLCK;
    return;
  }
  answer.l_type = static_cast<short>(conflict->write ? F_WRLCK : F_RDLCK);
  answer.l_whence = SEEK_SET;
  answer.l_start = conflict->first;
  answer.l_len = conflict->last == kLastByte ? 0 : conflict->last - conflict->first + 1;
  answer.l_pid = conflict->owner.description ? -1 : conflict->owner.id;
}

ByteLock flock_lock(int description, bool write) {
  return {{true, description}, write, 0, kLastByte};
}

}  // namespace world
