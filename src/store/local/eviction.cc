#include "eviction.h"

#include <cerrno>

#include "listing.h"
#include "os/clock.h"
#include "os/process.h"
#include "os/self.h"
#include "os/signal_numbers.h"
#include "proof.h"

namespace atmost::local {
namespace {

// Of the processes that have the lock; those beyond it, which a few thousand descriptors would be
// needed for, get their turn when the first have gone.
constexpr std::uint32_t kMaxHolders = 256;
// Where nobody is seen to hold a slot that is held, we look again: it may end, or hand on to a
// child, while we look; and who is ending has closed its descriptors a moment before the lock is
// gone. So often where nothing hints at that, and so often where processes end under our eyes, with
// a pause before each look but the first.
constexpr int kLooks = 16;
constexpr std::int64_t kLookAgainNs = 3'000'000;
constexpr int kMostLooks = 64;
// Passes to stand everything still before killing: what forks on is met again in the next sweep.
constexpr int kStopPasses = 5;

struct Proven {
  std::int64_t pid = 0;
  std::int64_t parent = 0;
  std::int64_t start_boot_ns = 0;
  os::ProcessHandle handle;
};

class HolderScan final : public os::ProcessVisitor {
 public:
  HolderScan(const Proof& proof, const os::Ancestors& ours)
      : proof_(proof), ours_(ours), self_(os::process_id()) {}

  // Looks at one process; remembers it when it is proven to hold the byte.
  bool prove(std::int64_t pid) {
    if (pid <= 1 || pid == self_ || count_ == kMaxHolders) return false;
    os::ProcessHandle handle;
    if (handle.open(pid) != 0) {
      ++ended_;
      return false;
    }
    const Proof::Answer answer = proof_.of(pid);
    if (answer != Proof::Answer::proven && answer != Proof::Answer::unproven) return false;
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

  // Everybody who can be seen.
  void prove_all() { (void)os::each_process(*this); }

  bool process(std::int64_t pid, const os::ProcessFacts& facts) override {
    if (!facts.ended()) (void)prove(pid);
    return count_ < kMaxHolders;
  }

  std::uint32_t count() const { return count_; }
  const Proven& at(std::uint32_t index) const { return proven_[index]; }
  bool ancestor() const { return ancestor_; }
  // Who has a descriptor with the lock that proves nothing; 0: nobody.
  std::int64_t unproven() const { return unproven_; }
  // How many had ended before they could be looked at.
  std::uint32_t ended() const { return ended_; }
  // Whether one of those was a holder.
  bool fleeting() const { return fleeting_; }
  // Whether its parent is a holder too, below which it is found.
  bool below_another(std::uint32_t index) const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (proven_[i].pid == proven_[index].parent) return true;
    }
    return false;
  }
  std::int64_t oldest_boot_ns() const {
    std::int64_t oldest = proven_[0].start_boot_ns;
    for (std::uint32_t i = 1; i < count_; ++i) {
      if (proven_[i].start_boot_ns < oldest) oldest = proven_[i].start_boot_ns;
    }
    return oldest;
  }

