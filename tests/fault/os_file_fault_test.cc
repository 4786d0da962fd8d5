// Reading and writing when the kernel gives less than was asked, or nothing.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "injector.h"
#include "os/calls.h"
#include "os/file.h"
#include "os/locks.h"

namespace atmost::os {
namespace {

using fault::Injector;

class FileFault : public ::testing::Test {
 protected:
  FileFault() { EXPECT_TRUE(mkdtemp(directory_) != nullptr); }
  ~FileFault() override {
    calls = kRealCalls;
    (void)unlink(path().c_str());
    (void)rmdir(directory_);
  }
  std::string path() const { return std::string(directory_) + "/file"; }
  void make(const std::string& text) {
    ASSERT_EQ(create_new(path().c_str(), 0600, file_), 0);
    ASSERT_EQ(write_at(file_.get(), text.data(), text.size(), 0), 0);
  }
  std::string all() {
    char text[256];
    std::size_t got = 0;
    EXPECT_EQ(read_at(file_.get(), text, sizeof text, 0, got), 0);
    return {text, got};
  }

  Fd file_;

 private:
  char directory_[64] = "/tmp/atmost-fault-XXXXXX";
};

TEST_F(FileFault, ReadingGoesOnAfterASignalAndAShortRead) {
  make("the quick brown fox");
  for (int error : {EINTR, 0}) {
    for (unsigned nth : {1u, 2u}) {
      Injector injector(nth, {error});
      EXPECT_EQ(all(), "the quick brown fox");
      EXPECT_TRUE(Injector::fired());
    }
  }
  Injector injector(1, {0, true});  // one byte less each time
  EXPECT_EQ(all(), "the quick brown fox");
}

TEST_F(FileFault, AFailedReadIsAnErrorAndSaysWhatItGot) {
  make("the quick brown fox");
  Injector injector(1, {EIO});
  char text[8];
  std::size_t got = 99;
  EXPECT_EQ(read_at(file_.get(), text, sizeof text, 0, got), EIO);
  EXPECT_EQ(got, 0u);
}

TEST_F(FileFault, WritingGoesOnAfterASignalAndAShortWrite) {
  make("");
  for (int error : {EINTR, 0}) {
    Injector injector(1, {error});
    EXPECT_EQ(write_at(file_.get(), "the quick brown fox", 19, 0), 0);
    EXPECT_TRUE(Injector::fired());
  }
  EXPECT_EQ(all(), "the quick brown fox");
  {
    Injector injector(1, {0, true});
    EXPECT_EQ(write_at(file_.get(), "jumps over the lazy", 19, 0), 0);
  }
  EXPECT_EQ(all(), "jumps over the lazy");
}

TEST_F(FileFault, AFullDiskIsAnErrorEvenWhenItSaysNothing) {
  make("");
  for (int error : {ENOSPC, EIO, EFBIG}) {
    Injector injector(1, {error});
    EXPECT_EQ(write_at(file_.get(), "text", 4, 0), error);
  }
  calls.pwrite = [](int, const void*, std::size_t, off_t) { return ssize_t{0}; };
  EXPECT_EQ(write_at(file_.get(), "text", 4, 0), ENOSPC);
}

TEST_F(FileFault, ABusyStreamIsWaitedFor) {
  static int attempts;
  static int waits;
  attempts = waits = 0;
  calls.write = [](int, const void*, std::size_t size) -> ssize_t {
    constexpr int kErrors[] = {EAGAIN, EINTR};
    if (attempts < 2) {
      errno = kErrors[attempts++];
      return -1;
    }
    return size > 1 ? 1 : static_cast<ssize_t>(size);
  };
  calls.poll = [](struct pollfd*, unsigned, int) { return ++waits; };
  EXPECT_EQ(write_all(1, "text", 4), 0);
  EXPECT_EQ(waits, 1);
  calls.write = [](int, const void*, std::size_t) -> ssize_t {
    errno = EPIPE;
    return -1;
  };
  EXPECT_EQ(write_all(1, "text", 4), EPIPE);
}

TEST_F(FileFault, OpeningGoesOnAfterASignal) {
  make("");
  Injector injector(1, {EINTR});
  Fd again;
  EXPECT_EQ(open_existing(path().c_str(), again), 0);
  EXPECT_TRUE(again.open());
}

TEST_F(FileFault, AClosedStandardStreamIsNotTaken) {
  make("");
  const pid_t child = fork();
  if (child == 0) {
    close(0);
    Fd again;
    _exit(open_existing(path().c_str(), again) == 0 && again.get() > 2 && fcntl(0, F_GETFD) < 0
              ? 0
              : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(FileFault, ADescriptorThatCannotBeMovedIsNotLost) {
  make("");
  const int before = file_.get();
  for (int error : {EMFILE, EBADF}) {
    Injector injector(1, {error});
    EXPECT_EQ(move_high(file_), error);
    EXPECT_EQ(file_.get(), before);
  }
  Injector injector(1, {EINVAL});  // the number lies beyond the limit of this process
  EXPECT_EQ(move_high(file_), 0);
  EXPECT_GT(file_.get(), 2);
  EXPECT_NE(fcntl(file_.get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(FileFault, ALockThatFailedIsNeverTakenForHeldOrForSomebodyElses) {
  make("");
  Conflict conflict;
  for (int error : {EIO, ENOLCK, EDEADLK, EBADF}) {
    for (Owner owner : {Owner::description, Owner::process}) {
      EXPECT_EQ((Injector(1, {error}), try_lock(file_.get(), owner, LockKind::write, {8, 1})),
                error);
      EXPECT_EQ(
          (Injector(1, {error}), query_lock(file_.get(), owner, LockKind::write, {8, 1}, conflict)),
          error);
      EXPECT_EQ((Injector(1, {error}), unlock(file_.get(), owner, {8, 1})), error);
      EXPECT_EQ((Injector(1, {error}), wait_lock(file_.get(), owner, LockKind::write, {8, 1})),
                error);
    }
  }
  for (int error : {EACCES, EAGAIN}) {
    EXPECT_EQ(
        (Injector(1, {error}), try_lock(file_.get(), Owner::description, LockKind::write, {8, 1})),
        EAGAIN);
  }
  EXPECT_EQ(
      (Injector(1, {EINTR}), try_lock(file_.get(), Owner::description, LockKind::write, {8, 1})),
      0);
  EXPECT_EQ(
      (Injector(1, {EINTR}), wait_lock(file_.get(), Owner::description, LockKind::write, {8, 1})),
      EINTR);
}

TEST_F(FileFault, WhatCannotBeExaminedIsNotTheSameFile) {
  make("");
  bool same = true;
  for (unsigned nth : {1u, 2u}) {
    Injector injector(nth, {EIO});
    EXPECT_EQ(same_file(file_.get(), path().c_str(), same), EIO);
    EXPECT_FALSE(same);
  }
  {
    Injector injector(2, {ENOENT});
    EXPECT_EQ(same_file(file_.get(), path().c_str(), same), 0);
    EXPECT_FALSE(same);
  }
  const char* name = "";
  Injector injector(1, {EIO});
  EXPECT_NE(filesystem_trust(file_.get(), &name), Trust::trusted);
}

}  // namespace
}  // namespace atmost::os
