// The memory in the lock file and the experience beside it: hints, believed only when whole and
// ours.
#include "store/local/stats_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <vector>

#include "lock_kit.h"
#include "policy/learn.h"
#include "policy/limits.h"
#include "store/local/hints.h"

namespace atmost::local {
namespace {

constexpr int kBeforeALimit = policy::kOwnRuns;

class Remembering : public ::testing::Test {
 protected:
  void run(std::int64_t seconds) {
    RunSample what;
    what.ran = Duration::seconds(seconds);
    memorize(file_.fd(), path_, {true, 0600}, policy::remember, what);
  }
  LockStats lock_stats() {
    LockStats lock_stats;
    DirectoryStats directory_stats;
    recall(file_.fd(), path_, lock_stats, directory_stats);
    return lock_stats;
  }
  float tried() {
    LockStats lock_stats;
    DirectoryStats directory_stats;
    recall(file_.fd(), path_, lock_stats, directory_stats);
    return directory_stats.tried;
  }

  const Directory directory_;
  const std::string path_ = directory_.path("job.lock");
  const std::string shared_ = directory_.path(kDirectoryStatsName);
  const Outsider file_{path_};
};

TEST_F(Remembering, IsReadBack) {
  EXPECT_EQ(lock_stats().completed, 0u);
  for (int i = 0; i < 5; ++i) run(100);
  EXPECT_EQ(lock_stats().completed, 5u);
  EXPECT_EQ(tried(), 0) << "none of them had a limit";
}

TEST_F(Remembering, AnySpoiltByteIsSeen) {
  run(100);
  for (std::int64_t at = kMemoryAt;
       at < kMemoryAt + static_cast<std::int64_t>(sizeof(MemoryRecord)); at += 7) {
    const char was = file_.get<char>(at);
    file_.put(static_cast<char>(was ^ 0x10), at);
    EXPECT_EQ(lock_stats().completed, 0u) << at;
    file_.put(was, at);
  }
  EXPECT_EQ(lock_stats().completed, 1u);
}

TEST_F(Remembering, TheDirectoryTellsItsOtherLocks) {
  for (int i = 0; i < 20; ++i) run(100);
  const std::string path = directory_.path("other.lock");
  const Outsider other(path);
  LockStats lock_stats;
  DirectoryStats directory_stats;
  recall(other.fd(), path, lock_stats, directory_stats);
  EXPECT_EQ(lock_stats.completed, 0u);
  EXPECT_EQ(directory_stats.tried, 20 - kBeforeALimit);
}

TEST_F(Remembering, ExperienceThatOthersMayWriteDoesNotCount) {
  for (int i = 0; i < 20; ++i) run(100);
  ASSERT_EQ(unlink(path_.c_str()), 0);
  const Outsider fresh(path_);
  LockStats lock_stats;
  DirectoryStats directory_stats;
  recall(fresh.fd(), path_, lock_stats, directory_stats);
  EXPECT_EQ(directory_stats.tried, 20 - kBeforeALimit);
  ASSERT_EQ(chmod(shared_.c_str(), 0660), 0);
  recall(fresh.fd(), path_, lock_stats, directory_stats);
  EXPECT_EQ(directory_stats.tried, 0);
}

// A user who may make links in the directory could have us write over another file of ours.
TEST_F(Remembering, AFileWithAnotherNameIsLeftAlone) {
  const std::string document = directory_.path("document");
  const Outsider text(document);
  text.put('a', 0);
  ASSERT_EQ(link(document.c_str(), shared_.c_str()), 0);
  for (int i = 0; i < 20; ++i) run(100);
  EXPECT_EQ(std::filesystem::file_size(document), 1u);
  EXPECT_EQ(lock_stats().completed, 20u);
  EXPECT_EQ(tried(), 0);
}

TEST_F(Remembering, ABusyDirectoryCostsNothingButExperience) {
  run(100);
  const Outsider busy(shared_);
  ASSERT_TRUE(busy.lock(0, 0));
  for (int i = 0; i < 5; ++i) run(100);
  EXPECT_EQ(lock_stats().completed, 6u);
  EXPECT_EQ(tried(), 0);
}

TEST_F(Remembering, EveryRunTellsTheDirectory) {
  for (int i = 0; i < 80; ++i) run(100);
  EXPECT_EQ(tried(), 80 - kBeforeALimit);
}

TEST_F(Remembering, KillsTellTheDirectory) {
  for (int i = 0; i < 20; ++i) run(100);
  RunSample what;
  what.kind = RunSample::Kind::stopped;
  for (int i = 0; i < 3; ++i) memorize(file_.fd(), path_, {true, 0600}, policy::remember, what);
  LockStats lock_stats;
  DirectoryStats directory_stats;
  recall(file_.fd(), path_, lock_stats, directory_stats);
  EXPECT_EQ(lock_stats.stopped_in_a_row, 3u);
  EXPECT_EQ(directory_stats.unseen, 3);
}

// The version before: its record was shorter, and had other fields behind the last that we know.
TEST_F(Remembering, WhatTheVersionBeforeLearnedCounts) {
  for (int i = 0; i < 20; ++i) run(100);
  constexpr std::size_t kHead = offsetof(MemoryRecord, lock_stats);
  std::vector<char> old(kHead + kOldLockStats + 8);
  ASSERT_EQ(pread(file_.fd(), old.data(), kHead + kOldLockStats, kMemoryAt),
            static_cast<ssize_t>(kHead + kOldLockStats));
  const std::uint32_t before = kMemoryVersion - 1;
  std::memcpy(old.data() + offsetof(MemoryRecord, version), &before, sizeof before);
  std::memset(old.data() + kHead + offsetof(LockStats, rows), 0x55, 8);
  const std::uint64_t sum = checksum_of(old.data(), kHead + kOldLockStats);
  std::memcpy(old.data() + kHead + kOldLockStats, &sum, sizeof sum);
  ASSERT_EQ(pwrite(file_.fd(), old.data(), old.size(), kMemoryAt),
            static_cast<ssize_t>(old.size()));
  EXPECT_EQ(lock_stats().completed, 20u);
  EXPECT_EQ(lock_stats().rows[0].kills, 0);
  run(100);
  EXPECT_EQ(lock_stats().completed, 21u);
}

// Somebody else's forty runs of no time must not have our long run stopped.
TEST_F(Remembering, MemoryThatOthersMayWriteDoesNotCount) {
  for (int i = 0; i < 40; ++i) run(0);
  ASSERT_EQ(lock_stats().completed, 40u);
  ASSERT_EQ(chmod(path_.c_str(), 0666), 0);
  EXPECT_EQ(lock_stats().completed, 0u);
  ASSERT_EQ(chmod(path_.c_str(), 0660), 0);
  EXPECT_EQ(lock_stats().completed, 0u);
  run(0);
  ASSERT_EQ(chmod(path_.c_str(), 0644), 0);
  EXPECT_EQ(lock_stats().completed, 40u) << "nor is it added to";
  if (geteuid() != 0) return;
  ASSERT_EQ(chown(path_.c_str(), 65534, 65534), 0);
  EXPECT_EQ(lock_stats().completed, 0u);
}

TEST_F(Remembering, WithoutADirectoryThatCanBeWrittenTheLockRemembers) {
  RunSample what;
  what.ran = Duration::seconds(1);
  memorize(file_.fd(), "/proc/job.lock", {true, 0600}, policy::remember, what);
  EXPECT_EQ(lock_stats().completed, 1u);
}

}  // namespace
}  // namespace atmost::local
