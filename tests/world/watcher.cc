#include "world/watcher.h"

#include <sys/wait.h>

#include <algorithm>

namespace world {
namespace {

// By then every wait, pause and interval of a scenario is over many times.
constexpr std::int64_t kLongestNs = 4 * 3600 * kSecondNs;

// Bytes of a lock file from its document (docs/internals/lock-map.md), not from its code.
constexpr std::int64_t kFirstSlot = 8;
constexpr std::int64_t kBehindSlots = kFirstSlot + (1 << 18);
constexpr std::int64_t kMode = std::int64_t{1} << 41;
constexpr std::int64_t kJoinPlace = std::int64_t{1} << 43;
constexpr std::int64_t kTickets = std::int64_t{1} << 48;

bool covers(const ByteLock& lock, std::int64_t byte) {
  return lock.first <= byte && byte <= lock.last;
}

void add(const ByteLock& lock, Holding& to) {
  if (!lock.write) {
    to.other = true;
    return;
  }
  if (covers(lock, 0)) to.guard = true;
  if (covers(lock, kMode)) to.writer = true;
  if (covers(lock, kJoinPlace)) ++to.places;
  if (lock.first >= kTickets) ++to.places;
  if (lock.first > kMode && lock.first < kTickets && lock.first != kJoinPlace) to.other = true;
  const std::int64_t first = std::max(lock.first, kFirstSlot);
  const std::int64_t end = std::min(lock.last, kBehindSlots - 1) + 1;
  for (std::int64_t byte = first; byte < end; ++byte) {
    ++to.slots;
    if (byte - kFirstSlot < 64) to.which |= std::uint64_t{1} << (byte - kFirstSlot);
  }
}

template <class T>
T& at(std::vector<T>& all, int index, const T& otherwise) {
  const auto place = static_cast<std::size_t>(index);
  if (place >= all.size()) all.resize(place + 1, otherwise);
  return all[place];
}

}  // namespace

std::string path_of(int lock) { return "/w/" + std::to_string(lock) + ".lock"; }

int Watcher::lock_of(int inode) {
  int& known = at(locks_, inode, -1);
  if (known >= 0) return known;
  known = 0;
  for (int lock = 1; lock < kLocks; ++lock) {
    if (kernel_->find(path_of(lock)) != inode) continue;
    known = lock;
    inodes_[lock] = inode;
  }
  return known;
}

Holding Watcher::held_by(int process, int lock) const {
  Holding held;
  if (inodes_[lock] == 0) return held;
  const Process& owner = *kernel_->processes()[static_cast<std::size_t>(process)];
  for (const ByteLock& each : kernel_->inode(inodes_[lock]).locks.all())
    if (Kernel::owns(owner, each.owner)) add(each, held);
  return held;
}

void Watcher::judge() {
  if (!witness_.violation()) return;
  const Violation& found = *witness_.violation();
  if (kernel_->stopped().empty()) mark(kNobody, Mark::Kind::violation);
  kernel_->stop(found.invariant + ": " + found.text);
}

void Watcher::mark(int process, Mark::Kind kind, std::int64_t value) {
  const bool in_a_lane =
      process == kNobody || static_cast<std::size_t>(process) < kernel_->script().callers.size();
  if (keeps_marks_ && in_a_lane) marks_.push_back({now() - kBegin, process, kind, value});
}

void Watcher::mark_changes(const Process& process, int lock) {
  if (!keeps_marks_) return;
  Holding& before = at(shown_, process.index * kLocks + lock, Holding{});
  const Holding held = held_by(process.index, lock);
  if (held.guard && !before.guard) mark(process.index, Mark::Kind::guard_taken);
  if (!held.guard && before.guard) mark(process.index, Mark::Kind::guard_dropped);
  if (held.places > 0 && before.places == 0) mark(process.index, Mark::Kind::ticket_drawn);
  if (held.places == 0 && before.places > 0) mark(process.index, Mark::Kind::ticket_dropped);
  before = held;
}

void Watcher::locks_changed(Process& process, int inode) {
  const int lock = lock_of(inode);
  if (lock == 0) return;
  mark_changes(process, lock);
  witness_.locks_changed(now(), process.index, lock);
  judge();
}

void Watcher::dies(Process& process) {
  const bool killed = WIFSIGNALED(process.status);
  if (killed) {
    ++counts_.kills;
    mark(process.index, Mark::Kind::killed);
  }
  const bool in_order = !killed && at(is_command_, process.index, char{}) == 0;
  at(left_, process.index, 0) =
      in_order ? static_cast<int>(process.descriptors.size() + process.mappings.size()) : 0;
  witness_.dying(now(), process.index, killed);
}

void Watcher::ended(Process& process) {
  at(is_command_, process.index, char{}) = 0;
  witness_.died(now(), process.index, at(left_, process.index, 0));
  judge();
}

void Watcher::paused(Process& process, std::int64_t until_ns) {
  ++counts_.freezes;
  mark(process.index, process.stopped ? Mark::Kind::stopped : Mark::Kind::frozen,
       until_ns - kBegin);
  witness_.paused(now(), process.index, until_ns);
  judge();
}

void Watcher::disturbed(Process& process) { witness_.disturbed(now(), process.index); }

void Watcher::clock_stepped(std::int64_t by_ns) { mark(kNobody, Mark::Kind::clock_stepped, by_ns); }

void Watcher::idle(std::int64_t until_ns) {
  if (until_ns - kBegin > kLongestNs)
    kernel_->stop("end: it has none within " + duration(kLongestNs));
  witness_.passes(until_ns);
  judge();
}

void Watcher::asks(Process& process, const Claim& claim, std::int64_t run) {
  mark(process.index, Mark::Kind::asks, run);
  kernel_->trace(process, "asks for %lld of %lld at lock %lld",
                 static_cast<long long>(claim.slots()), static_cast<long long>(claim.run.max),
                 static_cast<long long>(claim.run.lock));
  witness_.asks(now(), process.index, claim);
  judge();
}

void Watcher::admitted(Process& process, std::span<const std::uint64_t> tokens,
                       std::uint32_t slot) {
  ++counts_.admissions;
  mark(process.index, Mark::Kind::admitted, slot);
  kernel_->trace(process, "is admitted: token %llu, slot %u",
                 static_cast<unsigned long long>(tokens.empty() ? 0 : tokens[0]), slot);
  witness_.admitted(now(), process.index, tokens);
  judge();
}

void Watcher::refused(Process& process, int lock, Refusal why, const std::string& words) {
  ++counts_.refusals;
  mark(process.index, Mark::Kind::refused);
  kernel_->trace(process, "is refused: %s", words.c_str());
  witness_.refused(now(), process.index, lock, why);
  judge();
}

void Watcher::failed(Process& process, const std::string& words) {
  ++counts_.refusals;
  mark(process.index, Mark::Kind::refused);
  kernel_->trace(process, "fails: %s", words.c_str());
  witness_.failed(now(), process.index, words);
  judge();
}

void Watcher::releases(Process& process, Ends how) {
  kernel_->trace(process, "releases");
  witness_.releases(now(), process.index, how);
  judge();
}

void Watcher::released(Process& process) {
  mark(process.index, Mark::Kind::released);
  kernel_->trace(process, "has released");
  witness_.released(now(), process.index);
  judge();
}

void Watcher::drains(Process& process, int lock, std::uint32_t slot, bool on) {
  kernel_->trace(process, "%s slot %u of lock %d", on ? "drains" : "resumes", slot, lock);
  witness_.drains(now(), process.index, lock, slot, on);
}

void Watcher::drained(Process& process, int lock, std::uint32_t slot, bool on) {
  witness_.drained(now(), process.index, lock, slot, on);
  judge();
}

void Watcher::forked(const Process& parent, const Process& child) {
  kernel_->trace(parent, "forks p%d", child.index);
  becomes_command(child);
  witness_.forked(now(), parent.index, child.index);
}

void Watcher::becomes_command(const Process& process) {
  at(is_command_, process.index, char{}) = 1;
}

}  // namespace world
