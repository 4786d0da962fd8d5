#include "family.h"

#include "os/environment_mark.h"
#include "os/process.h"
#include "os/self.h"

namespace atmost::local {
namespace {

// Set by limiter/ in every command's environment, and inherited by what that starts and leaves
// behind.
constexpr const char* kTokenVariable = "ATMOST_TOKEN";

bool carries(std::int64_t pid, std::span<const std::uint64_t> tokens) {
  for (const std::uint64_t token : tokens) {
    const bool possible = token > 0 && token <= INT64_MAX;
    if (possible && os::is_marked(pid, kTokenVariable, static_cast<std::int64_t>(token)))
      return true;
  }
  return false;
}

class Census final : public os::ProcessVisitor {
 public:
  Census(const Family& family, std::span<const std::uint64_t> tokens, std::span<std::int64_t> to)
      : family_(family), tokens_(tokens), to_(to) {}

  bool process(std::int64_t pid, const os::ProcessFacts& facts) override {
    if (facts.ended() || !(family_.knows(pid, facts.start_boot_ns) || carries(pid, tokens_)))
      return true;
    if (pid == os::process_id() || os::is_ancestor(pid)) return true;
    if (count < to_.size()) to_[count] = pid;
    ++count;
    return true;
  }
  std::uint32_t count = 0;

 private:
  const Family& family_;
  std::span<const std::uint64_t> tokens_;
  std::span<std::int64_t> to_;
};

}  // namespace

bool Family::knows(std::int64_t pid, std::int64_t start_boot_ns) const {
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (members_[i].pid == pid && members_[i].start_boot_ns == start_boot_ns) return true;
  }
  return false;
}

void Family::add(std::int64_t pid, std::int64_t start_boot_ns) {
  if (count_ < kMost && !knows(pid, start_boot_ns)) members_[count_++] = {pid, start_boot_ns};
}

std::uint32_t Family::alive(std::span<const std::uint64_t> tokens,
                            std::span<std::int64_t> to) const {
  Census census(*this, tokens, to);
  (void)os::each_process(census);
  return census.count;
}

}  // namespace atmost::local
