// One sweep over processes that this test made, in this very process: processes that it meets
// through a dead child's group, and its early end.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>

#include "os/calls.h"
#include "os/self.h"
#include "os/spawn.h"
#include "os/tree.h"
#include "takeover_namespace.h"
#include "takeover_records.h"
#include "witness_world.h"

namespace atmost::os {
namespace {

enum class Begins { a_session, a_group };

bool ends(pid_t pid, std::chrono::milliseconds within) {
  return witness::eventually(within, [pid] { return !witness::alive(pid); });
}

// Our dead child began a session, or a group; its child lives, and has a child in the same group.
// No handle can be had, so that SIGKILL comes to the last one through the group or not at all. Says
// whether it did.
std::string met_through_group(Begins what) {
  const Adoption adoption;
  int line[2];
  if (pipe(line) != 0) return "no pipe";
  const pid_t dead = fork();
  if (dead == 0) {
    if (what == Begins::a_session) setsid();
    if (what == Begins::a_group) setpgid(0, 0);
    if (fork() != 0) _exit(0);
    const pid_t last = fork();
    if (last != 0 && write(line[1], &last, sizeof last) != sizeof last) _exit(1);
    for (;;) pause();
  }
  pid_t last = 0;
  siginfo_t ended = {};
  if (read(line[0], &last, sizeof last) != sizeof last) return "nobody started";
  if (waitid(P_PID, static_cast<id_t>(dead), &ended, WEXITED | WNOWAIT) != 0)
    return "no dead child";
  close(line[0]);
  close(line[1]);

  calls.pidfd_open = [](pid_t, unsigned) {
    errno = EPERM;
    return -1;
  };
  // Nothing ends during the sweep: the child of what it kills would become ours.
  static pid_t group;
  group = 0;
  calls.kill = [](pid_t to, int) {
    if (to < 0) group = -to;
    return 0;
  };
  const Sweep killed = sweep({}, Members::all, SIGKILL);
  calls = kRealCalls;
  if (group != 0) kill(-group, SIGKILL);
  const bool met = ends(last, std::chrono::milliseconds(what == Begins::a_session ? 10'000 : 200));
  while (waitpid(-1, nullptr, WNOHANG) >= 0) sweep({}, Members::all, SIGKILL);
  if (killed.sent != 1) return "other than its parent was signalled";
  return met ? "well" : "not met";
}

TEST(OsTree, MeetsWhatTheDeadLeftThroughTheirGroup) {
  EXPECT_EQ(met_through_group(Begins::a_session), "well");
}

// A group of our own session may be somebody else's, who began it before us.
TEST(OsTree, GroupsOfOurSessionAreLetBe) {
  EXPECT_EQ(met_through_group(Begins::a_group), "not met");
}

// A process that a container's or a CI's agent starts without a session of its own has the number 0
// for it.
TEST(OsTree, MeetsThemFromASessionOutsideThePidNamespace) {
  const std::string found =
      witness::in_namespace([] {},
                            [] {
                              return getsid(0) == 0 ? met_through_group(Begins::a_session)
                                                    : std::string("a session of its own");
                            });
  if (found == witness::kNoNamespace) GTEST_SKIP() << found;
  EXPECT_EQ(found, "");
}

TEST(OsTree, EndsAtManyDeadAndSaysSo) {
  for (std::uint32_t i = 0; i < kDeadInASweep; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    siginfo_t ended = {};
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  }
  const Sweep first = sweep({}, Members::all, SIGKILL);
  EXPECT_TRUE(first.cut);
  ASSERT_GT(waitpid(-1, nullptr, 0), 0);
  const Sweep second = sweep({}, Members::all, SIGKILL);
  EXPECT_FALSE(second.cut);
  EXPECT_EQ(second.reached, 0);
  while (waitpid(-1, nullptr, 0) > 0) {
  }
}

struct ExceptOne final : Reach {
  explicit ExceptOne(std::int64_t pid) : excepted(pid) {}
  bool reaches(std::int64_t, std::int64_t descendant) const override {
    return descendant != excepted;
  }
  const std::int64_t excepted;
};

// A process with two children, which are not our children, as for a taker.
struct OthersTree {
  pid_t root = 0;
  pid_t children[2] = {};

  OthersTree() {
    int line[2];
    if (pipe(line) != 0) return;
    root = fork();
    if (root == 0) {
      for (pid_t& child : children) {
        child = fork();
        for (; child == 0;) pause();
      }
      if (write(line[1], children, sizeof children) != sizeof children) _exit(1);
      for (;;) pause();
    }
    if (read(line[0], children, sizeof children) != sizeof children) root = 0;
    close(line[0]);
    close(line[1]);
  }
  ~OthersTree() {
    for (const pid_t child : children) kill(child, SIGKILL);
    end_root();
  }
  void end_root() {
    if (root > 0) kill(root, SIGKILL);
    if (root > 0) waitpid(root, nullptr, 0);
    root = 0;
  }
};

TEST(OsTree, BelowAnotherProcessSignalsWhatIsReachedAndRemembersAll) {
  const OthersTree tree;
  ASSERT_GT(tree.root, 0);
  ProcessHandle handle;
  ASSERT_EQ(handle.open(tree.root), 0);
  const Ancestors ancestors;
  const ExceptOne reach(tree.children[1]);
  SeenDescendants seen;
  const OtherRoot root = {tree.root, handle, ancestors, reach, seen};

  const Sweep seen_all = sweep({.other = &root}, Members::all, 0);
  EXPECT_EQ(seen_all.sent, 1U);
  for (const pid_t child : tree.children) {
    ProcessFacts facts;
    ASSERT_EQ(process_facts(child, facts), 0);
    EXPECT_TRUE(seen.have(child, facts.start_boot_ns));
  }
  const Sweep killed = sweep({.other = &root}, Members::all, SIGKILL);
  EXPECT_EQ(killed.sent, 1U);
  EXPECT_EQ(killed.reached, tree.children[0]);
  EXPECT_EQ(killed.excepted, tree.children[1]);
  EXPECT_TRUE(ends(tree.children[0], std::chrono::seconds(10)));
  EXPECT_TRUE(witness::alive(tree.children[1]));
  EXPECT_TRUE(witness::alive(tree.root));
  EXPECT_EQ(sweep({.other = &root}, Members::all, SIGKILL).sent, 0U);
}

// Its number may be another process's by then.
TEST(OsTree, NothingIsProvenToBeBelowAProcessThatHasEnded) {
  OthersTree tree;
  ASSERT_GT(tree.root, 0);
  const pid_t number = fork();  // still there, while its handle means one that has gone
  if (number == 0) {
    (void)!fork();
    for (;;) pause();
  }
  ProcessHandle gone;
  ASSERT_EQ(gone.open(tree.root), 0);
  tree.end_root();
  const Ancestors ancestors;
  const ExceptOne reach(0);
  SeenDescendants seen;
  const OtherRoot root = {number, gone, ancestors, reach, seen};
  const auto child_of_number = [number] {
    ProcessHandle real;
    const Ancestors ours;
    const ExceptOne all(0);
    SeenDescendants met;
    const OtherRoot living = {number, real, ours, all, met};
    return real.open(number) == 0 ? sweep({.other = &living}, Members::all, 0).reached : 0;
  };
  ASSERT_TRUE(
      witness::eventually(std::chrono::seconds(10), [&] { return child_of_number() != 0; }));

  EXPECT_EQ(sweep({.other = &root}, Members::all, SIGKILL).sent, 0U);
  const std::int64_t child = child_of_number();
  ASSERT_GT(child, 0);
  EXPECT_TRUE(witness::alive(static_cast<pid_t>(child)));
  kill(static_cast<pid_t>(child), SIGKILL);
  kill(number, SIGKILL);
  waitpid(number, nullptr, 0);
}

}  // namespace
}  // namespace atmost::os
