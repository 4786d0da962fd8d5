// A lock file in a directory that looks like NFS to this process: the library names the store that
// keeps such locks.
#include <sys/syscall.h>
#include <sys/vfs.h>

#include <atomic>
#include <cstdarg>
#include <cstring>
#include <fstream>

#include "library_kit.h"

namespace {

std::string mounts;  // in place of the kernel's; empty: all is as it is

}  // namespace

// Both in place of the C library's, for libatmost, too.
extern "C" int fstatfs(int fd, struct statfs* to) noexcept {
  const long done = syscall(SYS_fstatfs, fd, to);
  constexpr long kNfs = 0x6969;
  if (done == 0 && !mounts.empty()) to->f_type = kNfs;
  return static_cast<int>(done);
}

extern "C" int openat(int directory, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const auto mode = va_arg(more, mode_t);
  va_end(more);
  const bool asks = !mounts.empty() && std::strcmp(path, "/proc/self/mountinfo") == 0;
  return static_cast<int>(
      syscall(SYS_openat, directory, asks ? mounts.c_str() : path, flags, mode));
}

namespace {

class OnNfs : public Library {
 protected:
  void SetUp() override {
    Library::SetUp();
    limits_.set("no_history");
  }
  // With what follows the type of each filesystem.
  void mount_all(const std::string& options) {
    std::ifstream real("/proc/self/mountinfo");
    std::ofstream told(path("mounts"));
    for (std::string line; std::getline(real, line);)
      told << line.substr(0, line.find(" - ")) << " - nfs4 server:/export " << options << "\n";
    mounts = path("mounts");
  }
  void TearDown() override {
    mounts.clear();
    Library::TearDown();
  }
};

TEST_F(OnNfs, TheStoreOfSuchDirectoriesIsNamed) {
  mount_all("rw,vers=4.2,hard,local_lock=none");
  const std::string words =
      path("a") + ": is on NFS, where a lock can be lost: set store to \"shared:" + directory_ +
      "\", and on_lost";
  const atmost::Held held = atmost::Named(path("a")).get_lock(limits_);
  EXPECT_EQ(held.answer(), ATMOST_IO);
  EXPECT_EQ(held.reason(), words);
  atmost_pending* request = nullptr;
  ASSERT_EQ(begin_by(path("a").c_str(), limits_, &request), ATMOST_ADMITTED);
  atmost_lock* lock = nullptr;
  EXPECT_EQ(atmost_finish(request, &lock), ATMOST_IO);
  EXPECT_EQ(atmost_message(), words);
  limits_.set("trust_fs");
  EXPECT_TRUE(atmost::Named(path("a")).get_lock(limits_));
}

TEST_F(OnNfs, NotWhereItWouldNotHelp) {
  mount_all("rw,vers=3,hard");
  const atmost::Held held = atmost::Named(path("a")).get_lock(limits_);
  EXPECT_EQ(held.answer(), ATMOST_IO);
  EXPECT_NE(held.reason().find("(nfs 3) cannot be trusted"), std::string::npos) << held.reason();
}

}  // namespace
