// Refusals where a lock has many slots.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/calls.h"
#include "os/self.h"
#include "slots_kit.h"
#include "store/local/slots.h"

namespace atmost::local {
namespace {

using Full = Slots;

TEST_F(Full, RefusingAmongTheLivingAsksFew) {
  constexpr std::uint32_t kMany = 1000;
  good_header();
  index(static_cast<std::uint64_t>(slot_byte(kMany)));
  for (std::uint32_t slot = 1; slot <= kMany; ++slot) word(slot, 4711);
  ASSERT_TRUE(foreign_.lock(slot_byte(1), kMany));
  static int asked;
  asked = 0;
  os::calls.lock = [](int fd, int command, struct flock* range) {
    ++asked;
    return os::kRealCalls.lock(fd, command, range);
  };
  User caller(path_, kMany);
  EXPECT_EQ(caller.ask(), "busy");
  os::calls = os::kRealCalls;
  EXPECT_EQ(asked, 7);  // the guard, one above the limit, four of the words, the guard
}

// A slot of which it is not known that it is held is tried, and so is one where the look and the
// query differ.
TEST_F(Full, RefusingNeedsEveryWord) {
  all_live();
  ASSERT_TRUE(foreign_.unlock(slot_byte(77)));
  word(77, 0);
  User first(path_, kAll);
  EXPECT_EQ(first.ask(), "admit");
  EXPECT_EQ(first.slots(), Numbers{77});
  first.release();
  word(77, kNobody);
  ASSERT_TRUE(foreign_.unlock(slot_byte(1), kAll / 2));
  User second(path_, kAll);
  EXPECT_EQ(second.ask(), "admit");
}

// The original's refusal counts all holders, whatever their limits. They end without the guard, and
// so after the decision, too.
TEST_F(Full, ARefusalForTheOriginalCountsWhatWasDecidedBy) {
  static const Outsider* holder;
  holder = &foreign_;
  for (const std::uint32_t max : {1u, 2u, 3u}) {
    for (const std::uint32_t slot : {1u, 2u, 3u, 40u}) ASSERT_TRUE(foreign_.lock_slot(slot));
    User caller(path_, max);
    caller.request.foreign_format = true;
    Result<Session*> session = caller.session();
    ASSERT_TRUE(session.ok());
    const Result<Decision> answer = rule::admit(
        *session.value(), caller.request,
        {[](const Request& request, const LockSpec& lock, const View& view, const Instant& now) {
           const Decision decision = policy::decide(request, lock, view, now);
           EXPECT_TRUE(holder->unlock(slot_byte(1), 100));
           return decision;
         },
         [](const Request&) {
           return Instant{1, 1, false};
         }},
        caller.lease);
    ASSERT_TRUE(answer.ok()) << answer.error().message.c_str();
    EXPECT_EQ(answer.value().verdict, Verdict::busy);
    EXPECT_EQ(answer.value().held, 4u);
  }
}

// Many separate locks are looked at about once each.
TEST_F(Full, ARefusalForTheOriginalAsksOncePerHolder) {
  constexpr std::uint32_t kHolders = 1000;
  for (std::uint32_t slot = 1; slot <= kHolders; slot += 2)
    ASSERT_TRUE(foreign_.lock_slot(slot) && file_.lock_slot(slot + 1));
  static std::uint32_t asked;
  asked = 0;
  os::calls.lock = [](int fd, int command, struct flock* range) {
    ++asked;
    return os::kRealCalls.lock(fd, command, range);
  };
  User caller(path_, kHolders);
  caller.request.foreign_format = caller.request.exec = true;
  caller.request.until = Until::close;
  const Result<Decision> answer = caller.attempt();
  os::calls = os::kRealCalls;
  ASSERT_TRUE(answer.ok()) << answer.error().message.c_str();
  EXPECT_EQ(answer.value().held, kHolders);
  EXPECT_LT(asked, kHolders + 50);
}

// In a command of a holder, whose lock has thousands of slots: the first that is not its ancestor's
// is enough.
TEST_F(Full, ANestedRefusalReadsFewRecords) {
  all_live();
  // In another process: what this one has locked would count as inherited.
  ASSERT_TRUE(foreign_.unlock(slot_byte(1), kAll));
  int line[2];
  ASSERT_EQ(pipe(line), 0);
  const pid_t holder = fork();
  if (holder == 0) {
    const Outsider mine(path_);
    const char word = mine.lock(slot_byte(1), kAll) ? 'y' : 'n';
    (void)!write(line[1], &word, 1);
    pause();
  }
  char held = 'n';
  ASSERT_EQ(read(line[0], &held, 1), 1);
  ASSERT_EQ(held, 'y');
  static int records;
  records = 0;
  os::calls.pread = [](int fd, void* to, std::size_t size, off_t at) {
    records += at >= kRecordsAt || at == record_at(1) ? 1 : 0;
    return os::kRealCalls.pread(fd, to, size, at);
  };
  User caller(path_, kAll);
  caller.request.nested = true;
  EXPECT_EQ(caller.ask(), "busy");
  os::calls = os::kRealCalls;
  kill(holder, SIGKILL);
  waitpid(holder, nullptr, 0);
  EXPECT_LE(records, 1);
}

}  // namespace
}  // namespace atmost::local
