// The processes that provably hold a slot: no other process is ever signalled for it.
//
// Descriptors can be passed on (SCM_RIGHTS, pidfd_getfd(2), inherited standard streams), and every
// user who may write the file can forge records. So the proof of a holder depends on who may write
// the file: docs/internals/lock-map.md, "Who may be signalled".
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
  // Reads the file's present mode and owner.
  Proof(const LockFile& file, std::uint32_t slot);

  enum class Answer : std::uint8_t {
    no,          // has no descriptor with the slot's lock
    proven,      // holds the slot, and did so before another process could have given it the lock
    unproven,    // has a descriptor with the lock, which another process may have given it, or a
                 // foreign lock
    unreadable,  // another user's process, or no /proc
  };
  // REQUIRES: a ProcessHandle to `pid` is open; afterwards, the caller checks that it still means a
  // living `pid`.
  Answer of(std::int64_t pid) const;

  // True if a descendant of a proven process may be stopped with it: only if that process's own
  // user could stop it.
  bool reaches(std::int64_t ancestor, std::int64_t descendant) const override;

 private:
  bool started_under_this_lock(std::int64_t pid, const os::Credentials& ids) const;

  const LockFile& file_;
  const std::uint32_t slot_;
  bool shared_ = true;  // several users may write the file
  bool ours_ = false;   // only this process's user and root may write it
  std::uint32_t owner_ = 0;
};

// To be called by the holder, where several users may write the file: takes a lock that only the
// process itself can have, and whose owner the kernel reports. 0, or an errno value: then the hold
// cannot be proven.
int leave_proof(const LockFile& file, const std::uint32_t* slots, std::uint32_t count);

}  // namespace atmost::local

#endif
