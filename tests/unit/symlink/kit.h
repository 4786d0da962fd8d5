// A directory with one lock in it, and processes that are certainly alive or gone.
#ifndef ATMOST_TESTS_UNIT_SYMLINK_KIT_H
#define ATMOST_TESTS_UNIT_SYMLINK_KIT_H

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "os/clock.h"
#include "os/self.h"
#include "store/symlink/link.h"

namespace atmost::symlink {

class SymlinkTest : public ::testing::Test {
 protected:
  SymlinkTest() {
    EXPECT_NE(mkdtemp(directory_), nullptr);
    EXPECT_TRUE(locate(PathText(name()), names_).ok());
  }
  ~SymlinkTest() override { std::filesystem::remove_all(directory_); }

  std::string name(const std::string& tail = "") const {
    return std::string(directory_) + "/lock" + tail;
  }
  void put(const std::string& text, const std::string& tail = "") {
    ASSERT_EQ(::symlink(text.c_str(), name(tail).c_str()), 0) << tail;
  }
  std::string get(const std::string& tail = "") const {
    char text[4096];
    const ssize_t size = readlink(name(tail).c_str(), text, sizeof text);
    return size < 0 ? "" : std::string(text, static_cast<std::size_t>(size));
  }
  std::size_t names() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(directory_), {}));
  }
  // A number that was a process's a moment ago.
  static std::int64_t dead_pid() {
    const pid_t pid = fork();
    if (pid == 0) _exit(0);
    waitpid(pid, nullptr, 0);
    return pid;
  }
  static std::string old_link(std::int64_t pid, std::int64_t time = 1,
                              std::int64_t ttl = kNoExpiry) {
    return "pid=" + std::to_string(pid) + " time=" + std::to_string(time) +
           " ttl=" + std::to_string(ttl) + " psid=root.root.1.1 id=x y";
  }
  MutexText holder(std::int64_t pid, std::uint64_t token, std::int64_t until = 0) const {
    return {pid == getpid() ? self_ : ProcessIdentity{pid, 1, boot_}, until, token};
  }

  char directory_[64] = "/tmp/atmost-symlink-XXXXXX";
  LockNames names_;
  std::uint64_t boot_ = os::boot_hash();
  ProcessIdentity self_ = identity_of(getpid(), boot_);
  Instant now_ = os::now();
};

}  // namespace atmost::symlink

#endif
