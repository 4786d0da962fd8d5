// Locks in files (docs/lock-map.md).
#ifndef ATMOST_STORE_LOCAL_STORE_H
#define ATMOST_STORE_LOCAL_STORE_H

#include "core/store.h"

namespace atmost::local {

// Each lock is a file; sessions are apart from one another, in one process as in several
// (session.h). Any number of these are the same. inspect() is for programs with one thread.
class LocalStore final : public Store {
 public:
  const StoreTraits& traits() const override;
  Result<Owned<Session>> open(const Request& request) override;
  Result<std::uint32_t> inspect(const LockSpec& lock, const Instant& now,
                                LockVisitor* visitor) override;
  Status set_drained(const Request& request, std::uint32_t slot, bool drained) override;
  Result<bool> recall(const Request& request, LockStats& lock, DirectoryStats& directory) override;
  Status forget(const Request& request) override;
};

}  // namespace atmost::local

#endif
