// Finds out if a caller would wait for itself: for slots that its own ancestors on this machine
// hold.
#ifndef ATMOST_STORE_FLEET_NESTING_H
#define ATMOST_STORE_FLEET_NESTING_H

#include <cstdint>
#include <string_view>

#include "core/request.h"
#include "core/text.h"

namespace atmost::fleet {

// Gets the holder of each slot of one lock, then gives the answer. A process in another pid
// namespace than the holder cannot see it as an ancestor.
class OwnTree {
 public:
  OwnTree();
  // From the holder's record. Reads /proc where host and boot are ours.
  void see(std::string_view host, std::uint64_t boot, std::int64_t pid, bool exclusive);
  // True if our ancestors hold so much that waiting would never end; one is enough when either side
  // is exclusive.
  bool blocks(const LockSpec& spec) const;

 private:
  Text<255> host_;
  std::uint64_t boot_;
  std::uint64_t slots_ = 0;
  bool exclusive_ = false;
};

}  // namespace atmost::fleet

#endif
