// Processes that a command leaves behind, and the end of all of them when its time is over.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run_kit.h"

namespace witness {
namespace {

class RunTree : public Run {
 protected:
  // All processes that marked themselves under `name` are gone.
  bool gone(const std::string& name) {
    for (const std::string& line : lines(name)) {
      if (alive(std::stoi(line))) return false;
    }
    return true;
  }
  std::string mark(const std::string& name) const { return "mark=" + file(name); }
};

TEST_F(RunTree, ADaemonDoesNotKeepUs) {
  EXPECT_EQ(
      words(world_.run(host({}, child({"daemon", mark("daemon"), "pause", "then", "exit=6"})))),
      "exit 6");
  EXPECT_TRUE(alive(marked("daemon", 1)[0]));
}

TEST_F(RunTree, WhatEndsInTimeIsNotStopped) {
  EXPECT_EQ(words(world_.run(host({"--max=60000", log_option()}, child({"exit=4"})))), "exit 4");
  EXPECT_EQ(log().find("stopping"), std::string::npos);
}

// The pause after INT would last a minute; it ends with the command.
TEST_F(RunTree, TheFirstSignalIsEnoughForMost) {
  EXPECT_EQ(words(world_.run(host({"--max=30", "--grace=60000", log_option()}, child({"pause"})))),
            "exit 124");
  EXPECT_TRUE(logged("stopping 2"));
  EXPECT_FALSE(logged("stopping 15"));
  EXPECT_TRUE(logged("main_ended 0 2 0"));
}

TEST_F(RunTree, EachSignalInTurn) {
  EXPECT_EQ(words(world_.run(host({"--max=30", "--grace=30", log_option()},
                                  child({"hear=" + file("heard"), "ignore=15", "pause"})))),
            "exit 124");
  EXPECT_EQ(log().substr(0, log().find("main_ended")), "stopping 2\nstopping 15\nstopping 9\n");
  EXPECT_TRUE(logged("main_ended 0 9 0"));
  EXPECT_EQ(read_file(file("heard")), "02\n");
}

TEST_F(RunTree, AStoppedCommandIsContinuedToBeStopped) {
  const pid_t supervisor = world_.start(host({"--max=300", "--grace=60000", log_option()},
                                             child({"ignore=2", mark("main"), "pause"})));
  const pid_t command = marked("main", 1)[0];
  ASSERT_TRUE(world_.signal_descendant(command, SIGSTOP));
  ASSERT_TRUE(eventually(Bound(20'000), [&] { return logged("stopping 2"); }));
  EXPECT_TRUE(becomes(command, 'S'));
  ASSERT_TRUE(world_.signal_descendant(command, SIGTERM));
  EXPECT_EQ(status_of(supervisor), "exit 124");
}

// A shell that became us with exec may have had children: they are not the command's.
TEST_F(RunTree, ChildrenFromBeforeAreLetBe) {
  const pid_t supervisor =
      world_.start(shell(helper("run_child") + " fork=1 " + mark("before") + " pause & " + "exec " +
                         helper("run_host") + " --max=300 --grace=50 " + log_option() + " " +
                         helper("run_child") + " " + mark("main") + " pause"));
  marked("main", 1);
  const pid_t before = marked("before", 1)[0];
  EXPECT_EQ(status_of(supervisor), "exit 124");
  EXPECT_TRUE(alive(before));
}

TEST_F(RunTree, NobodyElseIsTouched) {
  const pid_t bystander = world_.start(child({mark("bystander"), "pause"}));
  marked("bystander", 1);
  EXPECT_EQ(words(world_.run(
                host({"--max=30", "--grace=20"}, child({"ignore=2", "ignore=15", "pause"})))),
            "exit 124");
  EXPECT_TRUE(alive(bystander));
}

TEST_F(RunTree, ALostHoldStopsTheCommand) {
  const pid_t supervisor = world_.start(
      host({"--lost=50", "--max=60000", log_option()}, child({mark("main"), "pause"})));
  EXPECT_EQ(status_of(supervisor), "exit 79");
  EXPECT_TRUE(logged("stopping 2"));
  EXPECT_TRUE(gone("main"));
}

// Without adoption and /proc a tree cannot be seen, and nothing but a signal continues a stopped
// supervisor.
#ifndef ATMOST_PORTABLE

TEST_F(RunTree, AHoldIsLostInTimeByWhoIsStoppedAtTheStart) {
  const pid_t supervisor = world_.start(
      host({"--lost=300", "--stop-at-start", log_option()}, child({mark("main"), "pause"})));
  EXPECT_EQ(status_of(supervisor), "exit 79");
  EXPECT_TRUE(gone("main"));
}

TEST_F(RunTree, ADaemonKeepsTheTree) {
  const pid_t supervisor = world_.start(
      host({"--tree", log_option()}, child({"daemon", mark("daemon"), "pause", "then", "exit=6"})));
  const pid_t daemon = marked("daemon", 1)[0];
  EXPECT_TRUE(eventually(Bound(20'000), [&] { return logged("main_ended 6 0 0"); }));
  EXPECT_FALSE(world_.ended(supervisor));
  EXPECT_EQ(monitored() ? parent_of(parent_of(daemon)) : parent_of(daemon), supervisor);
  ASSERT_TRUE(world_.signal_descendant(daemon, SIGKILL));
  EXPECT_EQ(status_of(supervisor), "exit 6");
}

TEST_F(RunTree, ASignalReachesWhatIsLeftOfATree) {
  const pid_t supervisor = world_.start(
      host({"--tree", log_option()}, child({"daemon", mark("daemon"), "pause", "then", "exit=0"})));
  marked("daemon", 1);
  ASSERT_TRUE(eventually(Bound(20'000), [&] { return logged("main_ended 0 0 0"); }));
  ASSERT_TRUE(world_.signal_descendant(supervisor, SIGTERM));
  EXPECT_EQ(status_of(supervisor), "exit 0");
  EXPECT_TRUE(gone("daemon"));
}

// Stopped from the terminal with its command, it keeps its deadline nevertheless.
TEST_F(RunTree, AStoppedSupervisorWakesForTheEnd) {
  const pid_t supervisor = world_.start(
      then(child({"group"}), host({"--max=500", log_option()}, child({mark("main"), "pause"}))));
  const pid_t command = marked("main", 1)[0];
  ASSERT_TRUE(world_.signal_descendant(supervisor, SIGTSTP));
  EXPECT_TRUE(becomes(supervisor, 'T'));
  EXPECT_EQ(state_of(command), 'T');
  EXPECT_EQ(status_of(supervisor), "exit 124");
}

TEST_F(RunTree, EachSignalReachesTheWholeTree) {
  const pid_t supervisor = world_.start(host(
      {"--max=100", "--grace=100", log_option()},
      child({"ignore=2", "ignore=15", "fork=1", "hear=" + file("heard"), mark("tree"), "pause"})));
  marked("tree", 1);
  EXPECT_EQ(status_of(supervisor), "exit 124");
  EXPECT_EQ(read_file(file("heard")), "02\n15\n");
  EXPECT_TRUE(gone("tree"));
}

TEST_F(RunTree, EverythingBelowIsStopped) {
  // Three generations, one of them in a session of its own whose parent has gone; all of them
  // stubborn.
  const pid_t supervisor =
      world_.start(host({"--max=400", "--grace=50", log_option()},
                        child({"ignore=2", "ignore=15", "daemon", "fork=2", mark("tree"), "pause",
                               "then", "fork=2", "fork=3", "group", mark("tree"), "pause"})));
  marked("tree", 8);
  EXPECT_EQ(status_of(supervisor), "exit 124");
  EXPECT_TRUE(gone("tree"));
  EXPECT_TRUE(logged("main_ended 0 9 0"));
}

// The main process obeys at once; processes that it leaves behind are stopped as well, and keep the
// hold.
TEST_F(RunTree, WhatTheMainProcessLeavesBehindIsStopped) {
  const pid_t supervisor = world_.start(
      host({"--max=300", "--grace=50", log_option()},
           child({"daemon", "ignore=2", "ignore=15", mark("daemon"), "pause", "then", "pause"})));
  marked("daemon", 1);
  EXPECT_EQ(status_of(supervisor), "exit 124");
  EXPECT_FALSE(logged("hold_over"));
  EXPECT_TRUE(gone("daemon"));
  EXPECT_TRUE(logged("main_ended 0 2 0"));
  EXPECT_TRUE(logged("stopping 9"));
}

// Somebody else is waiting for the hold, or gets it at a time that is set.
TEST_F(RunTree, AHoldThatIsLostLastsAsLongAsTheTree) {
  const pid_t supervisor = world_.start(
      host({"--lost=300", "--grace=50", log_option()},
           child({"daemon", "ignore=2", "ignore=15", mark("daemon"), "pause", "then", "pause"})));
  marked("daemon", 1);
  EXPECT_EQ(status_of(supervisor), "exit 79");
  EXPECT_TRUE(gone("daemon"));
  EXPECT_TRUE(logged("main_ended 0 2 0"));
  EXPECT_FALSE(logged("hold_over"));
}

TEST_F(RunTree, ATreeThatOutlivesItsMainProcessIsStoppedInTime) {
  const pid_t supervisor =
      world_.start(host({"--tree", "--max=300", log_option()},
                        child({"daemon", mark("daemon"), "pause", "then", "exit=0"})));
  marked("daemon", 1);
  EXPECT_EQ(status_of(supervisor), "exit 124");
  EXPECT_TRUE(gone("daemon"));
  EXPECT_TRUE(logged("main_ended 0 0 0"));
}

// The kernel shows it as a zombie; another thread of it runs on.
TEST_F(RunTree, AMainThreadThatHasEnded) {
  const pid_t supervisor =
      world_.start(host({"--max=200", "--grace=50"},
                        child({"ignore=2", "ignore=15", "fork=1", mark("tree"), "headless"})));
  const pid_t stubborn = marked("tree", 1)[0];
  ASSERT_TRUE(becomes(stubborn, 'Z'));
  EXPECT_EQ(status_of(supervisor), "exit 124");
  EXPECT_TRUE(gone("tree"));
}

TEST_F(RunTree, AHundredChildren) {
  const pid_t supervisor =
      world_.start(host({"--max=500", "--grace=50", log_option()},
                        child({"ignore=2", "ignore=15", "fork=100", mark("tree"), "pause"})));
  marked("tree", 100);
  EXPECT_EQ(status_of(supervisor), "exit 124");
  EXPECT_TRUE(gone("tree"));
  EXPECT_TRUE(world_.descendants().empty());
}

#endif

}  // namespace
}  // namespace witness
