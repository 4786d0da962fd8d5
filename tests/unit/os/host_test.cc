#include "os/host.h"
#include "os/self.h"
#include "os/signals.h"
#include "os/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace atmost {
namespace {

class Directory : public testing::Test {
 protected:
  void SetUp() override {
    char path[] = "/tmp/atmost-host-XXXXXX";
    ASSERT_NE(mkdtemp(path), nullptr);
    directory_ = path;
  }
  void TearDown() override {
    for (const std::string& name : made_) unlink((directory_ + "/" + name).c_str());
    rmdir(directory_.c_str());
  }
  void make(const std::string& name) {
    std::ofstream(directory_ + "/" + name).put('\n');
    made_.push_back(name);
  }
  // All names, read `batch` at a time.
  std::vector<std::string> names(std::size_t batch) {
    std::vector<std::string> all;
    std::vector<Text<255>> room(batch);
    for (;;) {
      const std::string after = all.empty() ? "" : all.back();
      const Result<std::size_t> got =
          next_names(directory_.c_str(), ".lock", after, {room.data(), batch});
      EXPECT_TRUE(got.ok());
      if (!got.ok() || got.value() == 0) return all;
      for (std::size_t i = 0; i < got.value(); ++i) all.emplace_back(room[i].view());
    }
  }

  std::string directory_;
  std::vector<std::string> made_;
};

TEST_F(Directory, NamesComeSortedWhateverTheBatch) {
  std::vector<std::string> wanted;
  for (int i = 0; i < 100; ++i) wanted.push_back(std::to_string(i * 7919 % 1000) + ".lock");
  for (const std::string& name : wanted) make(name);
  make("history.jsonl");
  make(".lock");
  make("x.locks");
  std::sort(wanted.begin(), wanted.end());
  for (std::size_t batch : {1u, 2u, 7u, 99u, 100u, 101u, 500u})
    EXPECT_EQ(names(batch), wanted) << batch;
}

TEST_F(Directory, LongNamesAreWhole) {
  make(std::string(250, 'x') + ".lock");
  EXPECT_EQ(names(3), made_);
}

TEST_F(Directory, NoneIsAnErrorThatNamesIt) {
  Text<255> room[2];
  const Result<std::size_t> got = next_names((directory_ + "/none").c_str(), ".lock", "", room);
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().sys, ENOENT);
  EXPECT_NE(got.error().message.view().find(directory_ + "/none: No such file"),
            std::string_view::npos);
}

TEST(Users, TheOnesOfThePasswordFileHaveNames) {
  EXPECT_EQ(user_name(0).view(), "root");
  EXPECT_EQ(user_name(3999999999).view(), "3999999999");
  EXPECT_EQ(user_name(0).view(), "root");
  // Every user of the file, the last line included.
  std::ifstream file("/etc/passwd");
  std::vector<std::string> seen;
  for (std::string line; std::getline(file, line);) {
    const std::size_t name = line.find(':');
    const std::size_t number = line.find(':', name + 1) + 1;
    const std::string id = line.substr(number, line.find(':', number) - number);
    if (std::find(seen.begin(), seen.end(), id) != seen.end()) continue;
    seen.push_back(id);
    EXPECT_EQ(user_name(static_cast<std::uint32_t>(std::stoul(id))).view(), line.substr(0, name));
  }
}

TEST(WriteText, ReportsWhatHappened) {
  EXPECT_EQ(write_text(-1, "x").error().sys, EBADF);
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  EXPECT_EQ(write_text(full, "x").error().sys, ENOSPC);
  close(full);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_TRUE(write_text(ends[1], "hello").ok());
  char got[8] = {};
  EXPECT_EQ(read(ends[0], got, sizeof got), 5);
  close(ends[0]);
  EXPECT_EQ(write_text(ends[1], "x").error().sys, EPIPE) << "and this process lives";
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
  close(ends[1]);
}

TEST(ClaimDescriptor, MustBeWritableAndStaysPrivate) {
  EXPECT_FALSE(claim_descriptor(987).ok());
  EXPECT_EQ(claim_descriptor(987).error().code, Code::usage);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_FALSE(claim_descriptor(ends[0]).ok()) << "the reading end";
  EXPECT_TRUE(claim_descriptor(ends[1]).ok());
  EXPECT_EQ(fcntl(ends[1], F_GETFD), FD_CLOEXEC);
  EXPECT_TRUE(claim_descriptor(2).ok());
  EXPECT_EQ(fcntl(2, F_GETFD), 0) << "the command's own";
  close(ends[0]);
  close(ends[1]);
}

TEST(Terminal, KnowsItsSize) {
  int leader = -1;
  int follower = -1;
  struct winsize size = {24, 77, 0, 0};
  ASSERT_EQ(openpty(&leader, &follower, nullptr, nullptr, &size), 0);
  EXPECT_TRUE(os::is_terminal(follower));
  EXPECT_EQ(terminal_size(follower).columns, 77u);
  EXPECT_EQ(terminal_size(follower).lines, 24u);
  close(leader);
  close(follower);
  EXPECT_FALSE(os::is_terminal(-1));
  EXPECT_EQ(terminal_size(-1).columns, 0u);
}

TEST(Machine, SaysWhereTheProgramIs) {
  EXPECT_FALSE(os::has_raised_rights());
  EXPECT_FALSE(os::kept_host_name().empty());
  EXPECT_EQ(access((std::string(program_directory().view()) + "/unit_os_host").c_str(), X_OK), 0);
}

TEST(Signals, AreHeldAndHandedOut) {
  os::hold_signals();
  raise(SIGTERM);
  raise(SIGWINCH);
  int got[2] = {next_signal(Duration::seconds(60)), next_signal(Duration::seconds(60))};
  std::sort(got, got + 2);
  EXPECT_EQ(got[0], SIGTERM);
  EXPECT_EQ(got[1], SIGWINCH);
  EXPECT_EQ(next_signal({}), 0);
  obey_signal(SIGWINCH);
  os::release_signals();
  EXPECT_EXIT(
      {
        os::hold_signals();
        obey_signal(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
}

TEST(BecomeProgram, RunsItOrSaysWhyNot) {
  char name[] = "/nowhere/program";
  char* missing[] = {name, nullptr};
  const Error error = become_program(missing);
  EXPECT_EQ(error.sys, ENOENT);
  EXPECT_EQ(error.code, Code::not_found);
  char shell[] = "/bin/sh";
  char option[] = "-c";
  char text[] = "exit 7";
  char* program[] = {shell, option, text, nullptr};
  EXPECT_EXIT(static_cast<void>(become_program(program)), testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace atmost
