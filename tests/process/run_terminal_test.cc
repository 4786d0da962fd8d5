// A supervised command at a terminal, under a shell with job control: as if we were not there.
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "run_kit.h"

namespace witness {
namespace {

class RunTerminal : public Run {
 protected:
  void SetUp() override {
    char name[128];
    int other_end = -1;
    ASSERT_EQ(openpty(&keys_, &other_end, name, nullptr, nullptr), 0);
    fcntl(keys_, F_SETFD, FD_CLOEXEC);
    close(other_end);
    terminal_ = name;
  }
  void TearDown() override {
    if (keys_ >= 0) close(keys_);
  }

  // A shell at the terminal, whose job is run_host with this command.
  void start(const Argv& command) {
    Argv argv = child({"session", "tty=" + terminal_, "job=" + file("shell")});
    const Argv job = host({}, command);
    argv.insert(argv.end(), job.begin(), job.end());
    shell_ = world_.start(argv);
    command_ = marked("main", 1)[0];
    // The one between the shell and the command: the uppermost, if it is monitored.
    supervisor_ = parent_of(command_);
    if (monitored()) supervisor_ = parent_of(supervisor_);
    EXPECT_EQ(parent_of(supervisor_), shell_);
  }
  void press(char control) { ASSERT_EQ(write(keys_, &control, 1), 1); }
  bool shell_saw(const std::vector<std::string>& what) {
    const bool yes = eventually(Bound(20'000), [&] { return lines("shell") == what; });
    if (!yes) ADD_FAILURE() << read_file(file("shell"));
    return yes;
  }
  bool hears(const std::string& what) {
    const bool yes = eventually(Bound(20'000), [&] { return read_file(file("heard")) == what; });
    if (!yes) ADD_FAILURE() << read_file(file("heard"));
    return yes;
  }
  std::string mark() const { return "mark=" + file("main"); }

  int keys_ = -1;
  std::string terminal_;
  pid_t shell_ = 0;
  pid_t supervisor_ = 0;
  pid_t command_ = 0;
};

constexpr char kCtrlC = 3;
constexpr char kCtrlBackslash = 28;
constexpr char kCtrlZ = 26;

TEST_F(RunTerminal, TheCommandIsInTheForeground) {
  start(child({mark(), "pause"}));
  EXPECT_EQ(getpgid(command_), supervisor_);
  EXPECT_EQ(getpgid(supervisor_), supervisor_);
  EXPECT_EQ(tcgetpgrp(keys_), supervisor_);
}

TEST_F(RunTerminal, CtrlCEndsBothByIt) {
  start(child({mark(), "pause"}));
  press(kCtrlC);
  EXPECT_TRUE(shell_saw({"signal 2"}));
}

TEST_F(RunTerminal, AKeyIsHeardOnce) {
  start(child({"hear=" + file("heard"), mark(), "pause"}));
  press(kCtrlC);
  EXPECT_TRUE(hears("02\n"));
  press(kCtrlBackslash);
  EXPECT_TRUE(hears("02\n03\n"));
  press(kCtrlC);
  EXPECT_TRUE(hears("02\n03\n02\n"));
  struct winsize size = {50, 100, 0, 0};
  ASSERT_EQ(ioctl(keys_, TIOCSWINSZ, &size), 0);
  EXPECT_TRUE(hears("02\n03\n02\n28\n"));
}

// While we stand still the command gets the key; then we find the same key waiting for us.
TEST_F(RunTerminal, AKeyIsNotPassedOnASecondTime) {
  start(child({"hear=" + file("heard"), mark(), "pause"}));
  // The shell must not take the terminal back from a job that seems to have stopped.
  ASSERT_TRUE(world_.signal_descendant(shell_, SIGSTOP));
  EXPECT_TRUE(becomes(shell_, 'T'));
  ASSERT_TRUE(world_.signal_descendant(supervisor_, SIGSTOP));
  EXPECT_TRUE(becomes(supervisor_, 'T'));
  press(kCtrlC);
  EXPECT_TRUE(hears("02\n"));
  ASSERT_TRUE(world_.signal_descendant(supervisor_, SIGCONT));
  EXPECT_TRUE(hears("02\n18\n"));
}

// As timeout(1) does.
TEST_F(RunTerminal, ACommandThatLeftTheGroupHearsTheKeysAllTheSame) {
  start(child({"group", "hear=" + file("heard"), mark(), "pause"}));
  press(kCtrlC);
  EXPECT_TRUE(hears("02\n"));
  ASSERT_TRUE(world_.signal_descendant(command_, SIGKILL));
  EXPECT_TRUE(shell_saw({"signal 9"}));
}

TEST_F(RunTerminal, CtrlZAndBack) {
  start(child({mark(), "pause"}));
  for (int round = 1; round <= 3; ++round) {
    press(kCtrlZ);
    EXPECT_TRUE(shell_saw(std::vector<std::string>(static_cast<std::size_t>(round), "stopped 20")));
    EXPECT_EQ(state_of(command_), 'T');
    EXPECT_EQ(state_of(supervisor_), 'T');
    ASSERT_TRUE(world_.signal_descendant(shell_, SIGUSR1));
    EXPECT_TRUE(becomes(command_, 'S'));
    EXPECT_TRUE(becomes(supervisor_, 'S'));
    EXPECT_EQ(tcgetpgrp(keys_), supervisor_);
  }
  press(kCtrlC);
  EXPECT_TRUE(shell_saw({"stopped 20", "stopped 20", "stopped 20", "signal 2"}));
}

// A supervisor's own later actions may not continue it: its command would stay stopped behind it.
TEST_F(RunTerminal, WhoIsStoppedEarlyStaysStopped) {
  start(child({mark(), "pause"}));
  press(kCtrlZ);
  EXPECT_TRUE(shell_saw({"stopped 20"}));
  EXPECT_TRUE(becomes(supervisor_, 'T'));
  EXPECT_TRUE(stays(Bound(700), [&] { return state_of(supervisor_) == 'T'; }));
}

TEST_F(RunTerminal, ACommandThatWillNotStopKeepsUsToo) {
  start(child({"hear=" + file("heard"), mark(), "pause"}));
  press(kCtrlZ);
  EXPECT_TRUE(hears("20\n"));
  ASSERT_TRUE(world_.signal_descendant(supervisor_, SIGUSR1));
  EXPECT_TRUE(hears("20\n10\n"));
  EXPECT_EQ(read_file(file("shell")), "");
  EXPECT_NE(state_of(supervisor_), 'T');
}

TEST_F(RunTerminal, ReadingFromTheBackgroundStopsBoth) {
  start(child({mark(), "read"}));
  press(kCtrlZ);
  EXPECT_TRUE(shell_saw({"stopped 20"}));
  ASSERT_TRUE(world_.signal_descendant(shell_, SIGUSR2));  // bg
  EXPECT_TRUE(shell_saw({"stopped 20", "stopped 21"}));
  EXPECT_TRUE(becomes(command_, 'T'));
  ASSERT_TRUE(world_.signal_descendant(shell_, SIGUSR1));  // fg
  EXPECT_TRUE(becomes(command_, 'S'));
  press(kCtrlC);
  EXPECT_TRUE(shell_saw({"stopped 20", "stopped 21", "signal 2"}));
}

// A nested shell's `suspend`: it stops itself, in a process group of its own.
TEST_F(RunTerminal, ACommandThatStopsItselfGivesTheShellBack) {
  start(child({"group", mark(), "die=19", "pause"}));
  EXPECT_TRUE(shell_saw({"stopped 20"}));
  ASSERT_TRUE(world_.signal_descendant(shell_, SIGUSR1));
  EXPECT_TRUE(becomes(command_, 'S'));
}

TEST_F(RunTerminal, AHangupIsHeardOnce) {
  start(child({"hear=" + file("heard"), mark(), "pause"}));
  close(keys_);
  keys_ = -1;
  EXPECT_TRUE(eventually(Bound(20'000), [&] { return !lines("heard").empty(); }));
  ASSERT_TRUE(world_.signal_descendant(supervisor_, SIGUSR1));
  EXPECT_TRUE(eventually(Bound(20'000), [&] { return lines("heard").size() >= 3; }));
  int hangups = 0;
  for (const std::string& line : lines("heard")) hangups += line == "01" ? 1 : 0;
  EXPECT_EQ(hangups, 1) << read_file(file("heard"));
}

}  // namespace
}  // namespace witness
