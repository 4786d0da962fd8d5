// Tickets, whatever became of the counter and the records.
#include "store/local/queue.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "lock_kit.h"
#include "store/local/hints.h"

namespace atmost::local {
namespace {

class TicketQueue : public ::testing::Test {
 protected:
  // What the next waiter's counter starts from.
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
    for (std::size_t later = i + 1; later < all.size(); ++later) EXPECT_EQ(all[later]->queue(), "busy");
    EXPECT_EQ(all[i]->queue(), "admit");
    all[i]->release();
  }
}

TEST_F(TicketQueue, WipedRecordsCostTheListingNotTheOrder) {
  User& first = waiter();
  User& second = waiter();
  const std::string zeros(kWaiterRing * kRecordSize, '\0');
  ASSERT_EQ(pwrite(file_.fd(), zeros.data(), zeros.size(), kWaitersAt), static_cast<ssize_t>(zeros.size()));
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

TEST_F(TicketQueue, AStoppedWaiterIsPassedBy) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    User sleeper(path_);
    const bool queued = sleeper.queue() == "busy" && sleeper.ticket.drawn;
    (void)!write(ready[1], queued ? "y" : "n", 1);
    raise(SIGSTOP);
    _exit(sleeper.queue() == "busy" ? 0 : 1);  // its place is kept, but somebody else was admitted
  }
  char answer = 0;
  ASSERT_EQ(read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
  User& second = waiter();
  holder_.release();
  EXPECT_EQ(second.queue(), "admit");
  ASSERT_EQ(kill(child, SIGCONT), 0);
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  close(ready[0]);
  close(ready[1]);
}

}  // namespace
}  // namespace atmost::local
