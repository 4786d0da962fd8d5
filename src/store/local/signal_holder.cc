// Signals to the holder of one slot: the processes that they may reach, and the proof of that.
//
// A process is a holder when, after a handle to it was opened, its own descriptors show a lock on
// this inode and this byte (os::holds_byte) and the handle still means a living process. Records
// and F_GETLK's pid only say where to look first. Description-owned locks show in every process
// that inherited them, so the tree of a dead supervisor is found, too. Never signalled: pid 1 and
// below, this process, its ancestors. If one of those is a holder, no process is signalled.
#include <cerrno>

#include "holder_scan.h"
#include "holder_stop.h"
#include "listing.h"
#include "os/clock.h"
#include "os/locks.h"
#include "os/process.h"
#include "os/self.h"
#include "os/signals.h"
#include "os/tree.h"
#include "proof.h"

namespace atmost::local {
namespace {

// The file's record of the slot's holder.
void describe(LockFile& file, std::uint32_t slot, HolderView& to) {
  describe_holder(file, slot, false, to);
  // A waiter has a read lock for an instant when a slot becomes free.
  for (int look = 1; to.read_locked && look < kLooks; ++look) {
    os::sleep_until(plus(os::boot_ns(), {kLookAgainNs}));
    describe_holder(file, slot, false, to);
  }
}

SignalResult result_about(const HolderView& holder, std::uint64_t hold) {
  SignalResult result;
  result.held = holder.hold == hold;
  result.token = holder.token;
  result.pid = holder.pid;
  result.id = holder.id;
  result.command = holder.command;
  result.start = holder.start;
  result.read_locked = holder.read_locked;
  return result;
}

// True if this process or an ancestor holds the byte (by a descriptor that it inherited: the one
// that this process opened holds no slot now).
bool our_line_holds(const Identity& identity, std::int64_t byte) {
  os::ProcessFacts facts;
  for (std::int64_t pid = os::process_id(); pid > 0; pid = facts.parent) {
    if (os::holds_byte(pid, identity.device, identity.inode, byte) == os::Holding::yes) return true;
    if (os::process_facts(pid, facts) != 0) return false;
  }
  return false;
}

// For a library that has not agreed to be killed: marks its word, or does nothing.
void tell_library(LockFile& file, std::uint32_t slot, Eviction eviction, SignalStep step,
                  SignalResult& result) {
  result.immune = eviction == Eviction::none;
  Word word;
  const bool told = read_words(file.fd(), slot, 1, &word) == 0 && (word.flags & kRevokedFlag) != 0;
  if (result.immune || told || step == SignalStep::prove) return;
  result.noted = true;
  result.signalled = write_flags(file.fd(), slot, word.flags | kRevokedFlag) == 0 ? 1 : 0;
}

// True if there is a process to signal; if not, `result` has the reason.
bool anybody_proven(const HolderScan& scan, SignalStep step, SignalResult& result) {
  result.ancestor = scan.ancestor();
  // A holder that was proven before, or was seen to end, may be found by the next step, or has
  // ended by then.
  const bool fleeting = scan.fleeting() || step != SignalStep::prove;
  if (scan.count() == 0 && scan.unproven() == 0 && !result.ancestor && fleeting) return false;
  result.unprovable = scan.count() == 0;
  result.handed_over = result.unprovable && scan.unproven() != 0;
  if (result.handed_over) result.pid = scan.unproven();
  return !result.ancestor && !result.unprovable;
}

// One step, sent to every holder that was found.
class Signaller {
 public:
  Signaller(const Proof& proof, const os::Ancestors& ours, os::SeenDescendants& seen,
            bool supervised)
      : proof_(proof), ours_(ours), seen_(seen), supervised_(supervised) {}

  void send_to_all(const HolderScan& scan, SignalStep step, SignalResult& result) {
    for (std::uint32_t i = 0; i < scan.count(); ++i) {
      const bool below = scan.below_another(i);
      if ((supervised_ || step == SignalStep::kill) && below) continue;
      if (step == SignalStep::kill) {
        kill(scan.at(i), result);
      } else {
        count(send(scan.at(i), step, !below), result);
      }
    }
    if (left_ != 0) result.pid = left_;
  }

 private:
  os::OtherRoot below(const ProvenHolder& holder) const {
    return {holder.pid, holder.handle, ours_, proof_, seen_};
  }

  int send(const ProvenHolder& to, SignalStep step, bool look_below) const {
    if (look_below) {
      const os::OtherRoot root = below(to);
      (void)os::sweep({.other = &root}, os::Members::all, 0);
    }
    (void)to.handle.send(os::kContinue);  // a stopped process may end as soon as it is continued
    const int signal = step == SignalStep::interrupt ? os::kInterrupt : os::kTerminate;
    const int error = to.handle.send_number(signal, os::kFromTaker);
    return error == EAGAIN ? to.handle.send(signal) : error;  // no room for a number
  }

  // A supervisor goes last: while it runs, orphans become its children and are seen.
  void kill(const ProvenHolder& holder, SignalResult& result) {
    const os::OtherRoot root = below(holder);
    const os::Sweep met = os::sweep({.other = &root}, os::Members::all, os::kKill);
    result.refused = met.refused != 0 ? met.refused : met.excepted;
    left_ = result.refused != 0 ? result.refused : met.reached;
    if (met.sent > 0) ++result.signalled;
    // The next step comes soon. A supervisor that sees its command end meanwhile ends in good
    // order; this also frees a slot whose descriptor is in a process that may not be signalled.
    if (supervised_ && left_ != 0) return;
    count(holder.handle.send(os::kKill), result);
  }

  static void count(int error, SignalResult& result) {
    if (error == EPERM) result.unprovable = true;
    if (error == 0) ++result.signalled;
  }

  const Proof& proof_;
  const os::Ancestors& ours_;
  os::SeenDescendants& seen_;
  const bool supervised_;
  std::int64_t left_ = 0;  // a process that is still left below the last holder
};

}  // namespace

SignalResult signal_holder(LockFile& file, std::uint32_t slot, std::uint64_t hold, SignalStep step,
                           os::SeenDescendants& seen) {
  HolderView holder;
  describe(file, slot, holder);
  if (!is_held(file, slot)) return {};
  SignalResult result = result_about(holder, hold);
  if (!result.held || step == SignalStep::look) return result;
  if (holder.kind == HolderKind::library && holder.eviction != Eviction::kill) {
    tell_library(file, slot, holder.eviction, step, result);
    return result;
  }
  result.unprovable = holder.read_locked;
  if (result.unprovable) return result;
  result.ancestor = our_line_holds(file.identity(), slot_byte(slot));
  if (result.ancestor) return result;
  const os::Ancestors ours;
  const Proof proof(file, slot);
  HolderScan scan(proof, ours);
  if (!scan.find(file, holder)) return {};
  if (!anybody_proven(scan, step, result)) return result;
  // A process that does not use the guard may have taken the slot while we looked.
  describe_holder(file, slot, false, holder);
  if (holder.hold != hold) return {};
  result.pid = scan.at(0).pid;
  result.oldest_boot_ns = scan.oldest_boot_ns();
  if (step == SignalStep::prove) return result;
  // A supervisor runs, even if its number is unknown here (its pid namespace is another one): it
  // passes signals on.
  Word word;
  const bool supervised = holder.kind == HolderKind::supervised && file.words_count() &&
                          read_words(file.fd(), slot, 1, &word) == 0 && word_lives(word);
  Signaller(proof, ours, seen, supervised).send_to_all(scan, step, result);
  return result;
}

}  // namespace atmost::local
