// Ending a hold happens once, and its report is finished whatever signal arrives: the history, the
// notification, the kept output and the code.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <fstream>
#include <string>

#include "disturbed_end.h"
#include "takeover_kit.h"

namespace witness {
namespace {

// The signals by which people, terminals and service managers end a program.
const std::vector<int> kAll = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

class Ending : public Takeover {
 protected:
  // One run; its files have its number in their names.
  Argv reported(int number, const Argv& options, const std::string& script) const {
    Argv argv = {under_test("atmost"), "run", "--log", file("log" + std::to_string(number))};
    return join(join(join(argv, options), {lock_, "--"}), {"/bin/sh", "-c", script});
  }
  std::string log(int number) const { return read_file(file("log" + std::to_string(number))); }
  static std::size_t count(const std::string& text, const std::string& words) {
    std::size_t found = 0;
    for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1))
      ++found;
    return found;
  }

  // All signals, before each call from the moment of `over` on. The run must end as `end`, with one
  // line of history that has `line`.
  void disturb(const Argv& options, const std::string& script, const std::string& end,
               const std::string& line,
               const std::function<bool(const Returned&)>& over = reads_end) {
    int call = 0;
    for (bool arrived = true; arrived; ++call) {
      SCOPED_TRACE(::testing::Message() << "before call " << call);
      const std::string output = file("output");
      unlink(output.c_str());
      number_ = call;
      const DisturbedEnd run =
          disturb_end(reported(call, options, script), {over, call, kAll}, output);
      arrived = run.arrived;
      EXPECT_EQ(words(run.status), end);
      EXPECT_EQ(count(log(call), "\"event\":\"ended\""), 1U) << log(call);
      EXPECT_EQ(count(log(call), line), 1U) << log(call);
      EXPECT_EQ(read_file(output), "result\n");
      if (HasFailure()) return;
    }
    // Else nothing was disturbed. A front process that wakes late has few calls left.
    EXPECT_GT(call, 1);
    runs_ = call;
  }

  // A lock on the takeover byte of slot 1, of the kind given.
  void lock_takeover_byte(short kind) {
    takeover_ = open(lock_.c_str(), kind == F_WRLCK ? O_RDWR | O_CLOEXEC : O_RDONLY | O_CLOEXEC);
    struct flock range = {};
    range.l_type = kind;
    range.l_whence = SEEK_SET;
    range.l_start = off_t{1} << 42;
    range.l_len = 1;
    ASSERT_EQ(fcntl(takeover_, F_OFD_SETLK, &range), 0);
  }
  // A holder whose command has written its number into `up`; both.
  std::pair<pid_t, pid_t> hold_reported(const Argv& options) {
    const pid_t holder = world_.start(
        reported(0, options, "echo result; echo $$ >" + file("up") + "; exec sleep 600"));
    const pid_t command = marked("up")[0];
    return {holder, command};
  }
  Argv notifies() const {
    return {"--notify", "echo told >>" + file("told"), "--notify-on", "every", "--output", "tail"};
  }

  int number_ = 0;
  int runs_ = 0;
  int takeover_ = -1;
  ~Ending() override { close(takeover_); }
};

// A command ends by a signal while a taker has begun, which has sent none yet.
TEST_F(Ending, ByASignalWhileTheSlotIsBeingTakenOver) {
  const auto [holder, command] = hold_reported(notifies());
  lock_takeover_byte(F_WRLCK);
  ASSERT_TRUE(world_.signal_descendant(command, SIGKILL));
  EXPECT_EQ(words(world_.wait(holder, kLong).value_or(0)), "exit 79");
  EXPECT_EQ(count(log(0), "\"event\":\"ended\""), 1U) << log(0);
  EXPECT_EQ(count(log(0), "\"stopped\":\"taken_over\""), 1U) << log(0);
  EXPECT_TRUE(eventually(kLong, [&] { return read_file(file("told")) == "told\n"; }));
}

// No taker sends SEGV: that command failed by itself.
TEST_F(Ending, ByAFaultWhileTheSlotIsBeingTakenOver) {
  const auto [holder, command] = hold_reported({});
  lock_takeover_byte(F_WRLCK);
  ASSERT_TRUE(world_.signal_descendant(command, SIGSEGV));
  EXPECT_EQ(words(world_.wait(holder, kLong).value_or(0)), "signal 11");
  EXPECT_EQ(count(log(0), "\"signal\":\"SEGV\""), 1U) << log(0);
  EXPECT_EQ(count(log(0), "\"stopped\":"), 0U) << log(0);
}

