// Holders that cannot be proven, or cannot be stopped: they are named, and no other process is
// harmed.
#include <sys/stat.h>
#include <unistd.h>

#include "takeover_kit.h"

namespace witness {
namespace {

class TakeoverStrangers : public Takeover {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs root";
  }
  void hold_stubbornly(const Argv& options = {}) {
    world_.start(child(run(options), {hear("heard"), mark("holder"), "pause"}));
    holder_ = marked("holder");
  }
  Argv taking() const {
    return join(run({"--no-history", "--expire-after", "0", "--kill-grace", "100ms"}),
                {"/bin/true"});
  }
  void expect_unproven(const Answer& answer) {
    EXPECT_EQ(answer.end, "exit 77") << answer.errors;
    EXPECT_NE(answer.errors.find("cannot be proven"), std::string::npos) << answer.errors;
    EXPECT_TRUE(alive(holder_[0]));
    EXPECT_EQ(lines("heard").size(), 0u) << read_file(file("heard"));
  }
  bool namespaces() {
    return ask({"/usr/bin/unshare", "--pid", "--fork", "--mount-proc", "/bin/true"}).end ==
           "exit 0";
  }

  std::vector<pid_t> holder_;
};

TEST_F(TakeoverStrangers, OfAnotherUser) {
  ASSERT_EQ(chmod(directory_.path().c_str(), 0755), 0);
  const Argv other = {"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
  if (ask(join(other, {under_test("atmost"), "--version"})).end != "exit 0")
    GTEST_SKIP() << "no setpriv";
  ASSERT_EQ(chmod(lock_.c_str(), 0666), 0);
  for (const Argv& kind : {Argv{}, Argv{"--exec"}, Argv{"--exec", "--until=close"}}) {
    hold_stubbornly(kind);
    expect_unproven(ask(join(other, taking())));
    world_.kill_all();
    ASSERT_EQ(ask({"/bin/rm", file("holder")}).end, "exit 0");
  }
}

TEST_F(TakeoverStrangers, OutsideOfOurPidNamespace) {
  if (!namespaces()) GTEST_SKIP() << "no pid namespaces";
  hold_stubbornly();
  expect_unproven(ask(join({"/usr/bin/unshare", "--pid", "--fork", "--mount-proc"}, taking())));
}

// With the /proc of outside a number there means another process here: one gets the very number of
// the holder.
TEST_F(TakeoverStrangers, WhoseNumberIsAnothersInHere) {
  if (!namespaces()) GTEST_SKIP() << "no pid namespaces";
  for (const Argv& kind : {Argv{}, Argv{"--exec"}}) {
    hold_stubbornly(kind);
    // The innocent gets the number of the process that holds: with --exec the command, else the
    // supervisor.
    const pid_t number = kind.empty() ? parent_of(holder_[0]) : holder_[0];
    const std::string script =
        "echo " + std::to_string(number - 1) + " >/proc/sys/kernel/ns_last_pid; " +
        helper("run_child") + " " + hear("innocent") + " " + mark("innocent-mark") +
        " pause & until test -s '" + file("innocent-mark") + "'; do sleep 0.01; done; \"$@\"";
    const Answer answer =
        ask(join({"/usr/bin/unshare", "--pid", "--fork", "/bin/sh", "-c", script, "-"}, taking()));
    expect_unproven(answer);
    EXPECT_EQ(marked("innocent-mark")[0], number);
    EXPECT_EQ(lines("innocent").size(), 0u) << read_file(file("innocent"));
    world_.kill_all();
    ASSERT_EQ(ask({"/bin/rm", file("holder"), file("innocent-mark")}).end, "exit 0");
  }
}

// A privileged process that the command started cannot be stopped by its user: it keeps the slot,
// and is named. If /proc hides it from that user (hidepid), no name is known.
TEST_F(TakeoverStrangers, APrivilegedLeftoverIsNamed) {
  ASSERT_EQ(chmod(directory_.path().c_str(), 01777), 0);
  const Argv other = {"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
  const std::string privileged = file("privileged");
  ASSERT_EQ(ask({"/bin/cp", helper("run_child"), privileged}).end, "exit 0");
  ASSERT_EQ(chmod(privileged.c_str(), 04755), 0);
  ASSERT_EQ(chmod(lock_.c_str(), 0666), 0);
  if (ask(join(other, {privileged, "become=0", "exit=0"})).end != "exit 0")
    GTEST_SKIP() << "no set-user-id";

  const std::string script = "\"$0\" become=0 " + mark("holder") + " pause & wait";
  world_.start(join(join(other, run({"--no-history", "--kill-grace", "100ms"})),
                    {"/bin/sh", "-c", script, privileged}));
  holder_ = marked("holder");
  const bool hidden = ask(join(other, {"/usr/bin/test", "-e", "/proc/1/stat"})).end != "exit 0";
  const Answer taken = ask(join(other, taking()), kLong);
  EXPECT_EQ(taken.end, "exit 75");
  const std::string named =
      hidden ? "could not be stopped"
             : std::to_string(holder_[0]) + " (privileged) of root may not be signalled from here";
  EXPECT_NE(taken.errors.find(named), std::string::npos) << taken.errors;
  EXPECT_TRUE(alive(holder_[0]));
}

// From outside everything can be seen.
TEST_F(TakeoverStrangers, InsideAnotherPidNamespace) {
  if (!namespaces()) GTEST_SKIP() << "no pid namespaces";
  const Argv inside = {"/usr/bin/unshare", "--pid", "--fork", "--kill-child", "--mount-proc"};
  world_.start(child(join(inside, run({})), {hear("heard"), mark("holder"), "pause"}));
  marked("holder");
  EXPECT_TRUE(probe_.slot_held(1));
  const Answer taken = take();
  EXPECT_EQ(taken.end, "exit 0") << taken.errors;
  EXPECT_EQ(heard("heard"), "02 15");
}

// In uninterruptible sleep: not even KILL ends it. It keeps its lock, and is named.
TEST_F(TakeoverStrangers, InDiskWait) {
  const std::string mount = file("mount");
  ASSERT_EQ(mkdir(mount.c_str(), 0755), 0);
  const Argv sleeper = {"/bin/sh", "-c",
                        "echo $$ >" + file("holder") + "; exec cat " + mount + "/x"};
  const pid_t host = world_.start(join(join({helper("hung_mount"), mount}, run({})), sleeper));
  if (!eventually(kLong, [&] { return world_.ended(host) || !lines("holder").empty(); }) ||
      world_.ended(host)) {
    GTEST_SKIP() << "no FUSE";
  }
  const pid_t stuck = marked("holder")[0];
  ASSERT_TRUE(becomes(stuck, 'S') || becomes(stuck, 'D'));
  const Answer taken = take();
  EXPECT_EQ(taken.end, "exit 75");
  EXPECT_NE(taken.errors.find("could not be stopped: process " + std::to_string(stuck)),
            std::string::npos)
      << taken.errors;
  EXPECT_TRUE(probe_.slot_held(1));
  EXPECT_EQ(state_of(stuck), 'D');
  EXPECT_EQ(events("\"worked\":true"), 0u) << history();
  ASSERT_TRUE(world_.signal_descendant(host, SIGKILL, true));  // and the mount ends with it
}

}  // namespace
}  // namespace witness
