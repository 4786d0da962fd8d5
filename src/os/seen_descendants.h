// The processes seen below those that a takeover stops, to name the ones that outlive it. It
// signals none of them.
#ifndef ATMOST_OS_SEEN_DESCENDANTS_H
#define ATMOST_OS_SEEN_DESCENDANTS_H

#include <cstdint>
#include <span>

namespace atmost::os {

class SeenDescendants {
 public:
  void clear() { count_ = 0; }
  // A process and its start on the boot clock (ProcessFacts). Of more than 256 the later ones are
  // not remembered.
  void add(std::int64_t pid, std::int64_t start_boot_ns);
  bool have(std::int64_t pid, std::int64_t start_boot_ns) const;

  // The number of them that run, and of those that carry one of `marks` (is_marked()) in
  // `variable`; the pids of the first. Reads /proc: milliseconds. This process and its ancestors do
  // not count.
  std::uint32_t alive(const char* variable, std::span<const std::uint64_t> marks,
                      std::span<std::int64_t> to) const;

 private:
  static constexpr std::uint32_t kMost = 256;
  struct Member {
    std::int64_t pid;
    std::int64_t start_boot_ns;
  };
  Member members_[kMost] = {};
  std::uint32_t count_ = 0;
};

}  // namespace atmost::os

#endif
