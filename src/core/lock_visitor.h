// The receiver of Store::inspect()'s findings.
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
  // True if only the header and the holders are wanted. For callers that have just opened the lock:
  // its directories are not examined again.
  virtual bool holders_only() const { return false; }
  virtual void header(const Header& header) = 0;
  virtual void drained_slot(std::uint32_t) {}  // before the holders
  virtual void holder(const HolderView& holder) = 0;
  virtual void waiter(const WaiterView& waiter) = 0;

 protected:
  ~LockVisitor() = default;
};

}  // namespace atmost

#endif
