#include "holdings.h"

#include "os/process.h"

namespace atmost::local {

class Holdings::Gatherer final : public os::ProcessVisitor, public os::LockLineVisitor {
 public:
  Gatherer(Holdings& to, const Identity& identity) : to_(to), identity_(identity) {}

  bool process(std::int64_t pid, const os::ProcessFacts&) override {
    pid_ = pid;
    first_ = to_.count_;
    if (os::each_lock(pid, identity_.device, identity_.inode, *this) == os::Holding::unreadable)
      ++to_.unreadable_;
    return !to_.full_;
  }

  void lock(const os::LockLine& line) override {
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
  Holdings& to_;
  const Identity& identity_;
  std::int64_t pid_ = 0;
  std::uint32_t first_ = 0;  // of this process's entries
};

void Holdings::gather(const Identity& identity) {
  count_ = unreadable_ = 0;
  full_ = false;
  Gatherer gatherer(*this, identity);
  if (os::each_process(gatherer) != 0) ++unreadable_;
}

bool Holdings::holds(std::int64_t pid, std::int64_t byte) const {
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (entries_[i].pid == pid && entries_[i].start <= byte && byte <= entries_[i].end) return true;
  }
  return false;
}

bool Holdings::anybody_holds(std::int64_t byte) const {
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (entries_[i].start <= byte && byte <= entries_[i].end) return true;
  }
  return false;
}

}  // namespace atmost::local
