// The memory in the lock file and the experience beside it: hints, believed only when whole and
// ours.
#include "store/local/remembering.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lock_kit.h"
#include "policy/learn.h"
#include "policy/limits.h"

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
  LockStats memory() {
    LockStats memory;
    DirectoryStats experience;
    recall(file_.fd(), path_, memory, experience);
    return memory;
  }
  float tried() {
    LockStats memory;
    DirectoryStats experience;
    recall(file_.fd(), path_, memory, experience);
    return experience.tried;
  }

  const Directory directory_;
  const std::string path_ = directory_.path("job.lock");
  const std::string shared_ = directory_.path(kExperienceName);
  const Outsider file_{path_};
};

TEST_F(Remembering, IsReadBack) {
  EXPECT_EQ(memory().completed, 0u);
  for (int i = 0; i < 5; ++i) run(100);
  EXPECT_EQ(memory().completed, 5u);
  EXPECT_EQ(tried(), 0) << "none of them had a limit";
}

TEST_F(Remembering, AnySpoiltByteIsSeen) {
  run(100);
  for (std::int64_t at = kMemoryAt;
       at < kMemoryAt + static_cast<std::int64_t>(sizeof(MemoryRecord)); at += 7) {
    const char was = file_.get<char>(at);
    file_.put(static_cast<char>(was ^ 0x10), at);
    EXPECT_EQ(memory().completed, 0u) << at;
    file_.put(was, at);
  }
  EXPECT_EQ(memory().completed, 1u);
}

TEST_F(Remembering, TheDirectoryTellsItsOtherLocks) {
  for (int i = 0; i < 20; ++i) run(100);
  const std::string path = directory_.path("other.lock");
  const Outsider other(path);
  LockStats memory;
  DirectoryStats experience;
  recall(other.fd(), path, memory, experience);
  EXPECT_EQ(memory.completed, 0u);
  EXPECT_EQ(experience.tried, 20 - kBeforeALimit);
}

TEST_F(Remembering, ExperienceThatOthersMayWriteDoesNotCount) {
  for (int i = 0; i < 20; ++i) run(100);
  ASSERT_EQ(unlink(path_.c_str()), 0);
  const Outsider fresh(path_);
  LockStats memory;
  DirectoryStats experience;
  recall(fresh.fd(), path_, memory, experience);
  EXPECT_EQ(experience.tried, 20 - kBeforeALimit);
  ASSERT_EQ(chmod(shared_.c_str(), 0660), 0);
  recall(fresh.fd(), path_, memory, experience);
  EXPECT_EQ(experience.tried, 0);
}

TEST_F(Remembering, ABusyDirectoryCostsNothingButExperience) {
  run(100);
  const Outsider busy(shared_);
  ASSERT_TRUE(busy.lock(0, 0));
  for (int i = 0; i < 5; ++i) run(100);
  EXPECT_EQ(memory().completed, 6u);
  EXPECT_EQ(tried(), 0);
}

TEST_F(Remembering, EveryRunTellsTheDirectory) {
  for (int i = 0; i < 80; ++i) run(100);
  EXPECT_EQ(tried(), 80 - kBeforeALimit);
}

// Somebody else's forty runs of no time must not have our long run stopped.
TEST_F(Remembering, MemoryThatOthersMayWriteDoesNotCount) {
  for (int i = 0; i < 40; ++i) run(0);
  ASSERT_EQ(memory().completed, 40u);
  ASSERT_EQ(chmod(path_.c_str(), 0666), 0);
  EXPECT_EQ(memory().completed, 0u);
  ASSERT_EQ(chmod(path_.c_str(), 0660), 0);
  EXPECT_EQ(memory().completed, 0u);
  run(0);
  ASSERT_EQ(chmod(path_.c_str(), 0644), 0);
  EXPECT_EQ(memory().completed, 40u) << "nor is it added to";
  if (geteuid() != 0) return;
  ASSERT_EQ(chown(path_.c_str(), 65534, 65534), 0);
  EXPECT_EQ(memory().completed, 0u);
}

TEST_F(Remembering, WithoutADirectoryThatCanBeWrittenTheLockRemembers) {
  RunSample what;
  what.ran = Duration::seconds(1);
  memorize(file_.fd(), "/proc/job.lock", {true, 0600}, policy::remember, what);
  EXPECT_EQ(memory().completed, 1u);
}

}  // namespace
}  // namespace atmost::local
