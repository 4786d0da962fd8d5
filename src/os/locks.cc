#include "locks.h"

#include <unistd.h>

#include <cerrno>

#include "calls.h"
#include "clock.h"
#include "platform.h"

namespace atmost::os {
namespace {

struct flock range_of(short type, Bytes bytes) {
  struct flock range = {};  // l_pid must be 0 for description-owned locks, else EINVAL
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(bytes.start);
  range.l_len = static_cast<off_t>(bytes.length);
  return range;
}

// Tries again after a signal. POSIX allows either error when another owner's lock is in the way.
int call(int fd, int command, struct flock& range) {
  int error;
  do {
    error = calls.lock(fd, command, &range) == 0 ? 0 : errno;
  } while (error == EINTR);
  return error == EACCES ? EAGAIN : error;
}

}  // namespace

bool has_description_locks() { return platform::kDescriptionSet != F_SETLK; }

int try_lock(int fd, Owner owner, LockKind kind, Bytes bytes) {
  struct flock range = range_of(static_cast<short>(kind), bytes);
  return call(fd, owner == Owner::description ? platform::kDescriptionSet : F_SETLK, range);
}

int wait_lock(int fd, Owner owner, LockKind kind, Bytes bytes) {
  struct flock range = range_of(static_cast<short>(kind), bytes);
  const int command = owner == Owner::description ? platform::kDescriptionWait : F_SETLKW;
  return calls.lock(fd, command, &range) == 0 ? 0 : errno;
}

int unlock(int fd, Owner owner, Bytes bytes) {
  struct flock range = range_of(F_UNLCK, bytes);
  return call(fd, owner == Owner::description ? platform::kDescriptionSet : F_SETLK, range);
}

int query_lock(int fd, Owner owner, LockKind kind, Bytes bytes, Conflict& to) {
  struct flock range = range_of(static_cast<short>(kind), bytes);
  const int command = owner == Owner::description ? platform::kDescriptionQuery : F_GETLK;
  if (const int error = call(fd, command, range)) return error;
  to.found = range.l_type != F_UNLCK;
  to.write = range.l_type == F_WRLCK;
  to.bytes = {static_cast<std::int64_t>(range.l_start), static_cast<std::int64_t>(range.l_len)};
  to.pid = range.l_pid;
  return 0;
}

namespace {

// Where programs hardly ever read or write, below what any filesystem of ours takes.
constexpr std::int64_t kLowest = std::int64_t{1} << 40;

}  // namespace

std::int64_t mark_descriptor(int fd) {
  // Begun at another place in each process, so far above the lowest that it is never reached.
  static std::int64_t last = 0;
  std::int64_t none = 0;
  const std::int64_t first = kLowest + kLowest / 4 + (boot_ns() & (kLowest / 4 - 1));
  (void)__atomic_compare_exchange_n(&last, &none, first, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  const std::int64_t mark = __atomic_sub_fetch(&last, 1, __ATOMIC_RELAXED);
  return copy_mark(fd, mark) ? mark : 0;
}

bool copy_mark(int fd, std::int64_t mark) {
  return calls.seek(fd, static_cast<off_t>(mark), SEEK_SET) == mark;
}

Marked marked(int fd, std::int64_t mark) {
  const std::int64_t at = calls.seek(fd, 0, SEEK_CUR);
  if (at < kLowest) return Marked::none;
  return at == mark ? Marked::so : Marked::otherwise;
}

int try_flock(int fd, LockKind kind) {
  const int operation =
      kind == LockKind::write ? platform::kFlockExclusive : platform::kFlockShared;
  int error;
  do {
    error = calls.flock(fd, operation | platform::kFlockNoWait) == 0 ? 0 : errno;
  } while (error == EINTR);
  return error == EWOULDBLOCK ? EAGAIN : error;
}

int drop_flock(int fd) { return calls.flock(fd, platform::kFlockUnlock) == 0 ? 0 : errno; }

bool flock_above(std::int64_t pid, std::uint64_t device, std::uint64_t inode) {
  while (pid > 1) {
    if (holds_flock(pid, device, inode) == Holding::yes) return true;
    ProcessFacts facts;
    if (process_facts(pid, facts) != 0) return false;
    pid = facts.parent;
  }
  return false;
}

namespace {

class Finder final : public FlockVisitor {
 public:
  Finder(std::uint64_t device, std::uint64_t inode, LockLine& to)
      : device_(device), inode_(inode), to_(to) {}
  bool flock(const LockLine& line) override {
    found = is_about(line, device_, inode_);
    if (found) to_ = line;
    return !found;
  }
  bool found = false;

 private:
  const std::uint64_t device_;
  const std::uint64_t inode_;
  LockLine& to_;
};

}  // namespace

bool find_flock(std::uint64_t device, std::uint64_t inode, LockLine& to) {
  Finder finder(device, inode, to);
  return each_flock(finder) == 0 && finder.found;
}

class LockHoldings::Gatherer final : public ProcessVisitor, public LockLineVisitor {
 public:
  Gatherer(LockHoldings& to, std::uint64_t device, std::uint64_t inode)
      : to_(to), device_(device), inode_(inode) {}

  bool process(std::int64_t pid, const ProcessFacts&) override {
    pid_ = pid;
    first_ = to_.count_;
    if (each_lock(pid, device_, inode_, *this) == Holding::unreadable) ++to_.unreadable_;
    return !to_.full_;
  }

  void lock(const LockLine& line) override {
    for (std::uint32_t i = first_; i < to_.count_;
         ++i) {  // shown before through a duplicate of the descriptor
      if (to_.entries_[i].start == line.start && to_.entries_[i].end == line.end) return;
    }
    if (to_.count_ == kMost) {
      to_.full_ = true;
      return;
    }
    to_.entries_[to_.count_++] = {pid_, line.start, line.end, line.write, line.description};
  }

 private:
  LockHoldings& to_;
  const std::uint64_t device_, inode_;
  std::int64_t pid_ = 0;
  std::uint32_t first_ = 0;  // of this process's entries
};

void LockHoldings::gather(std::uint64_t device, std::uint64_t inode) {
  count_ = unreadable_ = 0;
  full_ = false;
  Gatherer gatherer(*this, device, inode);
  if (each_process(gatherer) != 0) ++unreadable_;
}

bool LockHoldings::holds(std::int64_t pid, std::int64_t byte) const {
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (entries_[i].pid == pid && entries_[i].start <= byte && byte <= entries_[i].end) return true;
  }
  return false;
}

bool LockHoldings::anybody_holds(std::int64_t byte) const {
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (entries_[i].start <= byte && byte <= entries_[i].end) return true;
  }
  return false;
}

}  // namespace atmost::os
