// The handling of signals: those we were started with, those sent to us, those that stop.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "run_kit.h"

namespace witness {
namespace {

class RunSignals : public Run {
 protected:
  // A supervisor whose command notes every signal; both pids.
  void start_hearing(const Argv& before = {}) {
    const Argv command = child({"hear=" + file("heard"), "mark=" + file("main"), "pause"});
    supervisor_ =
        world_.start(before.empty() ? host({}, command) : then(child(before), host({}, command)));
    command_ = marked("main", 1)[0];
  }
  bool hears(const std::string& what) {
    return eventually(Bound(20'000), [&] { return read_file(file("heard")) == what; });
  }

  // The lines on blocked, ignored and caught signals that a command wrote to its output.
  std::string signal_lines(const Argv& argv) {
    const int out = open(file("state").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    Streams streams;
    streams.out = out;
    EXPECT_EQ(words(world_.run(argv, streams)), "exit 0");
    close(out);
    const std::string text = read_file(file("state"));
    const std::size_t start = text.find("SigBlk:");
    return start == std::string::npos ? "" : text.substr(start, text.find("CapInh:") - start);
  }

  pid_t supervisor_ = 0;
  pid_t command_ = 0;
};

std::string two_digits(int signal) {
  return {char('0' + signal / 10), char('0' + signal % 10), '\n'};
}

TEST_F(RunSignals, WhatTheCommandFindsIsWhatWeFound) {
  const Argv look = {"/bin/cat", "/proc/self/status"};
  for (const Argv& given :
       {Argv{}, Argv{"ignore=1"}, Argv{"ignore=17", "ignore=13"}, Argv{"block=10", "block=15"},
        Argv{"ignore=20", "ignore=21", "ignore=22", "block=17", "ignore=2", "block=40"}}) {
    const std::string plain = signal_lines(then(child(given), look));
    ASSERT_NE(plain, "");
    EXPECT_EQ(signal_lines(then(child(given), host({log_option()}, look))), plain);
    // Ours is afterwards as before, too: the log's last lines have it.
    EXPECT_EQ(log().substr(log().rfind("SigBlk")), plain);
    EXPECT_EQ(signal_lines(then(child(given), host({"--exec"}, look))), plain);
  }
}

TEST_F(RunSignals, AParentThatIgnoredItsChildrenChangesNothing) {
  for (const int code : {0, 3, 255}) {
    EXPECT_EQ(words(world_.run(
                  then(child({"ignore=17"}), host({}, child({"exit=" + std::to_string(code)}))))),
              "exit " + std::to_string(code));
  }
  EXPECT_EQ(words(world_.run(then(child({"ignore=17", "block=17"}), host({}, child({"die=15"}))))),
            "signal 15");
}

TEST_F(RunSignals, EverySignalIsPassedOn) {
  start_hearing();
  std::string expected;
  for (int signal = 1; signal <= 64; ++signal) {
    // The C library keeps 32 to 34 for itself, and 17 is ours.
    if (signal == SIGKILL || signal == SIGSTOP || signal == SIGCHLD || (signal > 31 && signal < 35))
      continue;
#ifdef ATMOST_PORTABLE
    // Faults: POSIX leaves undefined what becomes of them when they are held back.
    if (signal == SIGILL || signal == SIGTRAP || signal == SIGABRT || signal == SIGBUS ||
        signal == SIGFPE || signal == SIGSEGV || signal == SIGSYS) {
      continue;
    }
#endif
    ASSERT_TRUE(world_.signal_descendant(supervisor_, signal));
    expected += two_digits(signal);
    ASSERT_TRUE(hears(expected)) << signal << ": " << read_file(file("heard"));
  }
  ASSERT_TRUE(world_.signal_descendant(command_, SIGKILL));
  EXPECT_EQ(status_of(supervisor_), "signal 9");
}

TEST_F(RunSignals, WhatACommandIgnoresDoesNotEndUs) {
  const pid_t supervisor =
      world_.start(then(child({"ignore=1", "ignore=15"}),
                        host({}, child({"hear=" + file("heard"), "ignore=1", "ignore=15",
                                        "mark=" + file("main"), "pause"}))));
  marked("main", 1);
  ASSERT_TRUE(world_.signal_descendant(supervisor, SIGHUP));
  ASSERT_TRUE(world_.signal_descendant(supervisor, SIGTERM));
  ASSERT_TRUE(world_.signal_descendant(supervisor, SIGUSR2));
  EXPECT_TRUE(hears(two_digits(SIGUSR2)));
  EXPECT_FALSE(world_.ended(supervisor));
}

// alarm(2) set before us, as in perl -e 'alarm 5; exec @ARGV' atmost run ...
TEST_F(RunSignals, AnAlarmSetBeforeUsIsTheCommands) {
  EXPECT_EQ(words(world_.run(then(child({"alarm=50"}), host({}, child({"pause"}))))), "signal 14");
}

TEST_F(RunSignals, WhatTheCommandSendsItsGroupDoesNotComeBack) {
  const std::string heard = file("heard");
  const pid_t supervisor = world_.start(
      then(child({"group"}),
           host({}, shell("trap 'echo usr1 >> " + heard + "' USR1; trap 'echo usr2 >> " + heard +
                          "' USR2; kill -USR1 0; echo $$ > " + file("main") +
                          "; while :; do read x < /dev/null; done"))));
  marked("main", 1);
  // Passed on in the order of numbers: were USR1 given back, it would be there by the time USR2 is.
  ASSERT_TRUE(world_.signal_descendant(supervisor, SIGUSR2));
  EXPECT_TRUE(hears("usr1\nusr2\n")) << read_file(heard);
}

TEST_F(RunSignals, AStopForUsStopsBoth) {
  start_hearing({"group"});
  for (const int signal : {SIGTSTP, SIGTTIN, SIGTTOU}) {
    // The command gets it and runs on: so do we.
    ASSERT_TRUE(world_.signal_descendant(supervisor_, signal));
  }
  EXPECT_TRUE(eventually(Bound(20'000), [&] { return lines("heard").size() == 3; }));
  EXPECT_TRUE(becomes(supervisor_, 'S'));
  world_.signal_descendant(command_, SIGKILL);
  status_of(supervisor_);

  for (const int signal : {SIGTSTP, SIGTTIN, SIGTTOU}) {
    const std::string name = "main" + std::to_string(signal);
    const pid_t supervisor =
        world_.start(then(child({"group"}), host({}, child({"mark=" + file(name), "pause"}))));
    const pid_t command = marked(name, 1)[0];
    ASSERT_TRUE(world_.signal_descendant(supervisor, signal));
    EXPECT_TRUE(becomes(command, 'T'));
    EXPECT_TRUE(becomes(supervisor, 'T'));
    ASSERT_TRUE(world_.signal_descendant(supervisor, SIGCONT));
    EXPECT_TRUE(becomes(command, 'S'));
    EXPECT_TRUE(becomes(supervisor, 'S'));
    world_.signal_descendant(command, SIGTERM);
    EXPECT_EQ(status_of(supervisor), "signal 15");
  }
}

// Not a job's leader: inside a script, or a service's helper. No process there would continue us.
TEST_F(RunSignals, ACommandStoppedAloneStopsAlone) {
  start_hearing();
  ASSERT_TRUE(world_.signal_descendant(command_, SIGSTOP));
  ASSERT_TRUE(becomes(command_, 'T'));
  ASSERT_TRUE(world_.signal_descendant(command_, SIGCONT));
  ASSERT_TRUE(becomes(command_, 'S'));
  EXPECT_TRUE(becomes(supervisor_, 'S'));
  ASSERT_TRUE(world_.signal_descendant(command_, SIGSTOP));
  ASSERT_TRUE(becomes(command_, 'T'));
  ASSERT_TRUE(world_.signal_descendant(command_, SIGKILL));
  EXPECT_EQ(status_of(supervisor_), "signal 9");
}

// A shell's `fg` continues the whole group: the command has been continued, and is not a second
// time by us.
TEST_F(RunSignals, AContinuationIsHeardOnce) {
  start_hearing();
  ASSERT_TRUE(world_.signal_descendant(command_, SIGSTOP));
  ASSERT_TRUE(becomes(command_, 'T'));
  ASSERT_TRUE(world_.signal_descendant(command_, SIGCONT));
  EXPECT_TRUE(hears(two_digits(SIGCONT)));
  ASSERT_TRUE(world_.signal_descendant(supervisor_, SIGCONT));
  // The higher number comes later, were there anything before it.
  ASSERT_TRUE(world_.signal_descendant(supervisor_, SIGIO));
  EXPECT_TRUE(hears(two_digits(SIGCONT) + two_digits(SIGIO))) << read_file(file("heard"));
  // The next one is for the command.
  ASSERT_TRUE(world_.signal_descendant(supervisor_, SIGCONT));
  EXPECT_TRUE(hears(two_digits(SIGCONT) + two_digits(SIGIO) + two_digits(SIGCONT)))
      << read_file(file("heard"));
}

// A job's leader: the shell above has to learn that its job stands still (a nested shell's
// `suspend`).
TEST_F(RunSignals, AJobsLeaderStopsWithItsCommand) {
  start_hearing({"group"});
  ASSERT_TRUE(world_.signal_descendant(command_, SIGSTOP));
  EXPECT_TRUE(becomes(supervisor_, 'T'));
  ASSERT_TRUE(world_.signal_descendant(supervisor_, SIGCONT));
  EXPECT_TRUE(becomes(supervisor_, 'S'));
  EXPECT_TRUE(becomes(command_, 'S'));
}

// The leader of a session of its own has no shell above it: stopped, it would stay so for ever.
TEST_F(RunSignals, AnOrphanedGroupIsNotStopped) {
  start_hearing({"session"});
  ASSERT_TRUE(world_.signal_descendant(command_, SIGSTOP));
  ASSERT_TRUE(becomes(command_, 'T'));
  ASSERT_TRUE(world_.signal_descendant(command_, SIGKILL));
  EXPECT_EQ(status_of(supervisor_), "signal 9");
}

TEST_F(RunSignals, AStoppedSupervisorLeavesTheCommandAlone) {
  start_hearing();
  ASSERT_TRUE(world_.signal_descendant(supervisor_, SIGSTOP));
  ASSERT_TRUE(becomes(supervisor_, 'T'));
  ASSERT_TRUE(world_.signal_descendant(supervisor_, SIGUSR1));
  EXPECT_NE(state_of(command_), 'T');
  ASSERT_TRUE(world_.signal_descendant(supervisor_, SIGCONT));
  // Both together: the kernel runs the handlers in either order.
  EXPECT_TRUE(eventually(Bound(20'000), [&] { return lines("heard").size() == 2; }))
      << read_file(file("heard"));
}

}  // namespace
}  // namespace witness
