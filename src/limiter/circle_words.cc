// A circle that was found, as a number to compare and as words.
#include "circle_scan.h"

namespace atmost::limiter {

using policy::kNobody;

std::uint64_t CircleScan::fingerprint(const policy::Stuck& circle) const {
  std::uint64_t sum = 0;
  const auto add = [&sum](std::uint64_t value) {
    sum = (sum ^ value) * 0x9E37'79B9'7F4A'7C15;  // 2^64 divided by the golden ratio
    sum ^= sum >> 29;
  };
  for (std::uint32_t i = 0; i < hold_count_; ++i) {
    if (!circle.holds[i]) continue;
    add(held_[i].hold);
    for (std::uint32_t p = 0; p < process_count_; ++p) {
      if (!policy::is_in_tree(facts(), static_cast<std::int32_t>(p), holds_[i])) continue;
      add(static_cast<std::uint64_t>(seen_[p].pid));
      add(static_cast<std::uint64_t>(seen_[p].start_boot_ns));
      add(static_cast<std::uint64_t>(seen_[p].cpu_ns));
    }
  }
  for (std::uint32_t i = 0; i < waiter_count_; ++i) {
    if (circle.waiters[i]) add(waiters_[i].ticket);
  }
  return sum;
}

// Without the directory if it is that of the asker's lock.
void CircleScan::append_lock(std::uint32_t lock, CircleWords& to) const {
  std::string_view path = locks_[lock].path;
  const std::string_view own = locks_[0].path;
  const std::size_t folder = own.rfind('/') + 1;
  const bool beside = path.rfind('/') + 1 == folder &&
                      std::string_view(path.data(), folder) == std::string_view(own.data(), folder);
  if (beside) path.remove_prefix(folder);
  constexpr std::string_view kSuffix = ".lock";
  const std::size_t size = path.size() - (path.size() > kSuffix.size() ? kSuffix.size() : 0);
  const bool named = beside && std::string_view(path.data() + size, path.size() - size) == kSuffix;
  to.append(named ? std::string_view(path.data(), size) : path);
}

void CircleScan::describe(const policy::Stuck& circle, CircleWords& to) const {
  bool first = true;
  for (std::uint32_t i = 0; i < hold_count_; ++i) {
    if (!circle.holds[i]) continue;
    to.append(first ? "" : "; ").append(held_[i].command).append(" (process ");
    to.append_signed(held_[i].pid).append(") holds ");
    append_lock(holds_[i].lock, to);
    first = false;
    bool any = false;
    for (std::uint32_t p = 0; p < process_count_; ++p) {
      const std::int32_t waiter = processes_[p].waiter;
      if (waiter == kNobody || !circle.waiters[waiter] ||
          !policy::is_in_tree(facts(), static_cast<std::int32_t>(p), holds_[i]))
        continue;
      to.append(any ? " and for " : " and waits for ");
      append_lock(waiters_[waiter].lock, to);
      any = true;
    }
  }
}

}  // namespace atmost::limiter