 private:
  const Proof& proof_;
  const os::Ancestors& ours_;
  const std::int64_t self_;
  Proven proven_[kMaxHolders];
  std::uint32_t count_ = 0;
  std::int64_t unproven_ = 0;
  bool ancestor_ = false;
  bool fleeting_ = false;
  std::uint32_t ended_ = 0;
};

bool is_held(const LockFile& file, std::uint32_t slot) {
  os::Conflict conflict;
  const os::Bytes byte = {slot_byte(slot), 1};
  return os::query_lock(file.slot_fd(), os::Owner::description, os::LockKind::write, byte,
                        conflict) != 0 ||
         conflict.found;
}

// False when the slot was free before anybody was met.
bool find_holders(const LockFile& file, const HolderView& holder, HolderScan& scan) {
  // A supervisor keeps its own child informed, and a keeper has told nobody to stop: the script it
  // keeps the lock for is no holder. Only where there is neither, everybody who has the lock is a
  // target.
  const bool alone = holder.kind == HolderKind::supervised || holder.kind == HolderKind::keeper;
  for (int look = 0; look < (scan.ended() > 0 ? kMostLooks : kLooks); ++look) {
    if (look > 0) os::sleep_until(plus(os::boot_ns(), {kLookAgainNs}));
    if (alone && scan.prove(holder.pid)) return true;
    scan.prove_all();
    if (scan.count() > 0 || scan.ancestor()) return true;
    // Its last process may have ended since the lock was asked.
    if (!is_held(file, holder.slot)) return false;
    if (scan.unproven() != 0) return true;
  }
  return true;
}

// Whether this process holds the byte (by a descriptor that it inherited: the one it opened holds
// no slot now), or its parent, or its parent's parent, and so on.
bool our_line_holds(const Identity& identity, std::int64_t byte) {
  os::ProcessFacts facts;
  for (std::int64_t pid = os::process_id(); pid > 0; pid = facts.parent) {
    if (os::holds_byte(pid, identity.device, identity.inode, byte) == os::Holding::yes) return true;
    if (os::process_facts(pid, facts) != 0) return false;
  }
  return false;
}

// For one press.
struct Reach {
  Family& family;             // whom it met
  const os::Ancestors& ours;  // whom it spares
  const Proof& proof;         // and whom else
  bool supervised = false;
};

// Signals everything below one process (a stop only what is not stopped yet); counts what it sent
// to.
class Descendants final : public os::ProcessVisitor {
 public:
  Descendants(const Proven& root, int signal, const Reach& reach)
      : root_(root), signal_(signal), reach_(reach), outsiders_(root.pid) {}

  bool process(std::int64_t pid, const os::ProcessFacts& facts) override {
    if (facts.ended() || pid <= 1 || pid == root_.pid || outsiders_.have(pid, facts)) return true;
    if (signal_ == os::kStop && (facts.state == 'T' || facts.state == 't')) return true;
    // The handle comes first; a root that ended meanwhile proves nothing any more.
    os::ProcessHandle handle;
    if (os::branch_below(pid, root_.pid) == 0 || handle.open(pid) != 0) return true;
    if (os::branch_below(pid, root_.pid) == 0) return true;
    const bool reached = reach_.proof.reaches(root_.pid, pid);
    if (!handle.means(pid) || !root_.handle.alive()) return true;
    if (pid == os::process_id() || reach_.ours.have(pid)) return true;
    reach_.family.add(pid, facts.start_boot_ns);
    (reached ? seen : spared) = pid;
    if (reached) (void)handle.send(signal_);
    return true;
  }
  std::int64_t seen = 0;    // one of them, 0: none
  std::int64_t spared = 0;  // one that is not reached

 private:
  const Proven& root_;
  const int signal_;
  const Reach& reach_;
  os::Outsiders outsiders_;
};

struct Below {
  std::int64_t seen = 0;
  std::int64_t spared = 0;
};

// Signal 0 only looks who is there.
Below signal_below(const Proven& root, int signal, const Reach& reach) {
  Descendants below(root, signal, reach);
  (void)os::each_process(below);
  return {below.seen, below.spared};
}

int send(const Proven& to, SignalStep pressure) {
  (void)to.handle.send(os::kContinue);  // a stopped process may want to end as soon as it can
  return to.handle.send(pressure == SignalStep::interrupt ? os::kInterrupt : os::kTerminate);
}

// The supervisor goes last: while it lives, what is re-parented comes below it and is seen. `left`:
// who is still there below it.
int kill(const Proven& root, const Reach& reach, std::int64_t& left) {
  for (int pass = 0; pass < kStopPasses && signal_below(root, os::kStop, reach).seen != 0; ++pass) {
  }
  const Below below = signal_below(root, os::kKill, reach);
  left = below.seen != 0 ? below.seen : below.spared;
  // The next press comes soon; a supervisor that sees its command end meanwhile ends in good order.
  // It frees the slot, too, of which somebody who is spared has the descriptor.
  const bool wait = below.seen != 0 || (below.spared != 0 && reach.supervised);
  return wait ? 0 : root.handle.send(os::kKill);
}

int signal_holder(const Proven& holder, SignalStep pressure, const Reach& reach,
                  std::int64_t& left) {
  return pressure == SignalStep::kill ? kill(holder, reach, left) : send(holder, pressure);
}

// A library that has not agreed to be killed: it is told by its word, or not at all.
void tell_library(LockFile& file, std::uint32_t slot, Eviction eviction, SignalStep pressure,
                  SignalResult& result) {
  result.immune = eviction == Eviction::none;
  Word word;
  const bool told = read_words(file.fd(), slot, 1, &word) == 0 && (word.flags & kRevokedFlag) != 0;
  if (result.immune || told || pressure == SignalStep::prove) return;
  result.noted = true;
  result.signalled = write_flags(file.fd(), slot, word.flags | kRevokedFlag) == 0 ? 1 : 0;
}

}  // namespace

