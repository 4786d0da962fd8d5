#include "locks.h"

#include "os/process.h"
#include "os/self.h"

namespace atmost::fleet {

std::string_view key_of(const LockSpec& lock) {
  const std::string_view path = lock.path;
  return path.substr(path.rfind('/') + 1);
}

Status check_distinct(const Request& request) {
  for (std::uint32_t i = 1; i < request.lock_count; ++i) {
    for (std::uint32_t j = 0; j < i; ++j) {
      if (key_of(request.locks[i]) != key_of(request.locks[j])) continue;
      Error twice = error_of(Code::usage, 0, request.locks[i].name);
      twice.message.append(": the same lock twice: leave one of them out");
      return twice;
    }
  }
  return {};
}

OwnTree::OwnTree() : host_(os::host_name()), boot_(os::boot_hash()) {}

void OwnTree::see(std::string_view host, std::uint64_t boot, std::int64_t pid, bool exclusive) {
  const bool here = boot_ != 0 && boot == boot_ && host == host_.view();
  if (!here || !os::is_ancestor(pid)) return;
  ++slots_;
  exclusive_ = exclusive_ || exclusive;
}

bool OwnTree::blocks(const LockSpec& spec) const {
  if (slots_ == 0) return false;
  return exclusive_ || spec.mode == Mode::exclusive || slots_ + spec.take > spec.max;
}

}  // namespace atmost::fleet
