#include "tree.h"

#include <cerrno>

#include "os/process.h"
#include "os/self.h"
#include "os/signal_numbers.h"

namespace atmost::run {
namespace {

bool stopped(const os::ProcessFacts& facts) { return facts.state == 'T' || facts.state == 't'; }

class Sweeper final : public os::ProcessVisitor {
 public:
  Sweeper(const Tree& tree, To to, int signal)
      : tree_(tree), to_(to), signal_(signal), self_(os::process_id()), outsiders_(self_) {
    os::ProcessFacts own;
    if (os::process_facts(self_, own) == 0) session_ = own.session;
  }

  bool process(std::int64_t pid, const os::ProcessFacts& facts) override {
    if (facts.ended()) return dead(facts);
    if (pid == self_ || outsiders_.have(pid, facts)) return true;
    // The handle comes first: what is proven afterwards is proven of the process it means, or of
    // none.
    os::ProcessHandle handle;
    const int error = os::branch_below(pid, self_) == 0 ? ESRCH : handle.open(pid);
    const bool other = error == 0 && !handle.means(pid);
    const std::int64_t branch = error == ESRCH || other ? 0 : os::branch_below(pid, self_);
    if (branch == 0 || (tree_.mixed && branch != tree_.main)) return true;
    if (pid != tree_.main) ++result_.left;
    if (!wanted(pid, facts)) return true;
    int failed = ESRCH;
    if (error == 0) {
      failed = handle.send(signal_);
    } else if (branch == pid) {
      failed = os::signal_child(pid, signal_);
    }
    if (failed == 0) ++result_.sent;
    if (failed == EPERM && pid != tree_.main) ++result_.denied;
    return true;
  }
  const Sweep& result() const { return result_; }

 private:
  bool dead(const os::ProcessFacts& facts) {
    signal_group_of(facts);
    if (facts.parent == self_) result_.cut = ++dead_ == kDeadInASweep;
    return !result_.cut;
  }

  // What forks its successor and ends, faster than we look, leaves its dead to us, and with them
  // the group's number. Of a session that is not ours every member began below us, as the session
  // did; only the first process of a pid namespace takes in orphans of whoever entered that from
  // outside. Who did that is of session 0 itself, which differs as well as any.
  void signal_group_of(const os::ProcessFacts& dead) {
    if (self_ == 1 || tree_.mixed || (signal_ != os::kKill && signal_ != os::kStop)) return;
    if (dead.parent != self_ || session_ == kUnknown || dead.session == session_) return;
    std::int32_t& signalled = groups_[dead.group % kGroups];
    if (signalled == dead.group) return;
    signalled = static_cast<std::int32_t>(dead.group);
    const bool of_main = tree_.main != 0 && os::process_group(tree_.main) == dead.group;
    if (to_ == To::all || !of_main) os::signal_group(dead.group, signal_);
  }

  bool wanted(std::int64_t pid, const os::ProcessFacts& facts) const {
    switch (to_) {
      case To::all:
        return true;
      case To::others:
        return pid != tree_.main;
      case To::stopped:
        return stopped(facts);
      case To::unstopped:
        return !stopped(facts);
    }
    return false;
  }

  static constexpr std::int64_t kGroups = 64;
  static constexpr std::int64_t kUnknown = -1;

  const Tree& tree_;
  const To to_;
  const int signal_;
  const std::int64_t self_;
  os::Outsiders outsiders_;
  std::int64_t session_ = kUnknown;  // ours
  std::int32_t groups_[kGroups] = {};
  std::uint32_t dead_ = 0;  // children of ours
  Sweep result_;
};

}  // namespace

Sweep sweep(const Tree& tree, To to, int signal) {
  Sweeper sweeper(tree, to, signal);
  Sweep result;
  if (os::each_process(sweeper) == 0) return sweeper.result();
  const bool wanted = to == To::all || (to == To::stopped && tree.main_stopped) ||
                      (to == To::unstopped && !tree.main_stopped);
  if (tree.main != 0 && wanted && os::signal_child(tree.main, signal) == 0) result.sent = 1;
  return result;
}

}  // namespace atmost::run