SignalResult press_holder(LockFile& file, std::uint32_t slot, std::uint64_t hold,
                          SignalStep pressure, Family& family) {
  SignalResult result;
  HolderView holder;
  describe_holder(file, slot, false, holder);
  // A waiter has one for an instant when a slot becomes free.
  for (int look = 1; holder.read_locked && look < kLooks; ++look) {
    os::sleep_until(plus(os::boot_ns(), {kLookAgainNs}));
    describe_holder(file, slot, false, holder);
  }
  if (!is_held(file, slot)) return result;
  result.held = holder.hold == hold;
  result.token = holder.token;
  result.pid = holder.pid;
  result.id = holder.id;
  result.command = holder.command;
  result.start = holder.start;
  result.read_locked = holder.read_locked;
  if (!result.held || pressure == SignalStep::look) return result;
  if (holder.kind == HolderKind::library && holder.eviction != Eviction::kill) {
    tell_library(file, slot, holder.eviction, pressure, result);
    return result;
  }
  result.unprovable = holder.read_locked;
  if (result.unprovable) return result;
  result.ancestor = our_line_holds(file.identity(), slot_byte(slot));
  if (result.ancestor) return result;
  const os::Ancestors ours;
  const Proof proof(file, slot);
  HolderScan scan(proof, ours);
  if (!find_holders(file, holder, scan)) return {};
  result.ancestor = scan.ancestor();
  // Who was proven once, or was seen to end, is met by the next press perhaps, or has ended by
  // then.
  const bool fleeting = scan.fleeting() || pressure != SignalStep::prove;
  if (scan.count() == 0 && scan.unproven() == 0 && !result.ancestor && fleeting) return result;
  result.unprovable = scan.count() == 0;
  result.handed_over = result.unprovable && scan.unproven() != 0;
  if (result.handed_over) result.pid = scan.unproven();
  if (result.ancestor || result.unprovable) return result;
  // Who does not know the guard may have changed places while we looked.
  describe_holder(file, slot, false, holder);
  if (holder.hold != hold) return {};
  result.pid = scan.at(0).pid;
  result.oldest_boot_ns = scan.oldest_boot_ns();
  if (pressure == SignalStep::prove) return result;
  // A supervisor lives, whatever its number is here (its pid namespace is another one than ours):
  // it passes signals on.
  Word word;
  const bool supervised = holder.kind == HolderKind::supervised && file.words_count() &&
                          read_words(file.fd(), slot, 1, &word) == 0 && word_lives(word);
  const Reach reach = {family, ours, proof, supervised};
  std::int64_t left = 0;
  for (std::uint32_t i = 0; i < scan.count(); ++i) {
    const bool below = scan.below_another(i);
    if ((supervised || pressure == SignalStep::kill) && below) continue;
    if (pressure != SignalStep::kill && !below) (void)signal_below(scan.at(i), 0, reach);
    const int error = signal_holder(scan.at(i), pressure, reach, left);
    if (error == EPERM) result.unprovable = true;
    if (error == 0) ++result.signalled;
  }
  if (left != 0) result.pid = left;
  return result;
}

}  // namespace atmost::local
