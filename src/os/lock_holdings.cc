#include "lock_holdings.h"

#include "process.h"

namespace atmost::os {

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
