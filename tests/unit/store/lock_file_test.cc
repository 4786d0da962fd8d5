// The files that count as lock files, their descriptors and modes.
#include "store/local/lock_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <functional>

#include "lock_kit.h"

namespace atmost::local {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr uid_t kStranger = 65'534;  // nobody's

// Runs `body` in a child, whose state dies with it; true when it returned true.
bool in_child(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = -1;
  return waitpid(child, &status, 0) == child && status == 0;
}

class LockFiles : public ::testing::Test {
 protected:
  std::string refusal(const std::string& path) {
    User caller(path);
    Result<Decision> answer = caller.attempt();
    if (answer.ok()) return "";
    code_ = answer.error().code;
    const std::string message = answer.error().message.c_str();
    EXPECT_THAT(message, StartsWith(path + ": "));
    return message;
  }
  void make(const std::string& path, mode_t mode, const std::string& text = "") {
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_GE(fd, 0);
    ASSERT_EQ(write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ASSERT_EQ(fchmod(fd, mode), 0);
    close(fd);
  }
  mode_t mode_of(const std::string& path) {
    struct stat status;
    return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
  }
  off_t size_of(const std::string& path) {
    struct stat status;
    return stat(path.c_str(), &status) == 0 ? status.st_size : -1;
  }

  Directory directory_;
  const std::string path_ = directory_.path();
  Code code_ = Code::ok;
};

TEST_F(LockFiles, ASymbolicLinkIsNotFollowed) {
  make(directory_.path("target"), 0600);
  ASSERT_EQ(symlink("target", path_.c_str()), 0);
  EXPECT_THAT(refusal(path_), HasSubstr("symbolic link"));
  EXPECT_EQ(code_, Code::io);
  EXPECT_EQ(size_of(directory_.path("target")), 0);
  ASSERT_EQ(unlink(path_.c_str()), 0);
  ASSERT_EQ(symlink("nowhere", path_.c_str()), 0);
  EXPECT_THAT(refusal(path_), HasSubstr("symbolic link"));
  EXPECT_EQ(size_of(directory_.path("nowhere")), -1);
}

TEST_F(LockFiles, AHardLinkIsRefused) {
  make(path_, 0600);
  ASSERT_EQ(link(path_.c_str(), directory_.path("other").c_str()), 0);
  EXPECT_THAT(refusal(path_), HasSubstr("hard links"));
  EXPECT_EQ(size_of(path_), 0);
}

TEST_F(LockFiles, WhatIsNoRegularFileIsRefusedAtOnce) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(refusal(path_), HasSubstr("not a regular file"));
  EXPECT_THAT(refusal(directory_.c_str()), HasSubstr("is a directory"));
  EXPECT_THAT(refusal("/dev/null"), HasSubstr("not a regular file"));
  User looker(path_);
  EXPECT_FALSE(looker.store().inspect(looker.request.locks[0], looker.now, nullptr).ok());
}

TEST_F(LockFiles, NoDirectoryNoFile) {
  EXPECT_THAT(refusal(directory_.path("no/lock")), HasSubstr("cannot create"));
  EXPECT_EQ(code_, Code::cannot_create);
  make(directory_.path("file"), 0600);
  EXPECT_NE(refusal(directory_.path("file/lock")), "");
}

TEST_F(LockFiles, ParentsAreMadeWhenAskedFor) {
  User caller(directory_.path("a/b/lock"));
  caller.request.make_parents = true;
  EXPECT_EQ(caller.ask(), "admit");
}

TEST_F(LockFiles, SomebodyElsesFileOnlyIfHeSharesIt) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  make(path_, 0600);
  ASSERT_EQ(chown(path_.c_str(), kStranger, kStranger), 0);
  EXPECT_THAT(refusal(path_), HasSubstr("another user"));
  EXPECT_EQ(code_, Code::not_permitted);
  EXPECT_EQ(size_of(path_), 0);
  ASSERT_EQ(chmod(path_.c_str(), 0666), 0);
  EXPECT_EQ(refusal(path_), "");
}

TEST_F(LockFiles, AReadOnlyFileIsNotPermitted) {
  make(path_, 0444);
  ASSERT_EQ(chmod(directory_.c_str(), 0755), 0);
  EXPECT_TRUE(in_child([this] {
    if (geteuid() == 0 && setuid(kStranger) != 0) return false;
    return refusal(path_).find("Permission denied") != std::string::npos &&
           code_ == Code::not_permitted;
  }));
}

TEST_F(LockFiles, ADirectoryWhereAnybodyMayRenameIsNoPlace) {
  ASSERT_EQ(chmod(directory_.c_str(), 0777), 0);
  EXPECT_THAT(refusal(path_), HasSubstr("everybody may rename"));
  EXPECT_EQ(code_, Code::not_permitted);
  ASSERT_EQ(chmod(directory_.c_str(), 01777), 0);
  EXPECT_EQ(refusal(path_), "");
}

