// The NFS mounts that keep locks between machines, by the options that the kernel shows.
#include "store/local/nfs_mount.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "os/calls.h"
#include "os/file.h"

namespace atmost::local {
namespace {

NfsFault fault(std::string_view options) { return parse_nfs_options(options).fault; }

TEST(NfsMount, HardMountsOfTheNewVersionsKeepLocks) {
  EXPECT_EQ(fault("rw,vers=4.2,rsize=65536,hard,proto=tcp,local_lock=none,addr=10.77.0.1"),
            NfsFault::none);
  EXPECT_EQ(fault("rw,vers=4.1,hard"), NfsFault::none);
  EXPECT_EQ(parse_nfs_options("rw,vers=4.2,hard").version.view(), "4.2");
}

TEST(NfsMount, OldVersionsDoNot) {
  EXPECT_EQ(fault("rw,vers=3,hard,local_lock=none"), NfsFault::old_version);
  EXPECT_EQ(fault("rw,vers=2,hard"), NfsFault::old_version);
  EXPECT_EQ(fault("rw,vers=3,hard,nolock,local_lock=all"), NfsFault::old_version);
  EXPECT_EQ(fault("rw,vers=4.0,hard,local_lock=none"), NfsFault::fast_version);
  EXPECT_EQ(fault("rw,vers=4,hard"), NfsFault::fast_version);
}

TEST(NfsMount, LocksOfOneMachineDoNot) {
  EXPECT_EQ(fault("vers=4.2,hard,local_lock=all"), NfsFault::local_locks);
  EXPECT_EQ(fault("vers=4.2,hard,local_lock=posix"), NfsFault::local_locks);
  EXPECT_EQ(fault("vers=4.2,hard,local_lock=flock"), NfsFault::local_locks);
  EXPECT_EQ(fault("vers=4.2,hard,nolock"), NfsFault::local_locks);
}

TEST(NfsMount, SoftMountsDoNot) {
  EXPECT_EQ(fault("vers=4.2,soft,local_lock=none"), NfsFault::soft);
  EXPECT_EQ(fault("vers=4.1,softerr"), NfsFault::soft);
  EXPECT_EQ(fault("vers=4.2,hard,softreval"), NfsFault::none);
}

TEST(NfsMount, WhatIsNotSaidIsNotTrusted) {
  for (const char* options : {"", "rw", "hard", "vers=,hard", "vers=4.3,hard", "vers=4.2", "vers",
                              "vers=4.2222222222222222222222,hard", ",,vers=5,,"})
    EXPECT_EQ(fault(options), NfsFault::unknown) << options;
}

TEST(NfsMount, EachHasAReason) {
  for (NfsFault one : {NfsFault::none, NfsFault::old_version, NfsFault::fast_version,
                       NfsFault::local_locks, NfsFault::soft, NfsFault::unknown})
    EXPECT_FALSE(reason_against(one).empty());
  EXPECT_TRUE(is_cured_by_options(NfsFault::soft));
  EXPECT_FALSE(is_cured_by_options(NfsFault::none));
}

TEST(NfsMount, AnotherFilesystemsMountIsNotNfs) {
  os::Fd root;
  ASSERT_EQ(os::open_directory("/proc", root), 0);
  EXPECT_EQ(nfs_mount_of(root.get()).fault, NfsFault::unknown);
  EXPECT_EQ(nfs_mount_of(-1).fault, NfsFault::unknown);
}

#ifndef ATMOST_PORTABLE
std::string planted;

TEST(NfsMount, IsFoundByTheNumberOfTheMount) {
  os::Fd root;
  ASSERT_EQ(os::open_directory("/proc", root), 0);
  static ssize_t (*const real)(int, void*, std::size_t, off_t) = os::calls.pread;
  os::calls.pread = [](int fd, void* to, std::size_t size, off_t at) -> ssize_t {
    const ssize_t got = real(fd, to, size, at);
    if (got <= 0 || std::memchr(to, '/', static_cast<std::size_t>(got)) == nullptr) {
      // The file that names the mount's number.
      if (got > 0 && at == 0) planted = std::string(static_cast<char*>(to), std::size_t(got));
      return got;
    }
    const std::size_t number = planted.find("mnt_id:\t") + 8;
    const std::string id = planted.substr(number, planted.find('\n', number) - number);
    const std::string lines = "1 1 0:1 / /a rw - nfs4 s:/ rw,vers=4.2,hard\n" + id +
                              " 1 0:2 / /b rw shared:1 - nfs4 s:/ rw,vers=4.1,soft\n";
    if (std::size_t(at) >= lines.size()) return 0;
    const std::size_t count = std::min(size, lines.size() - std::size_t(at));
    std::memcpy(to, lines.data() + at, count);
    return static_cast<ssize_t>(count);
  };
  const NfsMount mount = nfs_mount_of(root.get());
  os::calls.pread = real;
  EXPECT_EQ(mount.version.view(), "4.1");
  EXPECT_EQ(mount.fault, NfsFault::soft);
}
#endif

}  // namespace
}  // namespace atmost::local
