// A supervisor and the monitor above it: whichever of the two is killed, nothing of the command
// lives on.
#include <fstream>

#include "run_kit.h"

namespace witness {
namespace {

class RunMonitor : public Run {
 protected:
  // Processes that end for no signal but KILL: the command, two children, and a daemon that has
  // left the session.
  Argv stubborn() const {
    return child({"ignore=1", "ignore=2", "ignore=15", "daemon", "mark=" + file("tree"), "pause",
                  "then", "mark=" + file("tree"), "fork=2", "mark=" + file("tree"), "pause"});
  }
  void start(const Argv& options, const Argv& command, std::size_t processes) {
    Argv argv = {helper("monitor_host"), helper("run_monitored")};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.insert(argv.end(), command.begin(), command.end());
    monitor_ = world_.start(argv);
    tree_ = marked("tree", processes);
    const std::vector<pid_t> below = world_.children_of(monitor_);
    ASSERT_EQ(below.size(), 1u);
    monitored_ = below[0];
  }
  bool all_gone() {
    return eventually(Bound(20'000), [&] {
      for (pid_t pid : tree_) {
        if (alive(pid)) return false;
      }
      return true;
    });
  }

  // Nothing is pending for it any more.
  bool all_read(pid_t pid) {
    return eventually(Bound(20'000), [&] {
      return read_file("/proc/" + std::to_string(pid) + "/status")
                 .find("ShdPnd:\t0000000000000000") != std::string::npos;
    });
  }

  pid_t monitor_ = 0;
  pid_t monitored_ = 0;
  std::vector<pid_t> tree_;
};

TEST_F(RunMonitor, AKilledSupervisorLeavesNothingBehind) {
  start({}, stubborn(), 4);
  ASSERT_TRUE(world_.signal_descendant(monitored_, SIGKILL));
  EXPECT_TRUE(all_gone());
  EXPECT_EQ(status_of(monitor_), "signal 9");
}

// The kernel continues it at the supervisor's end.
TEST_F(RunMonitor, AStoppedMonitorStopsWhatAKilledSupervisorLeavesBehind) {
  start({}, stubborn(), 4);
  ASSERT_TRUE(world_.signal_descendant(monitor_, SIGSTOP));
  ASSERT_TRUE(becomes(monitor_, 'T'));
  ASSERT_TRUE(world_.signal_descendant(monitored_, SIGKILL));
  EXPECT_TRUE(all_gone());
  EXPECT_EQ(status_of(monitor_), "signal 9");
}

TEST_F(RunMonitor, AKilledMonitorHasItsCommandStopped) {
  start({"--grace=20"}, stubborn(), 4);
  ASSERT_TRUE(world_.signal_descendant(monitor_, SIGKILL));
  EXPECT_TRUE(all_gone());
  EXPECT_TRUE(eventually(Bound(20'000), [&] { return !alive(monitored_); }));
}

// The death of the command is not that of its supervisor: nothing stops the processes that the
// command leaves behind.
TEST_F(RunMonitor, ADaemonOfAKilledCommandLivesOn) {
  start({},
        child({"daemon", "mark=" + file("tree"), "pause", "then", "mark=" + file("main"), "pause"}),
        1);
  ASSERT_TRUE(world_.signal_descendant(marked("main", 1)[0], SIGKILL));
  EXPECT_EQ(status_of(monitor_), "signal 9");
  EXPECT_TRUE(alive(tree_[0]));
}

// Somebody's SIGSTOP is for the supervisor alone: a monitor that stood still with it could not
// report its end.
TEST_F(RunMonitor, AStoppedSupervisorDoesNotStopItsMonitor) {
  Argv argv = child({"group", "exec", helper("monitor_host"), helper("run_monitored")});
  const Argv command = child({"mark=" + file("tree"), "pause"});
  argv.insert(argv.end(), command.begin(), command.end());
  monitor_ = world_.start(argv);
  monitored_ = parent_of(marked("tree", 1)[0]);
  ASSERT_TRUE(world_.signal_descendant(monitored_, SIGSTOP));
  ASSERT_TRUE(becomes(monitored_, 'T'));
  ASSERT_TRUE(world_.signal_descendant(
      monitor_,
      SIGUSR2));  // passed on, and so the monitor has read the news before it
  EXPECT_TRUE(stays(Bound(50), [&] { return state_of(monitor_) != 'T'; }));
  ASSERT_TRUE(world_.signal_descendant(monitored_, SIGKILL));
  EXPECT_EQ(status_of(monitor_), "signal 9");
}

// It comes to the monitor as well, and from there to the supervisor once more: at a moment of its
// own.
TEST_F(RunMonitor, WhatTheCommandSendsItsGroupDoesNotComeBack) {
  Argv argv = child({"group", "exec", helper("monitor_host"), helper("run_monitored")});
  for (const std::string& word :
       shell("trap 'echo usr1 >> heard' USR1; trap 'echo usr2 >> heard' USR2; "
             "until read x < go; do :; done 2> /dev/null; kill -USR1 0; "
             "echo $$ >> sent; while :; do read x < /dev/null; done")) {
    argv.push_back(word);
  }
  monitor_ = world_.start(argv);
  ASSERT_TRUE(eventually(Bound(20'000), [&] { return world_.children_of(monitor_).size() == 1; }));
  ASSERT_TRUE(world_.signal_descendant(monitor_, SIGSTOP));
  ASSERT_TRUE(becomes(monitor_, 'T'));
  std::ofstream(file("go")) << "go\n";
  const pid_t command = marked("sent", 1)[0];
  ASSERT_TRUE(all_read(parent_of(command)));
  ASSERT_TRUE(world_.signal_descendant(monitor_, SIGCONT));
  // Both are read and passed on in the order of numbers: were USR1 given back, it would be there by
  // the time USR2 is.
  ASSERT_TRUE(world_.signal_descendant(monitor_, SIGUSR2));
  EXPECT_TRUE(eventually(Bound(20'000), [&] { return lines("heard").size() >= 2; }));
  EXPECT_EQ(read_file(file("heard")), "usr1\nusr2\n");
}

TEST_F(RunMonitor, TheCommandInheritsNothingOfIt) {
  EXPECT_EQ(words(world_.run(host({}, child({"fds=" + file("plain")})))), "exit 0");
  start({}, child({"fds=" + file("fds"), "mark=" + file("tree"), "pause"}), 1);
  EXPECT_EQ(lines("fds"), lines("plain"));
  EXPECT_EQ(parent_of(tree_[0]), monitored_);
}

TEST_F(RunMonitor, WhatCannotBeStartedIsSaid) {
  EXPECT_EQ(words(world_.run({helper("monitor_host"), file("nothing")})), "exit 127");
  EXPECT_EQ(words(world_.run({helper("monitor_host"), "/dev/null"})), "exit 126");
  const std::string host = helper("monitor_host") + " " + helper("run_monitored") + " true";
  EXPECT_EQ(words(world_.run(shell("ulimit -n 3; exec " + host))), "exit 70");
  EXPECT_EQ(words(world_.run(shell("exec <&- >&- 2>&-; exec " + host))), "exit 0");
}

}  // namespace
}  // namespace witness
