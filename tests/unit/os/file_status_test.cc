// The status of a file without its times is that of fstat(2) and lstat(2), with and without the
// call that leaves the times out.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>

#include "os/file.h"

namespace atmost::os {
namespace {

bool same(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino && one.st_mode == other.st_mode &&
         one.st_nlink == other.st_nlink && one.st_uid == other.st_uid &&
         one.st_size == other.st_size;
}

// Of a path, by its name and by a descriptor.
bool agree(const char* path) {
  struct stat ours = {}, theirs = {};
  if (path_status_untimed(path, ours) != 0 || lstat(path, &theirs) != 0 || !same(ours, theirs))
    return false;
  const int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  const bool agreed =
      file_status_untimed(fd, ours) == 0 && fstat(fd, &theirs) == 0 && same(ours, theirs);
  close(fd);
  return agreed;
}

class UntimedStatus : public testing::Test {
 protected:
  void SetUp() override {
    char path[] = "/tmp/atmost-status-XXXXXX";
    ASSERT_NE(mkdtemp(path), nullptr);
    directory_ = path;
    file_ = directory_ + "/file";
    link_ = directory_ + "/link";
    const int fd = open(file_.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0640);
    ASSERT_EQ(ftruncate(fd, (std::int64_t{1} << 32) + 5), 0);
    close(fd);
    ASSERT_EQ(symlink("file", link_.c_str()), 0);
  }
  void TearDown() override {
    unlink(link_.c_str());
    unlink(file_.c_str());
    rmdir(directory_.c_str());
  }

  bool right() const {
    struct stat status;
    return agree(file_.c_str()) && agree(link_.c_str()) && agree(directory_.c_str()) &&
           agree("/dev/null") && agree("/proc/self/status") &&
           path_status_untimed((directory_ + "/none").c_str(), status) == ENOENT &&
           file_status_untimed(-1, status) == EBADF;
  }

  std::string directory_, file_, link_;
};

// From now on statx(2) fails in this process.
bool refuse_statx(int error) {
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_statx, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 &&
         syscall(SYS_statx, AT_FDCWD, "/", 0, 0, nullptr) == -1 && errno == error;
}

TEST_F(UntimedStatus, IsThatOfTheTimedCalls) { EXPECT_TRUE(right()); }

TEST_F(UntimedStatus, IsTheSameWhereTheKernelOrASandboxRefusesTheCall) {
  constexpr int kNoFilters = 77;
  for (const int error : {ENOSYS, EPERM}) {
    const pid_t child = fork();
    if (child == 0) {
      if (!refuse_statx(error)) _exit(kNoFilters);
      _exit(right() ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == kNoFilters) GTEST_SKIP() << "no filters of system calls here";
    EXPECT_EQ(WEXITSTATUS(status), 0) << error;
  }
}

}  // namespace
}  // namespace atmost::os
