#include "tree.h"

#include <cerrno>

#include "self.h"

namespace atmost::os {
namespace {

bool is_stopped(const ProcessFacts& facts) { return facts.state == 'T' || facts.state == 't'; }

class Sweeper final : public ProcessVisitor {
 public:
  Sweeper(const Tree& tree, Members members, int signal)
      : tree_(tree),
        members_(members),
        signal_(signal),
        self_(process_id()),
        root_(tree.other != nullptr ? tree.other->pid : self_),
        outsiders_(root_) {
    ProcessFacts own;
    if (tree.other == nullptr && process_facts(self_, own) == 0) session_ = own.session;
  }

  bool process(std::int64_t pid, const ProcessFacts& facts) override {
    if (facts.ended()) return dead(facts);
    if (pid <= 1 || pid == self_ || pid == root_ || outsiders_.have(pid, facts)) return true;
    if (!wanted(pid, facts)) return true;
    // The handle is opened first: the proofs that follow then hold for its process, or for none.
    ProcessHandle handle;
    const int error = branch_below(pid, root_) == 0 ? ESRCH : handle.open(pid);
    if (error == ESRCH || (error != 0 && tree_.other != nullptr)) return true;
    const std::int64_t branch = branch_below(pid, root_);
    if (branch == 0 || (tree_.mixed && branch != tree_.main)) return true;
    const bool reached = tree_.other == nullptr || tree_.other->reach.reaches(root_, pid);
    if (error == 0 && !handle.means(pid)) return true;
    if (tree_.other != nullptr && !below_other(*tree_.other, pid, facts)) return true;
    if (!reached) {
      result_.excepted = pid;
      return true;
    }
    int failed = ESRCH;
    if (error == 0) {
      failed = handle.send(signal_);
    } else if (branch == pid) {
      failed = signal_child(pid, signal_);
    }
    count(pid, failed);
    return true;
  }
  const Sweep& result() const { return result_; }

 private:
  // The last step of the proof: it fails if the root has ended meanwhile.
  static bool below_other(const OtherRoot& root, std::int64_t pid, const ProcessFacts& facts) {
    if (!root.handle.alive() || root.ancestors.have(pid)) return false;
    root.seen.add(pid, facts.start_boot_ns);
    return true;
  }

  void count(std::int64_t pid, int failed) {
    result_.reached = pid;
    if (failed == 0) ++result_.sent;
    if (pid == tree_.main) return;
    ++result_.left;
    if (failed == EPERM) ++result_.denied;
  }

  bool dead(const ProcessFacts& facts) {
    if (tree_.other != nullptr || facts.parent != self_) return true;
    signal_group_of(facts);
    result_.cut = ++dead_ == kDeadInASweep;
    return !result_.cut;
  }

  // A process that forks its successor and ends, faster than we look, becomes our dead child, which
  // still shows its group's number. In a session other than ours, every member began below us, as
  // the session did. Only the first process of a pid namespace also gets the orphans of processes
  // that entered the namespace from outside, so it signals no group. If we entered it so ourselves,
  // our session is 0, which differs from every session below us.
  void signal_group_of(const ProcessFacts& dead) {
    if (self_ == 1 || tree_.mixed || (signal_ != kKill && signal_ != kStop)) return;
    if (session_ == kUnknown || dead.session == session_) return;
    std::int32_t& signalled = groups_[dead.group % kGroups];
    if (signalled == dead.group) return;
    signalled = static_cast<std::int32_t>(dead.group);
    const bool of_main = tree_.main != 0 && process_group(tree_.main) == dead.group;
    if (members_ == Members::all || !of_main) signal_group(dead.group, signal_);
  }

  bool wanted(std::int64_t pid, const ProcessFacts& facts) const {
    switch (members_) {
      case Members::all:
        return true;
      case Members::others:
        return pid != tree_.main;
      case Members::stopped:
        return is_stopped(facts);
      case Members::unstopped:
        return !is_stopped(facts);
    }
    return false;
  }

  static constexpr std::int64_t kGroups = 64;
  static constexpr std::int64_t kUnknown = -1;

  const Tree& tree_;
  const Members members_;
  const int signal_;
  const std::int64_t self_;
  const std::int64_t root_;
  Outsiders outsiders_;
  std::int64_t session_ = kUnknown;  // ours
  std::int32_t groups_[kGroups] = {};
  std::uint32_t dead_ = 0;  // children of ours
  Sweep result_;
};

}  // namespace

Sweep sweep(const Tree& tree, Members members, int signal) {
  Sweeper sweeper(tree, members, signal);
  Sweep result;
  if (each_process(sweeper) == 0) return sweeper.result();
  const bool wanted = members == Members::all ||
                      (members == Members::stopped && tree.main_stopped) ||
                      (members == Members::unstopped && !tree.main_stopped);
  if (tree.main != 0 && wanted && signal_child(tree.main, signal) == 0) result.sent = 1;
  return result;
}

}  // namespace atmost::os
