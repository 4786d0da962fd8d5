#include "holder_scan.h"

#include "os/clock.h"
#include "os/self.h"

namespace atmost::local {
namespace {

// The number of looks when processes end before they can be examined.
constexpr int kMostLooks = 64;

}  // namespace

bool is_held(const LockFile& file, std::uint32_t slot) {
  os::Conflict conflict;
  const os::Bytes byte = {slot_byte(slot), 1};
  return os::query_lock(file.slot_fd(), os::Owner::description, os::LockKind::write, byte,
                        conflict) != 0 ||
         conflict.found;
}

HolderScan::HolderScan(const Proof& proof, const os::Ancestors& ours)
    : proof_(proof), ours_(ours), self_(os::process_id()) {}

bool HolderScan::find(const LockFile& file, const HolderView& holder) {
  // If a supervisor or a keeper holds the slot, only that process is the target: a supervisor
  // passes signals on to its command, and the script of a keeper is not a holder. Otherwise, every
  // process that has the lock is a target.
  const bool alone = holder.kind == HolderKind::supervised || holder.kind == HolderKind::keeper;
  for (int look = 0; look < (ended_ > 0 ? kMostLooks : kLooks); ++look) {
    if (look > 0) os::sleep_until(plus(os::boot_ns(), {kLookAgainNs}));
    if (alone && prove(holder.pid)) return true;
    // The record's number may be one of another pid namespace: its absence here proves nothing.
    const std::uint32_t ended_before = ended_;
    newly_ended_ = 0;
    (void)os::each_process(*this);
    if (count_ > 0 || ancestor_) return true;
    // The last holder may have ended since the lock was queried.
    if (!is_held(file, holder.slot)) return false;
    if (unproven_ != 0) return true;
    met_all_ = met_all_ || (ended_ == ended_before && newly_ended_ == 0);
    for (std::uint32_t i = 0; i < kEndedKinds / 64; ++i) {
      ended_last_[i] = ended_now_[i];
      ended_now_[i] = 0;
    }
  }
  return true;
}

// Looks at one process; remembers it when it is proven to hold the byte.
bool HolderScan::prove(std::int64_t pid) {
  if (pid <= 1 || pid == self_ || count_ == kMaxHolders) return false;
  os::ProcessHandle handle;
  if (handle.open(pid) != 0) {
    ++ended_;
    return false;
  }
  const Proof::Answer answer = proof_.of(pid);
  if (answer == Proof::Answer::no || answer == Proof::Answer::unreadable) {
    if (!handle.alive()) {
      ++ended_;
    } else if (answer == Proof::Answer::unreadable) {
      unreadable_ = true;
    }
    return false;
  }
  os::ProcessFacts facts;
  if (!handle.means(pid) || os::process_facts(pid, facts) != 0 || !handle.alive()) {
    ++ended_;
    fleeting_ = true;
    return false;
  }
  if (ours_.have(pid)) {
    ancestor_ = true;
    return false;
  }
  if (answer == Proof::Answer::unproven) {
    unproven_ = pid;
    return false;
  }
  proven_[count_].pid = pid;
  proven_[count_].parent = facts.parent;
  proven_[count_].start_boot_ns = facts.start_boot_ns;
  proven_[count_++].handle = static_cast<os::ProcessHandle&&>(handle);
  return true;
}

void HolderScan::note_ended(std::int64_t pid, const os::ProcessFacts& facts) {
  const auto mixed =
      (static_cast<std::uint64_t>(pid) ^ static_cast<std::uint64_t>(facts.start_boot_ns)) *
      0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio: Fibonacci hashing
  const std::uint64_t kind = mixed >> 54;
  static_assert(kEndedKinds == 1u << 10);
  const std::uint64_t bit = std::uint64_t{1} << kind % 64;
  ended_now_[kind / 64] |= bit;
  if ((ended_last_[kind / 64] & bit) == 0) ++newly_ended_;
}

bool HolderScan::process(std::int64_t pid, const os::ProcessFacts& facts) {
  if (facts.ended()) {
    note_ended(pid, facts);
  } else {
    (void)prove(pid);
  }
  return count_ < kMaxHolders;
}

bool HolderScan::below_another(std::uint32_t index) const {
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (proven_[i].pid == proven_[index].parent) return true;
  }
  return false;
}

std::int64_t HolderScan::oldest_boot_ns() const {
  std::int64_t oldest = proven_[0].start_boot_ns;
  for (std::uint32_t i = 1; i < count_; ++i) {
    if (proven_[i].start_boot_ns < oldest) oldest = proven_[i].start_boot_ns;
  }
  return oldest;
}

}  // namespace atmost::local
