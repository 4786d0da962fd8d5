// The locks of a request, as all stores of many machines see them.
#ifndef ATMOST_STORE_FLEET_LOCKS_H
#define ATMOST_STORE_FLEET_LOCKS_H

#include <cstdint>
#include <string_view>

#include "core/request.h"
#include "core/result.h"
#include "core/text.h"

namespace atmost::fleet {

// A lock's key: the part of its path behind the last slash.
std::string_view key_of(const LockSpec& lock);

// An error (usage) if the request has one lock twice.
Status check_distinct(const Request& request);

// Finds out if a caller would wait for itself: for slots that its own ancestors on this machine
// hold. Gets the holder of each slot of one lock, then gives the answer. A process in another pid
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