TEST_F(LockFiles, NorIsTheWorkingDirectoryWhenItIsOne) {
  ASSERT_EQ(mkdir(directory_.path("sub").c_str(), 0700), 0);
  ASSERT_EQ(chmod(directory_.c_str(), 0777), 0);
  EXPECT_TRUE(in_child([this] {
    if (chdir(directory_.c_str()) != 0) return false;
    return refusal("sub/lock").find("everybody may rename") != std::string::npos &&
           refusal("./sub/lock").find("everybody may rename") != std::string::npos &&
           refusal("lock").find("everybody may rename") != std::string::npos;
  }));
}

TEST_F(LockFiles, TheModeIsAsAskedWhateverTheUmask) {
  for (mode_t mask : {0000u, 0077u, 0777u}) {
    for (unsigned mode : {0600u, 0660u, 0666u}) {
      const std::string path = directory_.path(std::to_string(mask) + "-" + std::to_string(mode));
      EXPECT_TRUE(in_child([&] {
        umask(mask);
        User caller(path);
        caller.request.create_mode = mode;
        return caller.ask() == "admit";
      }));
      EXPECT_EQ(mode_of(path), mode);
    }
  }
}

TEST_F(LockFiles, AnExistingFileKeepsItsMode) {
  make(path_, 0640);
  EXPECT_EQ(refusal(path_), "");
  EXPECT_EQ(mode_of(path_), 0640u);
}

