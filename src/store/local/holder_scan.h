// Looks for the processes that hold one slot, and proves it of each (proof.h).
#ifndef ATMOST_STORE_LOCAL_HOLDER_SCAN_H
#define ATMOST_STORE_LOCAL_HOLDER_SCAN_H

#include <cstdint>

#include "listing.h"
#include "lock_file.h"
#include "os/process.h"
#include "proof.h"

namespace atmost::local {

struct ProvenHolder {
  std::int64_t pid = 0;
  std::int64_t parent = 0;
  std::int64_t start_boot_ns = 0;
  os::ProcessHandle handle;
};

// Where nobody is seen to hold a slot that is held, we look again: it may end, or hand on to a
// child, while we look; and who is ending has closed its descriptors a moment before the lock is
// gone. So often where nothing hints at that, with a pause before each look but the first.
inline constexpr int kLooks = 16;
inline constexpr std::int64_t kLookAgainNs = 3'000'000;

// Whether the slot's byte is locked by any process, or that is not known.
bool is_held(const LockFile& file, std::uint32_t slot);

// Some 12 KiB: meant for the stack. Borrows both.
class HolderScan final : public os::ProcessVisitor {
 public:
  HolderScan(const Proof& proof, const os::Ancestors& ours);

  // Looks for holders of the slot that `holder` describes until one is found, or somebody who
  // cannot be one beyond doubt. False when the slot was free before anybody was met. Reads /proc:
  // milliseconds, and up to a fifth of a second where nobody is found.
  bool find(const LockFile& file, const HolderView& holder);

  std::uint32_t count() const { return count_; }
  const ProvenHolder& at(std::uint32_t index) const { return proven_[index]; }
  // An ancestor of this process holds the slot; at() does not have it.
  bool ancestor() const { return ancestor_; }
  // A process with a descriptor of the lock that proves nothing; 0: none.
  std::int64_t unproven() const { return unproven_; }
  // Whether the holder may be one that ended before it was proven: one was seen to, or every
  // process could be read, and in each look some ended before it was their turn.
  bool fleeting() const { return fleeting_ || (!met_all_ && !unreadable_); }
  // Whether its parent is a holder too, below which it is found.
  bool below_another(std::uint32_t index) const;
  // REQUIRES: count() > 0
  std::int64_t oldest_boot_ns() const;

 private:
  // Of the processes that have the lock; those beyond it, which a few thousand descriptors would be
  // needed for, get their turn when the first have gone.
  static constexpr std::uint32_t kMaxHolders = 256;

  bool prove(std::int64_t pid);
  bool process(std::int64_t pid, const os::ProcessFacts& facts) override;

  const Proof& proof_;
  const os::Ancestors& ours_;
  const std::int64_t self_;
  ProvenHolder proven_[kMaxHolders];
  std::uint32_t count_ = 0;
  std::int64_t unproven_ = 0;
  bool ancestor_ = false;
  bool fleeting_ = false;
  bool unreadable_ = false;  // some process was
  bool met_all_ = false;     // some look met every process there was, and found no holder
  std::uint32_t ended_ = 0;  // how many had ended before they could be looked at
};

}  // namespace atmost::local

#endif
