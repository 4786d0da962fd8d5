// Locks in files (docs/internals/lock-map.md).
#ifndef ATMOST_STORE_LOCAL_STORE_H
#define ATMOST_STORE_LOCAL_STORE_H

#include "core/schemes.h"
#include "core/store.h"

namespace atmost::local {

// Each lock is a file. Sessions exclude one another, in one process as in several (session.h). Has
// no state: any number of these are equivalent. inspect() is for programs with one thread.
class LocalStore final : public Store {
 public:
  // `across`: several machines use the files (Request::across).
  explicit constexpr LocalStore(bool across = false) : Store(traits_of("file")), across_(across) {}
  Result<Owned<Session>> open_for(const Request& request, OpenTo how) override;
  Result<std::uint32_t> inspect(const LockSpec& lock, const Instant& now,
                                LockVisitor* visitor) override;

 private:
  const bool across_;
};

// Asks the keeper that was last admitted to the lock for process `kept_for` to release it, and
// returns when it has: true. False: nothing is kept for that process here. `kept_for_start_ns`:
// when that process started; 0: it has ended, and any process of that number is meant. Only a
// keeper that is proven to hold the slot is asked; another user's cannot be, unless by root
// (not_permitted). Blocks for at most ten seconds (busy).
Result<bool> let_go(const LockSpec& lock, std::int64_t kept_for, std::int64_t kept_for_start_ns,
                    std::int64_t at_real_ns);

}  // namespace atmost::local

#endif