TEST_F(LockFiles, ClosedStandardStreamsAreNotTaken) {
  EXPECT_TRUE(in_child([this] {
    close(0);
    close(1);
    close(2);
    User caller(path_);
    if (caller.ask() != "admit") return false;
    for (int fd : {0, 1, 2}) {
      if (fcntl(fd, F_GETFD) != -1) return false;
    }
    const int fd = caller.lease.lock(0).fd;
    return fd > 2 && (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
  }));
}

TEST_F(LockFiles, TheDescriptorIsOutOfTheWayOfScripts) {
  User caller(path_);
  ASSERT_EQ(caller.ask(), "admit");
  EXPECT_GE(caller.lease.lock(0).fd, 200);
}

TEST_F(LockFiles, FewDescriptorsAreEnoughAndTooFewAnError) {
  bool admitted = false;
  for (rlim_t limit = 3; limit <= 8; ++limit) {
    EXPECT_TRUE(in_child([&] {
      for (int fd = 3; fd < 64; ++fd) close(fd);
      const struct rlimit few = {limit, limit};
      if (setrlimit(RLIMIT_NOFILE, &few) != 0) return false;
      User caller(path_);
      const std::string answer = caller.ask();
      admitted = answer == "admit";
      return admitted || (limit < 6 && answer.find("oo many open files") != std::string::npos);
    })) << limit;
  }
}

TEST_F(LockFiles, ASmallFileSizeLimitIsAnErrorNotASignal) {
  // A process asks for its limit once, so each of these is a process of its own.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto answer_is = [this](rlim_t limit, const char* words) {
    const struct rlimit small = {limit, limit};
    if (setrlimit(RLIMIT_FSIZE, &small) != 0) _exit(2);
    const bool right = User(path_).ask().find(words) != std::string::npos;
    std::filesystem::remove_all(directory_.c_str());
    _exit(right ? 0 : 1);
  };
  EXPECT_EXIT(answer_is(0, "too large"), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(answer_is(100, "too large"), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(answer_is(4096, "too large"), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(answer_is(8192, "admit"), ::testing::ExitedWithCode(0),
              "");  // no records: only listings suffer
}

TEST_F(LockFiles, AFileReplacedWhileOpenIsOpenedAgain) {
  User waiter(path_);
  User holder(path_);
  ASSERT_EQ(holder.ask(), "admit");
  EXPECT_EQ(waiter.queue(), "busy");
  ASSERT_EQ(unlink(path_.c_str()), 0);
  User newcomer(path_);
  ASSERT_EQ(newcomer.ask(), "admit");  // a new file, a new lock
  EXPECT_EQ(waiter.queue(), "busy");
  EXPECT_TRUE(waiter.ticket.drawn);
  {
    Outsider file(path_);
    EXPECT_TRUE(file.sees_lock(queue_start(1), static_cast<std::int64_t>(kMaxTicket)));
  }
  newcomer.release();
  EXPECT_EQ(waiter.queue(), "admit");
  holder.release();  // of a file that nobody finds any more: in peace
}

TEST_F(LockFiles, LookingForWhatIsNotThereMakesNothing) {
  User looker(path_);
  Result<std::uint32_t> seen = looker.store().inspect(looker.request.locks[0], looker.now, nullptr);
  ASSERT_TRUE(seen.ok());
  EXPECT_EQ(seen.value(), 0u);
  EXPECT_TRUE(looker.store().forget(looker.request).ok());
  EXPECT_TRUE(looker.store().set_drained(looker.request, 0, false).ok());
  EXPECT_EQ(size_of(path_), -1);
}

TEST_F(LockFiles, WhatIsNoLockFileIsLeftAlone) {
  make(path_, 0600, "Dear Sir or Madam, the lock file you asked for is a letter.\n");
  const off_t size = size_of(path_);
  EXPECT_THAT(refusal(path_), HasSubstr("not a lock file"));
  EXPECT_EQ(code_, Code::io);
  User caller(path_);
  EXPECT_FALSE(caller.store().set_drained(caller.request, 0, true).ok());
  EXPECT_FALSE(caller.store().forget(caller.request).ok());
  EXPECT_FALSE(caller.store().inspect(caller.request.locks[0], caller.now, nullptr).ok());
  EXPECT_EQ(size_of(path_), size);
  Outsider file(path_);
  EXPECT_EQ(file.get<char>(0), 'D');
}

TEST_F(LockFiles, NeitherIsAShortText) {
  int number = 0;
  for (const std::string text : {"x", "\n", "42\n", "1234567", "password", "1234567\n"}) {
    const std::string path = directory_.path(("text" + std::to_string(++number)).c_str());
    make(path, 0600, text.c_str());
    EXPECT_THAT(refusal(path), HasSubstr("remove this one if nobody needs it")) << text;
    EXPECT_EQ(size_of(path), static_cast<off_t>(text.size())) << text;
  }
}

TEST_F(LockFiles, AHeaderThatWasCutShortIsRefusedOrRepaired) {
  for (const off_t size : {4097, 4103, 4104, 4200, 4335}) {
    const std::string path = directory_.path(("cut" + std::to_string(size)).c_str());
    ASSERT_EQ(refusal(path), "");
    ASSERT_EQ(truncate(path.c_str(), size), 0);
    const std::string why = refusal(path);
    if (size < 4104) {
      EXPECT_THAT(why, HasSubstr("cut short")) << size;
      EXPECT_EQ(size_of(path), size);
    } else {
      EXPECT_EQ(why, "") << size;
    }
  }
}

TEST_F(LockFiles, ANewerFormatIsNamed) {
  ASSERT_EQ(refusal(path_), "");
  {
    Outsider file(path_);
    file.put(kFormatVersion + 1, kHeaderAt + 8);
  }
  EXPECT_THAT(refusal(path_), HasSubstr("newer atmost (format 2)"));
}

TEST_F(LockFiles, AnotherByteOrderIsNamed) {
  ASSERT_EQ(refusal(path_), "");
  {
    Outsider file(path_);
    file.put(__builtin_bswap32(kFormatVersion), kHeaderAt + 8);
  }
  EXPECT_THAT(refusal(path_), HasSubstr("another byte order"));
}

TEST_F(LockFiles, ADamagedHeaderCountsAsAnAdmissionJustNow) {
  ASSERT_EQ(refusal(path_), "");
  Outsider file(path_);
  file.put('x', kHeaderAt + 100);
  User caller(path_);
  caller.request.if_elapsed = Duration::seconds(60);
  EXPECT_EQ(caller.ask(), "too soon");
  caller.now.boot_ns += Duration::seconds(60).ns;
  caller.now.real_ns += Duration::seconds(60).ns;
  EXPECT_EQ(caller.ask(), "admit");
}

TEST_F(LockFiles, ADamagedHeaderIsRepairedByAnAdmission) {
  ASSERT_EQ(refusal(path_), "");
  Outsider file(path_);
  file.put('x', kHeaderAt + 100);
  User caller(path_);
  EXPECT_EQ(caller.ask(), "admit");
  Header header;
  std::uint64_t index = 0;
  HeaderState state = HeaderState::fresh;
  struct stat status;
  ASSERT_EQ(fstat(file.fd(), &status), 0);
  ASSERT_EQ(read_header(file.fd(), {status.st_dev, status.st_ino, 0}, index, header, state), 0);
  EXPECT_EQ(state, HeaderState::good);
  EXPECT_EQ(header.token, caller.lease.lock(0).token);
}

TEST_F(LockFiles, ASessionIsOpenedAgainForAnotherRequest) {
  User first(path_);
  ASSERT_EQ(first.ask(), "admit");
  Request request = first.request;
  const auto session = std::make_unique<LocalSession>();
  Lease lease;
  const auto verdict = [&] {
    EXPECT_TRUE(session->open(request).ok());
    return rule::admit(*session, request, {policy::decide, told_by_clock}, lease).value().verdict;
  };
  EXPECT_EQ(verdict(), Verdict::busy);
  request.locks[0].path = kept(directory_.path("other"));
  EXPECT_EQ(verdict(), Verdict::admit);
  lease.release(Ending::unknown, first.now);
  EXPECT_EQ(verdict(), Verdict::admit);
  lease.release(Ending::unknown, first.now);
  session->close();
  EXPECT_FALSE(Outsider(directory_.path("other")).sees_lock(0, 1'000'000));
}

}  // namespace
}  // namespace atmost::local
