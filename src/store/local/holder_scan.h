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

// The number of looks for the holder of a slot that is held, with a pause before each but the
// first. One look may find none: the holder may end or pass the slot on to a child meanwhile, and a
// process that ends closes its descriptors a moment before its lock is gone. More looks are made if
// processes end while we look (kMostLooks).
inline constexpr int kLooks = 16;
inline constexpr std::int64_t kLookAgainNs = 3'000'000;

// True if the slot's byte is locked by any process; true if that is not known.
bool is_held(const LockFile& file, std::uint32_t slot);

// Some 12 KiB: meant for the stack. Borrows both.
class HolderScan final : public os::ProcessVisitor {
 public:
  HolderScan(const Proof& proof, const os::Ancestors& ours);

  // Looks for holders of the slot that `holder` describes until one is found, or a process that has
  // the lock but is not proven to be a holder. False when the slot was free before either was
  // found. Reads /proc: takes milliseconds, and up to a fifth of a second where no process is
  // found.
  bool find(const LockFile& file, const HolderView& holder);

  std::uint32_t count() const { return count_; }
  const ProvenHolder& at(std::uint32_t index) const { return proven_[index]; }
  // An ancestor of this process holds the slot; at() does not have it.
  bool ancestor() const { return ancestor_; }
  // A process with a descriptor of the lock that proves nothing; 0: none.
  std::int64_t unproven() const { return unproven_; }
  // True if the holder may be a process that ended before it was proven: one did, or in each look
  // some processes ended before they could be read, although all others could be.
  bool fleeting() const { return fleeting_ || (!met_all_ && !unreadable_); }
  // True if its parent is a holder, too, and so leads to it.
  bool below_another(std::uint32_t index) const;
  // REQUIRES: count() > 0
  std::int64_t oldest_boot_ns() const;

 private:
  // Of the processes that have the lock. Further ones are found when the first have ended; it takes
  // a few thousand descriptors to have more.
  static constexpr std::uint32_t kMaxHolders = 256;

  static constexpr std::uint32_t kEndedKinds = 1024;

  bool prove(std::int64_t pid);
  void note_ended(std::int64_t pid, const os::ProcessFacts& facts);
  bool process(std::int64_t pid, const os::ProcessFacts& facts) override;

  const Proof& proof_;
  const os::Ancestors& ours_;
  const std::int64_t self_;
  ProvenHolder proven_[kMaxHolders];
  std::uint32_t count_ = 0;
  std::int64_t unproven_ = 0;
  bool ancestor_ = false;
  bool fleeting_ = false;
  bool unreadable_ = false;  // of some process, the locks could not be read
  bool met_all_ = false;     // one look covered every process there was, and found no holder
  std::uint32_t ended_ = 0;  // how many ended before they could be examined
  // The processes that this look and the one before found ended but not waited for, each as one bit
  // of a hash; and how many the look before had not found. One of those may have been the holder
  // when this look began.
  std::uint64_t ended_now_[kEndedKinds / 64] = {};
  std::uint64_t ended_last_[kEndedKinds / 64] = {};
  std::uint32_t newly_ended_ = 0;
};

}  // namespace atmost::local

#endif
