// The parts the doctor is made of: findings through a pipe, mounts as the kernel lists them,
// reports.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "os/calls.h"
#include "store/local/findings.h"
#include "store/local/mounts.h"
#include "store/local/report.h"

namespace atmost::local {
namespace {

void feed(FindingReader& reader, const std::string& bytes) {
  ASSERT_LE(bytes.size(), reader.room_size());
  bytes.copy(reader.room(), bytes.size());
  reader.filled(bytes.size());
}

TEST(Findings, ComeThroughInPieces) {
  const std::string bytes =
      std::string("wcheck\0what\0\0advice\0", 20) + std::string("sstep\0\0\0\0", 9);
  FindingReader reader;
  Finding finding;
  for (std::size_t i = 0; i + 1 < 20; ++i) {
    feed(reader, bytes.substr(i, 1));
    ASSERT_FALSE(reader.next(finding)) << i;
  }
  feed(reader, bytes.substr(19));
  ASSERT_TRUE(reader.next(finding));
  EXPECT_EQ(finding.level, Level::warn);
  EXPECT_EQ(finding.check, "check");
  EXPECT_EQ(finding.what, "what");
  EXPECT_EQ(finding.why, "");
  EXPECT_EQ(finding.advice, "advice");
  ASSERT_TRUE(reader.next(finding));
  EXPECT_EQ(finding.level, Level::step);
  EXPECT_EQ(finding.check, "step");
  EXPECT_FALSE(reader.next(finding));
}

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

TEST(Report, EscapesAndCountsAcrossItsBuffer) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Report report(ends[1]);
  const std::string name = std::string(5000, 'a') + "\x1b[2J\n";
  report.shown(name).text(" ").hex(0).text(" ").hex(0xfe00).text(" ").number(-7);
  EXPECT_TRUE(report.finish().ok());
  close(ends[1]);
  std::string got(8192, '\0');
  got.resize(static_cast<std::size_t>(read(ends[0], got.data(), got.size())));
  char more[4096];
  for (ssize_t size; (size = read(ends[0], more, sizeof more)) > 0;)
    got.append(more, static_cast<std::size_t>(size));
  close(ends[0]);
  EXPECT_EQ(got, std::string(5000, 'a') + "\\x1B[2J\\n 0x0 0xfe00 -7");
}

TEST(Report, SaysThatNobodyCouldBeTold) {
  const int full = open("/dev/full", O_WRONLY);
  if (full < 0) GTEST_SKIP() << "no /dev/full";
  Report report(full);
  report.text("x");
  const Status status = report.finish();
  close(full);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::io);
  EXPECT_EQ(status.error().sys, ENOSPC);
}

TEST(Report, Positions) {
  EXPECT_EQ(position_words(8).view(), "8");
  EXPECT_EQ(position_words(std::int64_t{1} << 41).view(), "2^41");
  EXPECT_EQ(position_words((std::int64_t{1} << 42) + 7).view(), "2^42+7");
  EXPECT_EQ(position_words(INT64_MAX).view(), "2^48+9223090561878065151");
}

}  // namespace
}  // namespace atmost::local
