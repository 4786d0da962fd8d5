// Tickets, whatever became of the counter and the records.
#include "store/local/queue.h"

#include <gtest/gtest.h>
#include "lock_kit.h"
#include "os/self.h"
#include "store/local/hints.h"

namespace atmost::local {
namespace {

class TicketQueue : public ::testing::Test {
 protected:
  // The start of the next waiter's counter.
  void counter(std::uint64_t value) {
    struct stat status;
    ASSERT_EQ(fstat(file_.fd(), &status), 0);
    auto header = file_.get<Header>(kHeaderAt);
    header.ticket = value;
    const Identity identity = {status.st_dev, status.st_ino, header.boot};
    ASSERT_EQ(write_header(file_.fd(), identity, header), 0);
  }
  User& waiter() {
    users_.push_back(std::make_unique<User>(path_));
    EXPECT_EQ(users_.back()->queue(), "busy");
    EXPECT_TRUE(users_.back()->ticket.drawn);
    return *users_.back();
  }
  std::uint64_t number(const User& user) { return user.ticket.numbers[0]; }

  Directory directory_;
  const std::string path_ = directory_.path();
  Outsider file_{path_};
  User holder_{path_};
  std::vector<std::unique_ptr<User>> users_;

  void SetUp() override { ASSERT_EQ(holder_.ask(), "admit"); }
};

TEST_F(TicketQueue, TheOrderSurvivesEveryCounter) {
  User& first = waiter();
  std::vector<User*> all = {&first};
  for (std::uint64_t value : {std::uint64_t{0}, UINT64_MAX, kMaxTicket, kMaxTicket - (1 << 20),
                              kMaxTicket - (1 << 20) - 1, number(first), std::uint64_t{1}}) {
    counter(value);
    User& next = waiter();
    EXPECT_GT(number(next), number(*all.back())) << value;
    EXPECT_LE(number(next), kMaxTicket);
    all.push_back(&next);
  }
  holder_.release();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t later = i + 1; later < all.size(); ++later)
      EXPECT_EQ(all[later]->queue(), "busy");
    EXPECT_EQ(all[i]->queue(), "admit");
    all[i]->release();
  }
}

TEST_F(TicketQueue, WipedRecordsCostTheListingNotTheOrder) {
  User& first = waiter();
  User& second = waiter();
  const std::string zeros(kWaiterRing * kRecordSize, '\0');
  ASSERT_EQ(pwrite(file_.fd(), zeros.data(), zeros.size(), kWaitersAt),
            static_cast<ssize_t>(zeros.size()));
  holder_.release();
  EXPECT_EQ(second.queue(), "busy");
  EXPECT_EQ(first.queue(), "admit");
}

TEST_F(TicketQueue, ARecordThatWantsTheWorldClaimsOne) {
  User& first = waiter();
  WaiterRecord record;
  ASSERT_TRUE(read_waiter(file_.fd(), number(first), record));
  record.take = UINT32_MAX;
  ASSERT_EQ(write_waiter(file_.fd(), record), 0);
  User other(path_, 1);
  EXPECT_EQ(other.ask(), "busy");
  holder_.release();
  EXPECT_EQ(first.queue(), "admit");
}

TEST_F(TicketQueue, AWaiterThatIsGoneIsNotInTheWay) {
  User& first = waiter();
  User& second = waiter();
  first.end();
  holder_.release();
  EXPECT_EQ(second.queue(), "admit");
}

TEST_F(TicketQueue, AStrangersLockOnATicketByteIsWaitedFor) {
  Outsider stranger(path_);
  ASSERT_TRUE(stranger.lock(queue_start(1) + 1));
  holder_.release();
  User newcomer(path_, 1);
  EXPECT_EQ(newcomer.ask(), "busy");
  ASSERT_TRUE(stranger.unlock(queue_start(1) + 1));
  EXPECT_EQ(newcomer.ask(), "admit");
}

constexpr std::int64_t kSecond = 1'000'000'000;

