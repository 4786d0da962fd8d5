// Who was seen below the holders of a slot that is taken over: to name those who outlive them.
// Nothing is signalled by it.
#ifndef ATMOST_STORE_LOCAL_FAMILY_H
#define ATMOST_STORE_LOCAL_FAMILY_H

#include <cstdint>
#include <span>

namespace atmost::local {

class Family {
 public:
  void clear() { count_ = 0; }
  // A process and its start on the boot clock (os::ProcessFacts). Of more than 256 the later ones
  // are not remembered.
  void add(std::int64_t pid, std::int64_t start_boot_ns);

  // How many of them run, and of those that carry one of `tokens` in their environment; the pids of
  // the first. Reads /proc: milliseconds. This process and its ancestors do not count.
  std::uint32_t alive(std::span<const std::uint64_t> tokens, std::span<std::int64_t> to) const;

  bool knows(std::int64_t pid, std::int64_t start_boot_ns) const;

 private:
  static constexpr std::uint32_t kMost = 256;
  struct Member {
    std::int64_t pid;
    std::int64_t start_boot_ns;
  };
  Member members_[kMost] = {};
  std::uint32_t count_ = 0;
};

}  // namespace atmost::local

#endif
