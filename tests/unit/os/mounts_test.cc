// Mounts as the kernel lists them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "os/calls.h"
#include "os/mounts.h"

namespace atmost::os {
namespace {

TEST(Mounts, Options) {
  const std::string_view options = "rw,lowerdir=/a:/b,upperdir=/up,index=off";
  EXPECT_EQ(option(options, "upperdir"), "/up");
  EXPECT_EQ(option(options, "lowerdir"), "/a:/b");
  EXPECT_EQ(option(options, "index"), "off");
  EXPECT_EQ(option(options, "upper"), "");
  EXPECT_EQ(option(options, "rw"), "");
  EXPECT_EQ(option("", "rw"), "");
}

TEST(Mounts, LiesIn) {
  EXPECT_TRUE(lies_in("/a/b", "/a"));
  EXPECT_TRUE(lies_in("/a", "/a"));
  EXPECT_TRUE(lies_in("/a", "/"));
  EXPECT_FALSE(lies_in("/ab", "/a"));
  EXPECT_FALSE(lies_in("/", "/a"));
  EXPECT_FALSE(lies_in("/a", ""));
}

const char* mountinfo = "";

ssize_t read_mountinfo(int, void* to, std::size_t size, off_t at) {
  const std::string_view text = mountinfo;
  const std::string_view rest =
      text.substr(std::min(static_cast<std::size_t>(at), text.size()), size);
  rest.copy(static_cast<char*>(to), rest.size());
  return static_cast<ssize_t>(rest.size());
}

struct Listed final : MountVisitor {
  std::string text;
  void mount(const Mount& mount) override {
    text += std::to_string(mount.id) + "|" + std::string(mount.root) + "|" +
            std::string(mount.point) + "|" + std::string(mount.type) + "|" +
            std::string(mount.source) + "|" + std::string(mount.options) + "\n";
  }
};

std::string listed(const char* text) {
  mountinfo = text;
  os::calls.pread = read_mountinfo;
  Listed visitor;
  EXPECT_EQ(each_mount(visitor), 0);
  os::calls = os::kRealCalls;
  return visitor.text;
}

TEST(Mounts, AreRead) {
  if (access("/proc/self/mountinfo", R_OK) != 0) GTEST_SKIP() << "no /proc";
  EXPECT_EQ(listed("36 35 98:0 /sub /mnt/a\\040b rw,noatime master:1 shared:2 - fuse.sshfs "
                   "me@h:/x\\134y rw,x=1\n"
                   "37 35 0:30 / /proc rw - proc proc rw\n"),
            "36|/sub|/mnt/a b|fuse.sshfs|me@h:/x\\y|rw,x=1\n37|/|/proc|proc|proc|rw\n");
  EXPECT_EQ(listed(""), "");
  EXPECT_EQ(listed("rubbish\n\n - \n"), "");
}

TEST(Mounts, AnEndlessLineIsPassedOver) {
  if (access("/proc/self/mountinfo", R_OK) != 0) GTEST_SKIP() << "no /proc";
  const std::string text = "1 2 0:3 / /" + std::string(100'000, 'x') +
                           " rw - ext4 /dev/a rw\n2 2 0:3 / /b rw - ext4 /dev/b rw\n";
  EXPECT_EQ(listed(text.c_str()), "2|/|/b|ext4|/dev/b|rw\n");
}

}  // namespace
}  // namespace atmost::os
