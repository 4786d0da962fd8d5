// The doctor against a kernel that lies, fails or never answers: calls that are broken in the table
// of system calls here are broken in its children, too.
#include "doctor/doctor.h"

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "os/calls.h"

namespace atmost::doctor {
namespace {

using os::calls;
using os::kRealCalls;

std::int64_t now_ms() {
  timespec at = {};
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * 1000 + at.tv_nsec / 1'000'000;
}

// Longer than the doctor's patience; then the abandoned child ends by itself.
void hang() {
  timespec span = {6, 0};
  nanosleep(&span, nullptr);
}

class Doctor : public testing::Test {
 protected:
  void SetUp() override {
    char path[] = "/tmp/atmost-doctor-XXXXXX";
    ASSERT_NE(mkdtemp(path), nullptr);
    directory_ = path;
  }
  void TearDown() override {
    calls = kRealCalls;
    for (const std::string& name : names()) unlink((directory_ + "/" + name).c_str());
    rmdir(directory_.c_str());
  }

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    if (DIR* open = opendir(directory_.c_str())) {
      while (const dirent* entry = readdir(open)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
          found.push_back(entry->d_name);
      }
      closedir(open);
    }
    return found;
  }

  Result<Code> examine(int fd, bool json) {
    diagnosis::Findings findings(fd, json, directory_);
    if (const Status tried = diagnose(directory_, findings); !tried.ok()) return tried.error();
    return findings.verdict();
  }

  // The answer; its text is in said_.
  bool asks(bool json = false) {
    FILE* file = tmpfile();
    const std::int64_t start = now_ms();
    const Result<Code> result = examine(fileno(file), json);
    took_ms_ = now_ms() - start;
    EXPECT_TRUE(result.ok());
    rewind(file);
    char text[65536];
    said_.assign(text, fread(text, 1, sizeof text, file));
    fclose(file);
    return result.ok() && result.value() == Code::ok;
  }
  bool says(const std::string& text) const { return said_.find(text) != std::string::npos; }

  std::string directory_;
  std::string said_;
  std::int64_t took_ms_ = 0;
};

TEST_F(Doctor, TrustsALocalDirectoryAndLeavesNothing) {
  EXPECT_TRUE(asks()) << said_;
  EXPECT_TRUE(says("ok    two-openers")) << said_;
  EXPECT_TRUE(says("ok    kill")) << said_;
  EXPECT_TRUE(says("\nyes: locks can be trusted in " + directory_)) << said_;
  EXPECT_FALSE(says("FAIL")) << said_;
  EXPECT_EQ(said_.back(), '\n');
  EXPECT_TRUE(names().empty());
}

TEST_F(Doctor, EveryLineIsJson) {
  EXPECT_TRUE(asks(true));
  for (std::size_t at = 0; at < said_.size();) {
    const std::size_t end = said_.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    EXPECT_EQ(said_[at], '{');
    EXPECT_EQ(said_[end - 1], '}');
    at = end + 1;
  }
  EXPECT_TRUE(says("\"check\":\"verdict\",\"what\":\"yes\"")) << said_;
}

TEST_F(Doctor, AFileIsNoDirectory) {
  directory_ += "/file";
  fclose(fopen(directory_.c_str(), "w"));
  EXPECT_FALSE(asks());
  EXPECT_TRUE(says("FAIL  directory")) << said_;
  unlink(directory_.c_str());
  directory_.resize(directory_.size() - 5);
}

TEST_F(Doctor, StrangersMayRename) {
  ASSERT_EQ(chmod(directory_.c_str(), 0777), 0);
  EXPECT_FALSE(asks());
  EXPECT_TRUE(says("FAIL  permissions")) << said_;
  EXPECT_TRUE(names().empty());
  ASSERT_EQ(chmod(directory_.c_str(), 01777), 0);
  EXPECT_TRUE(asks()) << said_;
}

TEST_F(Doctor, AReadOnlyFilesystem) {
  calls.fstatvfs = [](int fd, struct statvfs* to) {
    const int result = kRealCalls.fstatvfs(fd, to);
    to->f_flag |= ST_RDONLY;
    return result;
  };
  EXPECT_FALSE(asks());
  EXPECT_TRUE(says("FAIL  room")) << said_;
}

TEST_F(Doctor, AFullOne) {
  calls.pwrite = [](int, const void*, std::size_t, off_t) -> ssize_t {
    errno = ENOSPC;
    return -1;
  };
  EXPECT_FALSE(asks());
  EXPECT_TRUE(says("a new file cannot be written: No space left")) << said_;
  EXPECT_TRUE(names().empty());
}

TEST_F(Doctor, SeesThatLocksAreNotSeen) {
  calls.lock = [](int fd, int command, struct flock* range) {
    if (command == F_SETLK || command == F_GETLK) return kRealCalls.lock(fd, command, range);
#ifdef F_OFD_SETLK
    if (command == F_OFD_GETLK) range->l_type = F_UNLCK;
#endif
    return 0;  // everything is granted
  };
#ifdef ATMOST_PORTABLE
  calls.lock = [](int, int command, struct flock* range) {
    if (command == F_GETLK) range->l_type = F_UNLCK;
    return 0;
  };
#endif
  EXPECT_FALSE(asks());
  EXPECT_TRUE(says("FAIL  two-openers")) << said_;
  EXPECT_TRUE(says("FAIL  far-bytes")) << said_;
  EXPECT_TRUE(says("FAIL  waiting")) << said_;
  EXPECT_TRUE(says("\nno: locks cannot be trusted")) << said_;
}

TEST_F(Doctor, SeesThatThereAreNoLocks) {
  calls.lock = [](int, int, struct flock*) {
    errno = ENOLCK;
    return -1;
  };
  EXPECT_FALSE(asks());
  EXPECT_TRUE(says("FAIL  two-openers")) << said_;
  EXPECT_TRUE(names().empty());
}

TEST_F(Doctor, AnswersThoughAFileCannotBeRemoved) {
  calls.unlink = [](const char*) {
    hang();
    return -1;
  };
  EXPECT_FALSE(asks(true));
  EXPECT_LT(took_ms_, 5000);
  EXPECT_TRUE(says("no answer within 4 s: locking with two processes")) << said_;
  EXPECT_TRUE(says("{\"level\":\"fail\",\"check\":\"verdict\",\"what\":\"no\"")) << said_;
}

TEST_F(Doctor, AChildThatDiesIsNoYes) {
  calls.fstatvfs = [](int, struct statvfs*) -> int { _exit(3); };
  EXPECT_FALSE(asks());
  EXPECT_TRUE(says("the trial ended before its time")) << said_;
}

TEST_F(Doctor, NoProcessIsAnError) {
  calls.fork = []() -> pid_t {
    errno = EAGAIN;
    return -1;
  };
  const Result<Code> result = examine(1, false);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().sys, EAGAIN);
}