// Any process that may read the file can take it.
TEST_F(Ending, AReadLockOnTheTakeoverByteProvesNothing) {
  const auto [holder, command] = hold_reported({"-n", "2"});
  lock_takeover_byte(F_RDLCK);
  const Answer refused = take({"--expire-after", "0"});
  EXPECT_EQ(refused.end, "exit 77");
  EXPECT_NE(refused.errors.find("has a read lock on the byte that its taker locks"),
            std::string::npos)
      << refused.errors;
  ASSERT_TRUE(world_.signal_descendant(command, SIGKILL));
  EXPECT_EQ(words(world_.wait(holder, kLong).value_or(0)), "signal 9");
  EXPECT_EQ(count(log(0), "\"signal\":\"KILL\""), 1U) << log(0);
  EXPECT_EQ(count(log(0), "\"stopped\":"), 0U) << log(0);
  // The slot is open to newcomers.
  EXPECT_EQ(try_run({"-n", "2"}).end, "exit 0");
}

TEST_F(Ending, ItsReportIsFinishedWhateverArrives) {
  disturb(notifies(), "echo result; exit 3", "exit 3", "\"exit\":3");
  EXPECT_TRUE(eventually(kLong, [&] {
    return read_file(file("told")).size() == static_cast<std::size_t>(runs_) * 5;
  })) << read_file(file("told"));
}

TEST_F(Ending, SoItIsWhenTheTreeKeptTheHold) {
  disturb({"--until", "tree", "--output", "tail"}, "echo result; sleep 0 & exit 0", "exit 0",
          "\"exit\":0", [this](const Returned& call) {
            // Nothing is left of the tree.
            return call.number == SYS_wait4 && call.value < 0;
          });
}

TEST_F(Ending, SoItIsWhenASignalEndedTheCommand) {
  disturb({"--output", "tail"}, "echo result; kill -SEGV $$", "signal 11", "\"signal\":\"SEGV\"");
}

// The front process of a run with --die-with ends as the supervisor ended, which has reported.
TEST_F(Ending, SoItIsWithAFrontProcess) {
  disturb({"--die-with", "parent", "--output", "tail"}, "echo result; exit 3", "exit 3",
          "\"exit\":3", [this](const Returned& call) {
            return call.number == SYS_poll && count(log(number_), "\"event\":\"ended\"") == 1;
          });
}

// A program that is started for the report finds signals as atmost found them.
TEST_F(Ending, ANotificationMayBeEnded) {
  const std::string mask = "grep -E '^Sig(Blk|Ign)' /proc/self/status >>" + file("mask");
  const Argv argv = reported(0, {"--notify", mask, "--notify-on", "every"}, mask);
  EXPECT_EQ(words(world_.run(argv)), "exit 0");
  ASSERT_TRUE(eventually(kLong, [&] { return lines("mask").size() == 4; }));
  EXPECT_EQ(lines("mask")[0], lines("mask")[2]);
  EXPECT_EQ(lines("mask")[1], lines("mask")[3]);
}

class EndingOfAnAtom : public Ending {
 protected:
  // A pass of one atom.
  std::string pass_file() const {
    const std::string name = file("pass.toml");
    std::ofstream to(name);
    to << "[[atom]]\noperator = \"job\"\noperand = \"first\"\noutput = \"tail\"\n"
       << "command = [\"/bin/sh\", \"-c\", \"echo result; exit 3\"]\n";
    return name;
  }
};

// An atom is reported before the pass ends by the signal.
TEST_F(EndingOfAnAtom, IsReportedWhateverArrives) {
  const std::string pass = pass_file();
  int call = 0;
  for (bool arrived = true; arrived; ++call) {
    SCOPED_TRACE(::testing::Message() << "before call " << call);
    const std::string output = file("output");
    unlink(output.c_str());
    unlink(file("history.jsonl").c_str());
    const DisturbedEnd run = disturb_end({under_test("atmost"), "pass", "--json", pass},
                                         {reads_end, call, {SIGTERM}}, output);
    arrived = run.arrived;
    const std::string end = words(run.status);
    EXPECT_TRUE(end == "signal 15" || end == "exit 1") << end;
    EXPECT_EQ(events("\"exit\":3"), 1U) << history();
    EXPECT_EQ(count(read_file(output), "result\n"), 1U) << read_file(output);
    EXPECT_EQ(count(read_file(output), "job:first"), 1U) << read_file(output);
    if (HasFailure()) return;
  }
  EXPECT_GT(call, 5);
}

}  // namespace
}  // namespace witness
