// A supervisor and the warden above it: whichever of the two is killed, nothing of the command
// lives on.
#include <fstream>

#include "run_kit.h"

namespace witness {
namespace {

class RunWarden : public Run {
 protected:
  // What ends for no signal but KILL: the command, two children, and a daemon that has left the
  // session.
  Argv stubborn() const {
    return child({"ignore=1", "ignore=2", "ignore=15", "daemon", "mark=" + file("tree"), "pause",
                  "then", "mark=" + file("tree"), "fork=2", "mark=" + file("tree"), "pause"});
  }
  void start(const Argv& options, const Argv& command, std::size_t processes) {
    Argv argv = {helper("warden_host"), helper("run_ward")};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.insert(argv.end(), command.begin(), command.end());
    warden_ = world_.start(argv);
    tree_ = marked("tree", processes);
    const std::vector<pid_t> below = world_.children_of(warden_);
    ASSERT_EQ(below.size(), 1u);
    ward_ = below[0];
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

  pid_t warden_ = 0;
  pid_t ward_ = 0;
  std::vector<pid_t> tree_;
};

TEST_F(RunWarden, AKilledSupervisorLeavesNothingBehind) {
  start({}, stubborn(), 4);
  ASSERT_TRUE(world_.signal_descendant(ward_, SIGKILL));
  EXPECT_TRUE(all_gone());
  EXPECT_EQ(status_of(warden_), "signal 9");
}

// The kernel continues it at the supervisor's end.
TEST_F(RunWarden, AStoppedWardenStopsWhatAKilledSupervisorLeavesBehind) {
  start({}, stubborn(), 4);
  ASSERT_TRUE(world_.signal_descendant(warden_, SIGSTOP));
  ASSERT_TRUE(becomes(warden_, 'T'));
  ASSERT_TRUE(world_.signal_descendant(ward_, SIGKILL));
  EXPECT_TRUE(all_gone());
  EXPECT_EQ(status_of(warden_), "signal 9");
}

TEST_F(RunWarden, AKilledWardenHasItsCommandStopped) {
  start({"--grace=20"}, stubborn(), 4);
  ASSERT_TRUE(world_.signal_descendant(warden_, SIGKILL));
  EXPECT_TRUE(all_gone());
  EXPECT_TRUE(eventually(Bound(20'000), [&] { return !alive(ward_); }));
}

// That the command was killed is no news of its supervisor: what it leaves behind is nobody's
// business.
TEST_F(RunWarden, ADaemonOfAKilledCommandLivesOn) {
  start({},
        child({"daemon", "mark=" + file("tree"), "pause", "then", "mark=" + file("main"), "pause"}),
        1);
  ASSERT_TRUE(world_.signal_descendant(marked("main", 1)[0], SIGKILL));
  EXPECT_EQ(status_of(warden_), "signal 9");
  EXPECT_TRUE(alive(tree_[0]));
}

// Somebody's SIGSTOP is for the supervisor alone: a warden that stood still with it could not tell
// of its end.
TEST_F(RunWarden, AStoppedSupervisorDoesNotStopItsWarden) {
  Argv argv = child({"group", "exec", helper("warden_host"), helper("run_ward")});
  const Argv command = child({"mark=" + file("tree"), "pause"});
  argv.insert(argv.end(), command.begin(), command.end());
  warden_ = world_.start(argv);
  ward_ = parent_of(marked("tree", 1)[0]);
  ASSERT_TRUE(world_.signal_descendant(ward_, SIGSTOP));
  ASSERT_TRUE(becomes(ward_, 'T'));
  ASSERT_TRUE(world_.signal_descendant(
      warden_,
      SIGUSR2));  // passed on, and so the warden has read the news before it
  EXPECT_TRUE(stays(Bound(50), [&] { return state_of(warden_) != 'T'; }));
  ASSERT_TRUE(world_.signal_descendant(ward_, SIGKILL));
  EXPECT_EQ(status_of(warden_), "signal 9");
}

// It comes to the warden as well, and from there to the supervisor once more: at a moment of its
// own.
TEST_F(RunWarden, WhatTheCommandSendsItsGroupDoesNotComeBack) {
  Argv argv = child({"group", "exec", helper("warden_host"), helper("run_ward")});
  for (const std::string& word :
       shell("trap 'echo usr1 >> heard' USR1; trap 'echo usr2 >> heard' USR2; "
             "until read x < go; do :; done 2> /dev/null; kill -USR1 0; "
             "echo $$ >> sent; while :; do read x < /dev/null; done")) {
    argv.push_back(word);
  }
  warden_ = world_.start(argv);
  ASSERT_TRUE(eventually(Bound(20'000), [&] { return world_.children_of(warden_).size() == 1; }));
  ASSERT_TRUE(world_.signal_descendant(warden_, SIGSTOP));
  ASSERT_TRUE(becomes(warden_, 'T'));
  std::ofstream(file("go")) << "go\n";
  const pid_t command = marked("sent", 1)[0];
  ASSERT_TRUE(all_read(parent_of(command)));
  ASSERT_TRUE(world_.signal_descendant(warden_, SIGCONT));
  // Both are read and passed on in the order of numbers: were USR1 given back, it would be there by
  // the time USR2 is.
  ASSERT_TRUE(world_.signal_descendant(warden_, SIGUSR2));
  EXPECT_TRUE(eventually(Bound(20'000), [&] { return lines("heard").size() >= 2; }));
  EXPECT_EQ(read_file(file("heard")), "usr1\nusr2\n");
}

TEST_F(RunWarden, TheCommandInheritsNothingOfIt) {
  EXPECT_EQ(words(world_.run(host({}, child({"fds=" + file("plain")})))), "exit 0");
  start({}, child({"fds=" + file("fds"), "mark=" + file("tree"), "pause"}), 1);
  EXPECT_EQ(lines("fds"), lines("plain"));
  EXPECT_EQ(parent_of(tree_[0]), ward_);
}

TEST_F(RunWarden, WhatCannotBeStartedIsSaid) {
  EXPECT_EQ(words(world_.run({helper("warden_host"), file("nothing")})), "exit 127");
  EXPECT_EQ(words(world_.run({helper("warden_host"), "/dev/null"})), "exit 126");
  const std::string host = helper("warden_host") + " " + helper("run_ward") + " true";
  EXPECT_EQ(words(world_.run(shell("ulimit -n 3; exec " + host))), "exit 70");
  EXPECT_EQ(words(world_.run(shell("exec <&- >&- 2>&-; exec " + host))), "exit 0");
}

}  // namespace
}  // namespace witness
