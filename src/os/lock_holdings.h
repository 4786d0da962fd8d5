// The processes that have locked bytes of one file, from /proc: read once, then queried.
#ifndef ATMOST_OS_LOCK_HOLDINGS_H
#define ATMOST_OS_LOCK_HOLDINGS_H

#include <cstdint>

namespace atmost::os {

struct HeldRange {
  std::int64_t pid = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;  // the last byte
  bool write = false;
  bool description = false;
};

// About half a MiB, of which only the filled part is touched: meant to be static. An inherited
// description-owned lock has an entry for every process that has it. Locks that cannot be seen
// (those of other users' processes for ordinary users, of other pid namespaces, without /proc) are
// missing: unreadable() is true if that is possible.
class LockHoldings {
 public:
  // Milliseconds: every descriptor of every process is looked at.
  void gather(std::uint64_t device, std::uint64_t inode);

  std::uint32_t count() const { return count_; }
  const HeldRange& operator[](std::uint32_t at) const { return entries_[at]; }
  bool holds(std::int64_t pid, std::int64_t byte) const;
  bool anybody_holds(std::int64_t byte) const;
  bool unreadable() const { return unreadable_ > 0; }
  bool full() const { return full_; }

 private:
  static constexpr std::uint32_t kMost = 16384;
  class Gatherer;  // apart, so that this stays plain zeros until it is used

  HeldRange entries_[kMost];
  std::uint32_t count_ = 0;
  std::uint32_t unreadable_ = 0;
  bool full_ = false;
};

}  // namespace atmost::os

#endif
