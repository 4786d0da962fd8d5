// The byte locks of one inode as Linux keeps them (fcntl_locking(2)), without processes,
// descriptors or time; compare_locks.cc compares it with the real kernel.
//
// Owners are open file descriptions (F_OFD_*) and processes (F_SETLK, F_SETLKW). The model does
// not know when either ends. The caller drops a process's locks at every close of the file by that
// process, whichever descriptor it closes, and a description's locks with its last descriptor. A
// forked child is a new owner without locks; an exec changes no owner.
//
// A conflict is a lock of another owner on a common byte, if one of both is for writing. An owner
// has at most one lock on a byte; its neighbouring locks of one kind are one lock.
#ifndef ATMOST_TESTS_WORLD_LOCKS_H
#define ATMOST_TESTS_WORLD_LOCKS_H

#include <fcntl.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace world {

inline constexpr std::int64_t kLastByte = std::numeric_limits<std::int64_t>::max();

struct LockOwner {
  bool description = false;  // else a process
  int id = 0;                // of the description, or the pid
  bool operator==(const LockOwner&) const = default;
};

struct ByteLock {
  LockOwner owner;
  bool write = false;
  std::int64_t first = 0;
  std::int64_t last = kLastByte;  // included
  bool operator==(const ByteLock&) const = default;
};

// A caller blocked in F_SETLKW, F_OFD_SETLKW or flock(2).
struct Blocked {
  int caller = 0;
  ByteLock want;
};

class ByteLocks {
 public:
  // True if `want` has a conflict.
  bool refuses(const ByteLock& want) const { return conflict(want, 0) != nullptr; }
  // The conflicts of `want`, by first byte: their number, and the one at `index` (nullptr beyond
  // the last), until the next change. F_GETLK may answer any of them.
  std::size_t count_conflicts(const ByteLock& want) const;
  const ByteLock* conflict(const ByteLock& want, std::size_t index) const;

  // Takes the bytes, and converts those that the owner has. REQUIRES: !refuses(lock).
  void lock(const ByteLock& lock);
  // Gives back those of the bytes that the owner has; `write` is not read.
  void unlock(const ByteLock& bytes);
  // Gives back all that the owner has.
  void drop(const LockOwner& owner);
  // True if the owner has exactly this kind of lock on all of the bytes.
  bool holds(const ByteLock& lock) const;

  // All locks by first byte, until the next change.
  std::span<const ByteLock> all() const { return locks_; }
  // Rises with every change of all().
  std::uint64_t changes() const { return changes_; }

  // Blocked callers. Each whose want is not refused may be the next to run, in any order; another
  // caller may take the bytes before. A sleeper that runs asks refuses() again, and either stays or
  // is removed and locks. A caller is here at most once.
  void block(int caller, const ByteLock& want) { blocked_.push_back({caller, want}); }
  void unblock(int caller);
  std::span<const Blocked> blocked() const { return blocked_; }

 private:
  void give_back(const ByteLock& bytes);
  void insert(const ByteLock& lock);

  std::vector<ByteLock> locks_;  // by first byte
  std::vector<Blocked> blocked_;
  std::uint64_t changes_ = 0;
};

// True if a caller that would block for `want` on `here` gets EDEADLK instead; `all` are the byte
// locks of all inodes, `here` among them. Never for a description. The kernel follows one conflict
// of several and at most eleven owners, hence `perhaps`.
enum class Deadlock { no, perhaps, certain };
Deadlock find_deadlock(std::span<const ByteLocks* const> all, const ByteLocks& here,
                       const ByteLock& want);

// The part of a descriptor's description that fcntl(2) looks at.
struct LockFile {
  int description = 0;
  bool readable = false;
  bool writable = false;
  std::int64_t offset = 0;
  std::int64_t size = 0;
};

struct LockRequest {
  enum class Kind { lock, unlock, query };
  Kind kind = Kind::query;
  bool waits = false;
  ByteLock lock;
};

// The request of fcntl(descriptor, command, &asked); `command` is one of the six for locks. 0,
// EINVAL (type, whence, a first byte below 0, l_pid of F_OFD_*), EOVERFLOW (beyond kLastByte) or
// EBADF (not open for that kind of lock). The query of own locks by F_OFD_GETLK with F_UNLCK, which
// only newer kernels answer, is EINVAL.
int read_request(int process, const LockFile& file, int command, const struct flock& asked,
                 LockRequest& to);
// F_GETLK's answer: changes l_type alone if there is no conflict.
void write_answer(const ByteLock* conflict, struct flock& answer);

// flock(2) keeps locks of its own: a second ByteLocks for the inode, with locks of this form only.
// It does nothing if the description holds() that lock. Else it drops what the description has,
// then asks as F_OFD_SETLK does: others may run between, and a refusal finds the old lock gone. A
// blocked caller begins anew with all of this each time that it runs.
ByteLock flock_lock(int description, bool write);

}  // namespace world

#endif
