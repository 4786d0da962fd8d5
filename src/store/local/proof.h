// Which processes hold a slot beyond doubt: nobody else is ever signalled for it.
//
// Descriptors travel (SCM_RIGHTS, pidfd_getfd(2), inherited standard streams) and records are
// anybody's who may write the file. So what proves a holder depends on who may write: see
// docs/lock-map.md, "Who may be signalled".
#ifndef ATMOST_STORE_LOCAL_PROOF_H
#define ATMOST_STORE_LOCAL_PROOF_H

#include <cstdint>

#include "layout.h"
#include "lock_file.h"
#include "os/process.h"
#include "os/tree.h"

namespace atmost::local {

class Proof final : public os::Reach {
 public:
  // Asks for the file's mode and owner as they are now.
  Proof(const LockFile& file, std::uint32_t slot);

  enum class Answer : std::uint8_t {
    no,          // has no descriptor with the slot's lock
    proven,      // holds the slot, and did so before another process could have told it to
    unproven,    // has such a descriptor, which may have been handed to it
    unreadable,  // another user's process, or no /proc
  };
  // REQUIRES: a ProcessHandle to `pid` is open, and asked afterwards whether it still means a
  // living `pid`.
  Answer of(std::int64_t pid) const;

  // Whether what descends from a proven process may be stopped with it: whatever that process's own
  // user could stop.
  bool reaches(std::int64_t ancestor, std::int64_t descendant) const override;

 private:
  bool started_under_this_lock(std::int64_t pid, const os::Credentials& ids) const;

  const LockFile& file_;
  const std::uint32_t slot_;
  bool shared_ = true;  // several users may write the file
  bool ours_ = false;   // only this process's user and root may
  std::uint32_t owner_ = 0;
};

// The holder's part, where several users may write the file: a lock that only the process itself
// can have, which the kernel names it by. Where one user may it does nothing. 0, or an errno value:
// then nobody can prove the hold.
int leave_proof(const LockFile& file, const std::uint32_t* slots, std::uint32_t count);

}  // namespace atmost::local

#endif
