#include "nesting.h"

#include "os/machine.h"
#include "os/process.h"
#include "os/self.h"

namespace atmost::fleet {

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
