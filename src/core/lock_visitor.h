// What Store::inspect() reports to.
#ifndef ATMOST_LOCK_VISITOR_H
#define ATMOST_LOCK_VISITOR_H

#include <cstdint>

#include "core/view.h"

namespace atmost {

// The views are valid during the call only.
class LockVisitor {
 public:
  struct Header {
    bool exists = false;
    bool drained = false;
    std::uint64_t token = 0;
    LastAdmission last;
  };
  virtual void header(const Header& header) = 0;
  virtual void drained_slot(std::uint32_t) {}  // before the holders
  virtual void holder(const HolderView& holder) = 0;
  virtual void waiter(const WaiterView& waiter) = 0;

 protected:
  ~LockVisitor() = default;
};

}  // namespace atmost

#endif
