// The moment for --if-elapsed must outlive a power failure; the command does not wait for the disk.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>

#include "core/limiter.h"
#include "os/calls.h"
#include "unit/store/lock_kit.h"

namespace atmost {
namespace {

int syncs;
bool command_ran_before;
std::string mark;

bool comes(const std::string& path) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (access(path.c_str(), F_OK) != 0) {
    if (std::chrono::steady_clock::now() > end) return false;
    usleep(1000);
  }
  return true;
}

int watched_fdatasync(int fd) {
  ++syncs;
  command_ran_before = comes(mark);
  return os::kRealCalls.fdatasync(fd);
}

int full_disk(int) {
  ++syncs;
  errno = EIO;
  return -1;
}

class LastAdmission : public ::testing::Test {
 protected:
  LastAdmission() {
    syncs = 0;
    command_ran_before = false;
    mark = directory_.path("ran");
    os::calls.fdatasync = watched_fdatasync;
    request_->locks[0].path = kept(directory_.path());
    request_->locks[0].name = "job";
    request_->no_history = true;
  }
  ~LastAdmission() override { os::calls = os::kRealCalls; }

  Outcome run() {
    char name[] = "/bin/touch";
    char* argv[] = {name, mark.data(), nullptr};
    return run_command(store_, *request_, {argv}, nullptr);
  }

  const local::Directory directory_;
  local::LocalStore store_;
  const std::unique_ptr<Request> request_ = std::make_unique<Request>();
};

TEST_F(LastAdmission, IsSavedWhenTheCommandRuns) {
  request_->if_elapsed = Duration::seconds(1);
  EXPECT_EQ(run().kind, Outcome::Kind::ran);
  EXPECT_EQ(syncs, 1);
  EXPECT_TRUE(command_ran_before);
}

TEST_F(LastAdmission, CostsNothingWhereNobodyGoesByIt) {
  EXPECT_EQ(run().kind, Outcome::Kind::ran);
  EXPECT_EQ(syncs, 0);
}

TEST_F(LastAdmission, ADiskThatFailsStopsNothing) {
  os::calls.fdatasync = full_disk;
  request_->if_elapsed = Duration::seconds(1);
  const Outcome outcome = run();
  EXPECT_EQ(outcome.kind, Outcome::Kind::ran);
  EXPECT_TRUE(outcome.status.success());
  EXPECT_EQ(syncs, 1);
}

// With --exec nobody stays who could do it later.
TEST_F(LastAdmission, IsSavedBeforeWeBecomeTheCommand) {
  request_->if_elapsed = Duration::seconds(1);
  request_->exec = true;
  const pid_t child = fork();
  if (child == 0) {
    os::calls.fdatasync = [](int) { return symlink("synced", (mark + ".synced").c_str()); };
    run();
    _exit(99);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(access(mark.c_str(), F_OK), 0);
  struct stat link;
  EXPECT_EQ(lstat((mark + ".synced").c_str(), &link), 0);
}

}  // namespace
}  // namespace atmost
