// The fate of NAME, and what a stranger who acts in between cannot make of it.
#include <cerrno>

#include "kit.h"
#include "os/calls.h"
#include "os/file.h"

namespace atmost::symlink {
namespace {

std::string lock_path;
std::string fresh;

// Just before ours takes the names of the old link, somebody else removes it and makes a lock of
// his own.
int exchange_after_a_stranger(const char* one, const char* other) {
  if (!fresh.empty()) {
    unlink(lock_path.c_str());
    EXPECT_EQ(::symlink(fresh.c_str(), lock_path.c_str()), 0);
    fresh.clear();
  }
  return os::kRealCalls.exchange(one, other);
}
int no_exchange(const char*, const char*) {
  errno = EINVAL;
  return -1;
}
int no_rename_new(const char*, const char*) {
  errno = EINVAL;
  return -1;
}
int rename_after_a_stranger(const char* from, const char* to) {
  if (!fresh.empty() && from == lock_path) {
    unlink(lock_path.c_str());
    EXPECT_EQ(::symlink(fresh.c_str(), lock_path.c_str()), 0);
    fresh.clear();
  }
  return os::kRealCalls.rename(from, to);
}

class Links : public SymlinkTest {
 protected:
  Links() {
    lock_path = name();
    fresh.clear();
  }
  ~Links() override { os::calls = os::kRealCalls; }
  Result<TryLock> take() {
    return take_link(names_, spare_name(names_, getpid(), 1), PathText(own_), now_, boot_);
  }
  void expect(TryLock grip) {
    const Result<TryLock> taken = take();
    ASSERT_TRUE(taken.ok()) << taken.error().message.c_str();
    EXPECT_EQ(taken.value(), grip);
  }
  const std::string own_ =
      "pid=" + std::to_string(getpid()) + " time=1 ttl=99999999 psid=a.b.1.1 id=own";
};

TEST_F(Links, AFreeNameIsTaken) {
  expect(TryLock::held);
  EXPECT_EQ(get(), own_);
  expect(TryLock::busy);
  leave_link(names_, spare_name(names_, getpid(), 2), PathText(own_));
  EXPECT_EQ(names(), 0u);
}

TEST_F(Links, ALinkThatIsOverIsReplaced) {
  put(old_link(dead_pid()));
  expect(TryLock::held);
  EXPECT_EQ(get(), own_);
  EXPECT_EQ(names(), 1u);
}

TEST_F(Links, AFreshLockIsGivenBackByWhoJudgedAnOlderOne) {
  put(old_link(dead_pid()));
  fresh = old_link(getpid());
  const std::string theirs = fresh;
  os::calls.exchange = exchange_after_a_stranger;
  expect(TryLock::busy);
  EXPECT_EQ(get(), theirs);
  EXPECT_EQ(names(), 1u);
}

TEST_F(Links, WhereNamesCannotBeExchanged) {
  os::calls.exchange = no_exchange;
  os::calls.rename_new = no_rename_new;
  put(old_link(dead_pid()));
  expect(TryLock::held);
  EXPECT_EQ(get(), own_);
  EXPECT_EQ(names(), 1u);
}

TEST_F(Links, AFreshLockIsGivenBackThereToo) {
  os::calls.exchange = no_exchange;
  os::calls.rename_new = no_rename_new;
  os::calls.rename = rename_after_a_stranger;
  put(old_link(dead_pid()));
  fresh = old_link(getpid());
  const std::string theirs = fresh;
  expect(TryLock::busy);
  EXPECT_EQ(get(), theirs);
  EXPECT_EQ(names(), 1u);
}

TEST_F(Links, WhoLeavesTakesOnlyHisOwn) {
  const std::string theirs = old_link(getpid());
  put(theirs);
  leave_link(names_, spare_name(names_, getpid(), 2), PathText(own_));
  EXPECT_EQ(get(), theirs);

  std::filesystem::remove(name());
  put(own_);
  fresh = theirs;
  os::calls.rename = rename_after_a_stranger;
  leave_link(names_, spare_name(names_, getpid(), 2), PathText(own_));
  EXPECT_EQ(get(), theirs);
}

TEST_F(Links, WhatIsNoLockIsLeftAlone) {
  put("/etc/passwd");
  const Result<TryLock> taken = take();
  ASSERT_FALSE(taken.ok());
  EXPECT_EQ(taken.error().code, Code::io);
  EXPECT_EQ(get(), "/etc/passwd");
}

TEST_F(Links, LeftoversAreSweptAndNothingElse) {
  put(old_link(1), ".12.34");
  put(old_link(1), ".12.34.5");
  put("/elsewhere", ".56.78");
  put(old_link(dead_pid()), ".atmost.spare.7.0123456789abcdef");
  put(old_link(getpid()), ".atmost.spare.8.0123456789abcdef");
  put("pid=1 ...", ".atmost.0123456789abcdef.1");
  const PathText kept = claim_name(names_, "mutex", 1);
  ASSERT_EQ(::symlink("x", kept.c_str()), 0);
  sweep(names_, "mutex", now_, boot_);
  EXPECT_EQ(get(".12.34"), "");
  EXPECT_NE(get(".12.34.5"), "");
  EXPECT_NE(get(".56.78"), "");
  EXPECT_EQ(get(".atmost.spare.7.0123456789abcdef"), "");
  EXPECT_NE(get(".atmost.spare.8.0123456789abcdef"), "") << "a lock that somebody holds";
  EXPECT_EQ(get(".atmost.0123456789abcdef.1"), "");
  EXPECT_EQ(names(), 4u);
}

}  // namespace
}  // namespace atmost::symlink
