// Locks as symbolic links, in the format of the shell function lock_unlock, so that scripts with it
// and atmost exclude one another. For filesystems without byte locks, and for old scripts.
// docs/internals/symlink-locks.md describes them in full.
#ifndef ATMOST_STORE_SYMLINK_STORE_H
#define ATMOST_STORE_SYMLINK_STORE_H

#include "core/schemes.h"
#include "core/store.h"

namespace atmost::symlink {

// Has no state. All callers have to see the same processes: one machine, one pid namespace.
class SymlinkStore final : public Store {
 public:
  constexpr SymlinkStore() : Store(traits_of("symlink")) {}
  Result<Owned<Session>> open_for(const Request& request, OpenTo how) override;
  Result<std::uint32_t> inspect(const LockSpec& lock, const Instant& now,
                                LockVisitor* visitor) override;
};

// Ends the hold that was taken in the name of `pid`: false if there is none. Only by that process's
// user, or root.
Result<bool> let_go(const LockSpec& lock, std::int64_t pid);

}  // namespace atmost::symlink

#endif