// Nobody looks at the waiter's process: that it does not ask is enough.
TEST_F(TicketQueue, ATurnIsWrittenOnceAndEndsAfterASecond) {
  User& first = waiter();
  User& second = waiter();
  holder_.release();
  EXPECT_EQ(second.queue(), "busy");
  const auto bytes = [this] {
    std::string all(kWaiterRing * kRecordSize, '\0');
    EXPECT_GE(pread(file_.fd(), all.data(), all.size(), kWaitersAt), 0);
    return all;
  };
  const std::string noted = bytes();
  WaiterRecord record;
  ASSERT_TRUE(read_waiter(file_.fd(), number(first), record));
  EXPECT_EQ(record.turn_boot_ns, second.now.boot_ns);
  second.now.boot_ns += kSecond - 1;
  EXPECT_EQ(second.queue(), "busy");
  EXPECT_EQ(bytes(), noted) << "a refusal writes nothing: it would wake those who wait";
  second.now.boot_ns += 1;
  EXPECT_EQ(second.queue(), "admit");
}

// While a caller is paused with the guard nobody can decide, the waiter whose turn it noted
// included.
TEST_F(TicketQueue, ATurnCountsFromTheMomentWhenOthersCouldDecide) {
  User& first = waiter();
  User& second = waiter();
  holder_.release();
  paused_after_reading_ns = 2 * kSecond;
  EXPECT_EQ(second.queue(), "busy");
  paused_after_reading_ns = 0;
  second.now.boot_ns += 2 * kSecond;
  EXPECT_EQ(second.queue(), "busy") << "the first had no second for its turn";
  second.now.boot_ns += kSecond - 1;
  EXPECT_EQ(second.queue(), "busy");
  first.now = second.now;
  EXPECT_EQ(first.queue(), "admit");
}

// The turn that it noted looks as if it had been noted as one that is over.
TEST_F(TicketQueue, ATurnNotedByOneThatWasPausedForATurnDoesNotCount) {
  User& first = waiter();
  User& second = waiter();
  holder_.release();
  paused_after_reading_ns = kSecond + kSecond / 20;
  EXPECT_EQ(second.queue(), "busy");
  paused_after_reading_ns = 0;
  second.now.boot_ns += kSecond + kSecond / 20;
  EXPECT_EQ(second.queue(), "busy") << "the first had no second for its turn";
  first.now = second.now;
  EXPECT_EQ(first.queue(), "admit");
}

TEST_F(TicketQueue, ATurnOfAnotherBootOrOfTheFutureIsNone) {
  User& first = waiter();
  User& second = waiter();
  holder_.release();
  for (const bool future : {false, true}) {
    WaiterRecord record;
    ASSERT_TRUE(read_waiter(file_.fd(), number(first), record));
    record.turn_boot_ns = second.now.boot_ns + (future ? 1 : -10) * kSecond;
    record.turn_boot = future ? os::boot_hash() : os::boot_hash() + 1;
    ASSERT_EQ(write_waiter(file_.fd(), record), 0);
    EXPECT_EQ(second.queue(), "busy");
  }
  EXPECT_EQ(first.queue(), "admit");
}

// A waiter that is paused while it looks at another's ticket leaves a read lock on it.
TEST_F(TicketQueue, AReadLockOnATicketIsNoWaiter) {
  User& first = waiter();
  const std::int64_t byte = queue_start(1) + static_cast<std::int64_t>(number(first));
  first.withdraw();
  Outsider paused(path_);
  ASSERT_TRUE(paused.lock_for_reading(byte));
  User& second = waiter();
  EXPECT_GT(number(second), number(first));
  holder_.release();
  EXPECT_EQ(second.queue(), "admit");
}

// A waiter that is overtaken without a record of its own gets a bare one.
TEST_F(TicketQueue, AWaiterWithoutARecordIsOvertakenToo) {
  waiter();
  User& second = waiter();
  const std::string zeros(kWaiterRing * kRecordSize, '\0');
  ASSERT_EQ(pwrite(file_.fd(), zeros.data(), zeros.size(), kWaitersAt),
            static_cast<ssize_t>(zeros.size()));
  holder_.release();
  EXPECT_EQ(second.queue(), "busy");
  second.now.boot_ns += kSecond;
  EXPECT_EQ(second.queue(), "admit");
}

