// Tells the witness what the kernel does and what callers say, and the kernel when a promise was
// broken: then the world ends.
#ifndef ATMOST_TESTS_WORLD_WATCHER_H
#define ATMOST_TESTS_WORLD_WATCHER_H

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "world/claim.h"
#include "world/draw.h"
#include "world/kernel.h"
#include "world/result.h"
#include "world/witness.h"

namespace world {

// Where lock 1…9 lies in a world.
std::string path_of(int lock);

class Watcher final : public Observer, public LockTable {
 public:
  // `marks`: keeps them, for a picture.
  explicit Watcher(bool marks) : keeps_marks_(marks), witness_(*this) {}
  // Before the kernel runs.
  void watch(Kernel& world) { kernel_ = &world; }

  // The words of callers.
  void asks(Process& process, const Claim& claim, std::int64_t run);
  void admitted(Process& process, std::span<const std::uint64_t> tokens, std::uint32_t slot);
  void refused(Process& process, int lock, Refusal why, const std::string& words);
  void failed(Process& process, const std::string& words);
  void releases(Process& process, Ends how);
  void released(Process& process);
  void drains(Process& process, int lock, std::uint32_t slot, bool on);
  void drained(Process& process, int lock, std::uint32_t slot, bool on);
  // It becomes the command, which keeps a descriptor when it ends.
  void becomes_command(const Process& process);

  // The child has the slots of its parent, and keeps their descriptors when it ends.
  void forked(const Process& parent, const Process& child);

  Holding held_by(int process, int lock) const override;

  const Witness& witness() const { return witness_; }
  const Counts& counts() const { return counts_; }
  std::vector<Mark>& marks() { return marks_; }

 private:
  void locks_changed(Process& process, int inode) override;
  void dies(Process& process) override;
  void ended(Process& process) override;
  void paused(Process& process, std::int64_t until_ns) override;
  void disturbed(Process& process) override;
  void clock_stepped(std::int64_t by_ns) override;
  void idle(std::int64_t until_ns) override;

  int lock_of(int inode);
  void mark(int process, Mark::Kind kind, std::int64_t value = 0);
  void mark_changes(const Process& process, int lock);
  void judge();
  std::int64_t now() const { return kernel_->now_ns(); }

  const bool keeps_marks_;
  Kernel* kernel_ = nullptr;
  Witness witness_;
  Counts counts_;
  std::vector<Mark> marks_;
  std::vector<int> locks_;        // by inode; 0: no lock file; -1: not known yet
  int inodes_[kLocks] = {};       // by lock; 0: there is none yet
  std::vector<Holding> shown_;    // by process and lock, for marks
  std::vector<char> is_command_;  // by process; 1: yes
  std::vector<int> left_;         // by process
};

}  // namespace world

#endif
