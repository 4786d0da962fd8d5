#include "seen_descendants.h"

#include "environment_mark.h"
#include "process.h"
#include "self.h"

namespace atmost::os {
namespace {

bool carries(std::int64_t pid, const char* variable, std::span<const std::uint64_t> marks) {
  for (const std::uint64_t mark : marks) {
    const bool possible = mark > 0 && mark <= INT64_MAX;
    if (possible && is_marked(pid, variable, static_cast<std::int64_t>(mark))) return true;
  }
  return false;
}

class Census final : public ProcessVisitor {
 public:
  Census(const SeenDescendants& seen, const char* variable, std::span<const std::uint64_t> marks,
         std::span<std::int64_t> to)
      : seen_(seen), variable_(variable), marks_(marks), to_(to) {}

  bool process(std::int64_t pid, const ProcessFacts& facts) override {
    if (facts.ended()) return true;
    if (!seen_.have(pid, facts.start_boot_ns) && !carries(pid, variable_, marks_)) return true;
    if (pid == process_id() || is_ancestor(pid)) return true;
    if (count < to_.size()) to_[count] = pid;
    ++count;
    return true;
  }
  std::uint32_t count = 0;

 private:
  const SeenDescendants& seen_;
  const char* const variable_;
  std::span<const std::uint64_t> marks_;
  std::span<std::int64_t> to_;
};

}  // namespace

void SeenDescendants::add(std::int64_t pid, std::int64_t start_boot_ns) {
  if (count_ < kMost && !have(pid, start_boot_ns)) members_[count_++] = {pid, start_boot_ns};
}

bool SeenDescendants::have(std::int64_t pid, std::int64_t start_boot_ns) const {
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (members_[i].pid == pid && members_[i].start_boot_ns == start_boot_ns) return true;
  }
  return false;
}

std::uint32_t SeenDescendants::alive(const char* variable, std::span<const std::uint64_t> marks,
                                     std::span<std::int64_t> to) const {
  Census census(*this, variable, marks, to);
  (void)each_process(census);
  return census.count;
}

}  // namespace atmost::os