TEST_F(TicketQueue, NobodysTurnBeginsWhileTheLockIsDrained) {
  User& first = waiter();
  User& second = waiter();
  holder_.release();
  ASSERT_TRUE(second.store().set_drained(second.request, 0, true).ok());
  EXPECT_EQ(second.queue(), "busy");
  second.now.boot_ns += 10 * kSecond;
  ASSERT_TRUE(second.store().set_drained(second.request, 0, false).ok());
  EXPECT_EQ(second.queue(), "busy");
  EXPECT_EQ(first.queue(), "admit");
}

// A stopped waiter may keep a read lock on what it was blocked on: no slot is closed by it.
TEST_F(TicketQueue, AReadLockOnTheHandoverByteClosesNothing) {
  Outsider paused(path_);
  ASSERT_TRUE(paused.lock_for_reading(kHandoverByte));
  User& first = waiter();
  User& second = waiter();
  holder_.release();
  EXPECT_EQ(first.queue(), "admit");
  first.release();
  EXPECT_EQ(second.queue(), "admit");
}

// A ticket follows the clock, and so do those that lie as far apart as there are records.
TEST_F(TicketQueue, TwoThatWaitShareNoRecord) {
  User& first = waiter();
  users_.push_back(std::make_unique<User>(path_));
  User& second = *users_.back();
  second.now.boot_ns += std::int64_t{kWaiterRing} << 20;
  EXPECT_EQ(second.queue(), "busy");
  EXPECT_GT(number(second), number(first) + kWaiterRing / 2);
  EXPECT_NE(number(second) % kWaiterRing, number(first) % kWaiterRing);
}

class Joining : public TicketQueue {
 protected:
  User& joiner() {
    users_.push_back(std::make_unique<User>(path_));
    users_.back()->request.on_busy = OnBusy::join;
    return *users_.back();
  }
  static Why why(User& user) {
    const Result<Decision> answer = user.attempt(&user.ticket);
    EXPECT_TRUE(answer.ok());
    return answer.ok() ? answer.value().why : Why::none;
  }
};

TEST_F(Joining, AnExclusiveCallerJoinsToo) {
  User& runner = joiner();
  runner.request.locks[0].mode = Mode::exclusive;
  EXPECT_EQ(why(runner), Why::no_slot);
  User& other = joiner();
  other.request.locks[0].mode = Mode::exclusive;
  EXPECT_EQ(why(other), Why::joined);
}

class TwoJoin : public Joining {
 protected:
  User& later_joiner() {
    User& made = joiner();
    later(made);
    return made;
  }
  static void later(User& user) {
    user.now.boot_ns += 2'000'000'000;
    user.now.real_ns += 2'000'000'000;
  }
  // The first was overtaken when the second came, and then asked again.
  void SetUp() override {
    Joining::SetUp();
    first_ = &joiner();
    EXPECT_EQ(why(*first_), Why::no_slot);
    holder_.release();
    EXPECT_EQ(newcomer_.ask(), "busy");  // the first's turn begins
    later(newcomer_);
    ASSERT_EQ(newcomer_.ask(), "admit");
    second_ = &later_joiner();
    EXPECT_EQ(why(*second_), Why::no_slot);
    later(*first_);
    EXPECT_EQ(why(*first_), Why::no_slot);
  }
  User newcomer_{path_};
  User* first_ = nullptr;
  User* second_ = nullptr;
};

TEST_F(TwoJoin, TheFirstIsSeenWhenTheSecondHasLeft) {
  second_->withdraw();
  EXPECT_EQ(why(later_joiner()), Why::joined);
}

TEST_F(TwoJoin, TheSecondIsSeenWhenTheFirstHasLeft) {
  first_->withdraw();
  EXPECT_EQ(why(later_joiner()), Why::joined);
  second_->withdraw();
  EXPECT_EQ(why(later_joiner()), Why::no_slot);
}

}  // namespace
}  // namespace atmost::local