TEST_F(Doctor, NobodyToTellIsAnError) {
  const int full = open("/dev/full", O_WRONLY);
  if (full < 0) GTEST_SKIP() << "no /dev/full";
  const Result<Code> result = examine(full, false);
  close(full);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, Code::io);
  EXPECT_TRUE(names().empty());
}

#ifndef ATMOST_PORTABLE

TEST_F(Doctor, AnswersThoughStatfsDoesNot) {
  calls.filesystem_magic = [](int) -> long {
    hang();
    return -1;
  };
  EXPECT_FALSE(asks());
  EXPECT_LT(took_ms_, 5000);
  EXPECT_TRUE(says("no answer within 4 s: asking what filesystem it is")) << said_;
}

long magic = 0;

TEST_F(Doctor, NamesWhatItDoesNotTrust) {
  calls.filesystem_magic = [](int) { return magic; };
  struct Case {
    long magic;
    const char* name;
    const char* why;
  };
  for (const Case& one :
       {Case{0x6969, "nfs", "a server keeps the locks"}, Case{0xFF534D42, "cifs", "a server"},
        Case{0x65735546, "fuse", "each mount keeps locks of its own"},
        Case{0x01021997, "9p", "each mount"}, Case{0x6A656A63, "virtiofs", "each mount"},
        Case{0x12345678, "unknown", "it is not known whether"}}) {
    magic = one.magic;
    EXPECT_FALSE(asks());
    EXPECT_TRUE(says("FAIL  filesystem")) << said_;
    EXPECT_TRUE(says(one.name)) << said_;
    EXPECT_TRUE(says(one.why)) << said_;
  }
}

TEST_F(Doctor, AnOverlayIsTrustedWithAWarning) {
  calls.filesystem_magic = [](int) -> long { return 0x794C7630; };
  EXPECT_TRUE(asks()) << said_;
  EXPECT_TRUE(says("warn  overlay")) << said_;
  EXPECT_TRUE(says(" warning")) << said_;  // the machine may deserve others
}

TEST_F(Doctor, WarnsOfWhatIsMerelySlower) {
  calls.inotify_init = [](int) {
    errno = EMFILE;
    return -1;
  };
  calls.set_robust_list = [](void*, std::size_t) {
    errno = ENOSYS;
    return -1;
  };
  calls.pidfd_open = [](pid_t, unsigned) {
    errno = ENOSYS;
    return -1;
  };
  EXPECT_TRUE(asks()) << said_;
  EXPECT_TRUE(says("warn  inotify")) << said_;
  EXPECT_TRUE(says("warn  words")) << said_;
  EXPECT_TRUE(says("warn  pidfd")) << said_;
  EXPECT_TRUE(says(" warnings)")) << said_;
}

// A filesystem that drops a process's locks when it closes any descriptor, and keeps none for
// children.
TEST_F(Doctor, SeesLocksOfTheOldKind) {
  calls.lock = [](int fd, int command, struct flock* range) {
    if (command == F_OFD_SETLK) command = F_SETLK;
    if (command == F_OFD_SETLKW) command = F_SETLKW;
    if (command == F_OFD_GETLK) command = F_GETLK;
    return kRealCalls.lock(fd, command, range);
  };
  EXPECT_FALSE(asks());
  EXPECT_TRUE(says("FAIL  close")) << said_;
  EXPECT_TRUE(says("FAIL  fork")) << said_;
  EXPECT_TRUE(says("ok    two-openers")) << said_;
}

#endif

}  // namespace
}  // namespace atmost::doctor
