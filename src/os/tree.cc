#include "tree.h"

#include <cerrno>

#include "calls.h"
#include "process.h"
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
    if (members_ == Members::stopped && !is_stopped(facts)) return true;
    // The handle is opened first: the proofs that follow then hold for its process, or for none.
    if (branch_below(pid, root_) == 0) return true;
    ProcessHandle handle;
    int error = handle.open(pid);
    if (error == EMFILE && aimed_count_ > 0) {
      fire();
      error = handle.open(pid);
    }
    if (error == ESRCH || (error != 0 && tree_.other != nullptr)) return true;
    const std::int64_t branch = branch_below(pid, root_);
    if (branch == 0 || (tree_.mixed && branch != tree_.main)) return true;
    const bool reached = tree_.other == nullptr || tree_.other->reach.reaches(root_, pid);
    if (error == 0 && !handle.means(pid)) return true;
    if (tree_.other != nullptr && !below_other(*tree_.other, pid, facts)) return true;
    if (!reached) {
      result_.excepted = pid;
    } else if (error == 0) {
      aim(pid, static_cast<ProcessHandle&&>(handle));
    } else {
      count(pid, branch == pid ? signal_child(pid, signal_) : ESRCH);
    }
    return true;
  }
  Sweep finish() {
    fire();
    return result_;
  }

 private:
  // The last step of the proof: it fails if the root has ended meanwhile.
  static bool below_other(const OtherRoot& root, std::int64_t pid, const ProcessFacts& facts) {
    if (!root.handle.alive() || root.ancestors.have(pid)) return false;
    root.seen.add(pid, facts.start_boot_ns);
    return true;
  }

  void aim(std::int64_t pid, ProcessHandle&& handle) {
    if (aimed_count_ == kKilledAtOnce) fire();
    aimed_[aimed_count_++] = {pid, static_cast<ProcessHandle&&>(handle)};
    if (signal_ != kKill) fire();
  }

  void fire() {
    for (int i = 0; i < aimed_count_; ++i) {
      count(aimed_[i].pid, aimed_[i].handle.send(signal_));
    }
    for (int i = 0; i < aimed_count_; ++i) aimed_[i].handle = {};
    aimed_count_ = 0;
  }

  void count(std::int64_t pid, int failed) {
    result_.reached = pid;
    if (failed == 0) ++result_.sent;
    if (failed == EPERM && result_.refused == 0) result_.refused = pid;
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
    if (self_ == 1 || tree_.mixed || signal_ != kKill) return;
    if (session_ == kUnknown || dead.session == session_) return;
    std::int32_t& signalled = groups_[dead.group % kGroups];
    if (signalled == dead.group) return;
    signalled = static_cast<std::int32_t>(dead.group);
    (void)signal_group(dead.group, signal_);
  }

  struct Aimed {
    std::int64_t pid = 0;
    ProcessHandle handle;
  };

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
  int aimed_count_ = 0;
  Aimed aimed_[kKilledAtOnce];  // proven, and not yet signalled
  Sweep result_;
};

}  // namespace

Sweep sweep(const Tree& tree, Members members, int signal) {
  Sweeper sweeper(tree, members, signal);
  Sweep result;
  if (each_process(sweeper) == 0) return sweeper.finish();
  const bool wanted = members == Members::all || tree.main_stopped;
  if (tree.main == 0 || !wanted) return result;
  const int failed = signal_child(tree.main, signal);
  if (failed == 0) result.sent = 1;
  if (failed == EPERM) result.refused = tree.main;
  if (failed != ESRCH) result.reached = tree.main;
  return result;
}

int signal_child(std::int64_t pid, int signal) {
  return calls.kill(static_cast<pid_t>(pid), signal) == 0 ? 0 : errno;
}

int signal_group(std::int64_t group, int signal) {
  if (group <= 1) return ESRCH;
  return calls.kill(static_cast<pid_t>(-group), signal) == 0 ? 0 : errno;
}

int relay_signal(std::int64_t pid, int signal, std::int64_t sender) {
  union sigval value = {};
  value.sival_int = static_cast<int>(sender);
  if (calls.sigqueue(static_cast<pid_t>(pid), signal, value) == 0) return 0;
  // The value cannot be queued (RLIMIT_SIGPENDING), or the call is forbidden (seccomp). Send the
  // signal without it.
  return signal_child(pid, signal);
}

namespace {

bool carries(std::int64_t pid, const char* variable, std::span<const std::uint64_t> marks) {
  for (const std::uint64_t mark : marks) {
    const bool possible = mark > 0 && mark <= INT64_MAX;
    if (possible && is_marked(pid, variable, static_cast<std::int64_t>(mark))) return true;
  }
  return false;
}

class Census final : public ProcessVisitor {
 public:
  Census(const SeenDescendants& seen, const char* variable, std::span<const std::uint64_t> marks,
         std::span<std::int64_t> to)
      : seen_(seen), variable_(variable), marks_(marks), to_(to) {}

  bool process(std::int64_t pid, const ProcessFacts& facts) override {
    if (facts.ended()) return true;
    if (!seen_.have(pid, facts.start_boot_ns) && !carries(pid, variable_, marks_)) return true;
    if (pid == process_id() || is_ancestor(pid)) return true;
    if (count < to_.size()) to_[count] = pid;
    ++count;
    return true;
  }
  std::uint32_t count = 0;

 private:
  const SeenDescendants& seen_;
  const char* const variable_;
  std::span<const std::uint64_t> marks_;
  std::span<std::int64_t> to_;
};

}  // namespace

void SeenDescendants::add(std::int64_t pid, std::int64_t start_boot_ns) {
  if (count_ < kMost && !have(pid, start_boot_ns)) members_[count_++] = {pid, start_boot_ns};
}

bool SeenDescendants::have(std::int64_t pid, std::int64_t start_boot_ns) const {
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (members_[i].pid == pid && members_[i].start_boot_ns == start_boot_ns) return true;
  }
  return false;
}

std::uint32_t SeenDescendants::alive(const char* variable, std::span<const std::uint64_t> marks,
                                     std::span<std::int64_t> to) const {
  Census census(*this, variable, marks, to);
  (void)each_process(census);
  return census.count;
}

}  // namespace atmost::os
