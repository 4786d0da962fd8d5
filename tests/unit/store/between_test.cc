// Actions of others between two steps of a caller, and what a caller's own steps look like
// meanwhile.
#include <gtest/gtest.h>

#include "lock_kit.h"
#include "os/clock.h"
#include "os/self.h"
#include "store/local/hints.h"

namespace atmost::local {
namespace {

class Between : public ::testing::Test {
 protected:
  Header header() const { return file_.get<Header>(kHeaderAt); }
  WaiterRecord record(const User& user) const {
    WaiterRecord found;
    EXPECT_TRUE(read_waiter(file_.fd(), user.ticket.numbers[0], found));
    return found;
  }

  Directory directory_;
  const std::string path_ = directory_.path();
  Outsider file_{path_};
};

// Each reads the clock when it ends, and then waits for the guard.
TEST_F(Between, OfTwoRunsThatEndAtOnceTheLaterEndIsTheLast) {
  User first(path_, 2), second(path_, 2);
  ASSERT_EQ(first.ask(), "admit");
  ASSERT_EQ(second.ask(), "admit");
  Instant later = first.now;
  later.real_ns += 5'000'000'000;
  later.boot_ns += 5'000'000'000;
  second.lease.release(Ending::success, later);
  first.lease.release(Ending::success, first.now);
  EXPECT_EQ(header().finish.boot_ns, later.boot_ns);
  EXPECT_EQ(header().success.boot_ns, later.boot_ns);
}

// A slot that a caller has locked only to look for room is not a hold around it.
TEST_F(Between, ASlotThatIsTriedIsNoHoldOfTheProcess) {
  User first(path_, 2), second(path_, 2);
  ASSERT_EQ(first.ask(), "admit");
  ASSERT_EQ(second.ask(), "admit");
  first.release();
  Record left;
  ASSERT_TRUE(read_record(file_.fd(), 1, left));
  left.pid = 0x3fffff;  // which has ended
  left.kind = static_cast<std::uint8_t>(HolderKind::supervised);
  ASSERT_EQ(write_record(file_.fd(), left), 0);
  User process_owned(path_, 1);
  process_owned.request.kind = HolderKind::exec;
  process_owned.request.exec = true;
  process_owned.request.until = Until::close;
  const Result<Decision> answer = process_owned.attempt(&process_owned.ticket);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.value().why, Why::no_slot);
}

// Else its next attempt cancels its turn, the next plain caller notes it again, and so on: while
// the reader is paused, both run all the time.
TEST_F(Between, AWriterHasNoTurnWhileAReaderInFrontHasIts) {
  User reader(path_, kMaxSlots), writer(path_, kMaxSlots), plain(path_);
  reader.request.locks[0].mode = Mode::shared;
  writer.request.locks[0].mode = Mode::exclusive;
  User first(path_, kMaxSlots);
  first.request.locks[0].mode = Mode::exclusive;
  ASSERT_EQ(first.ask(), "admit");
  ASSERT_EQ(reader.queue(), "busy");
  ASSERT_EQ(writer.queue(), "busy");
  first.release();
  ASSERT_EQ(plain.ask(), "busy");
  EXPECT_NE(record(reader).turn_boot_ns, 0);
  ASSERT_EQ(writer.queue(), "busy");  // it was called, and cannot come
  ASSERT_EQ(plain.ask(), "busy");
  EXPECT_EQ(record(writer).turn_boot_ns, 0);
}

// Else they note and cancel one another's turns, and each of these writes wakes them all.
TEST_F(Between, PlainWaitersHaveNoTurnsWhileAWriterInFrontKeepsThemOut) {
  User holder(path_, kMaxSlots), writer(path_, kMaxSlots), first(path_, 3), second(path_, 3);
  holder.request.locks[0].mode = Mode::exclusive;
  writer.request.locks[0].mode = Mode::exclusive;
  ASSERT_EQ(holder.ask(), "admit");
  ASSERT_EQ(writer.queue(), "busy");
  ASSERT_EQ(first.queue(), "busy");
  ASSERT_EQ(second.queue(), "busy");
  holder.release();
  ASSERT_EQ(second.queue(), "busy");
  EXPECT_NE(record(writer).turn_boot_ns, 0);
  EXPECT_EQ(record(first).turn_boot_ns, 0);
}

// Between the attempt that drew the ticket and the wait, another caller may note a turn and ring.
TEST_F(Between, ATurnThatBeganBeforeTheWaitIsSeen) {
  User holder(path_), first(path_), second(path_);
  ASSERT_EQ(holder.ask(), "admit");
  ASSERT_EQ(first.queue(), "busy");
  second.request.kind = HolderKind::supervised;
  ASSERT_EQ(second.queue(), "busy");
  WaiterRecord changed = record(second);
  changed.turn_boot_ns = os::boot_ns();
  changed.turn_boot = os::boot_hash();
  ASSERT_EQ(write_waiter(file_.fd(), changed), 0);
  const Result<Wake> woken = second.await(os::boot_ns() + 200'000'000);
  ASSERT_TRUE(woken.ok());
  EXPECT_EQ(woken.value(), Wake::maybe);
}

// Those behind it in the lock where it claims from now on may have begun to wait for it.
TEST_F(Between, AWaiterThatHasJustMovedItsClaimCallsTheNextWhenItLeaves) {
  const std::string other = directory_.path("other");
  User first(path_), second(other), both(path_), behind(other);
  both.request.lock_count = 2;
  both.request.locks[1].path = TextView::of(other);
  for (User* each : {&both, &behind}) each->request.kind = HolderKind::supervised;
  ASSERT_EQ(first.ask(), "admit");
  ASSERT_EQ(second.ask(), "admit");
  ASSERT_EQ(both.queue(), "busy");
  ASSERT_EQ(behind.queue(), "busy");
  first.release();
  ASSERT_EQ(both.queue(), "busy");
  ASSERT_EQ(both.ticket.claims_in, 1u);
  const Outsider file(other);
  const std::int64_t bell = bell_at(behind.ticket.numbers[0]);
  const auto before = file.get<std::uint32_t>(bell);
  both.withdraw();
  EXPECT_NE(before, 0u);
  EXPECT_NE(file.get<std::uint32_t>(bell), before);
}

// A caller that has the guard so soon after the note can decide: its writer was not paused with it.
// The second one is a late turn, which lasts a tenth of a second.
TEST_F(Between, ATurnThatWasNotedJustNowCountsBeforeItIsConfirmed) {
  User holder(path_), first(path_), second(path_);
  ASSERT_EQ(holder.ask(), "admit");
  ASSERT_EQ(first.queue(), "busy");
  holder.release();
  const auto turn_after = [&](std::int64_t passed_ns) {
    WaiterRecord noted = record(first);
    noted.turn_boot_ns = second.now.boot_ns - passed_ns;
    noted.turn_boot = os::boot_hash();
    EXPECT_EQ(write_waiter(file_.fd(), noted), 0);
    EXPECT_EQ(second.ask(), "busy");
    return record(first).turn_boot_ns == noted.turn_boot_ns;
  };
  EXPECT_TRUE(turn_after(50'000'000));
  EXPECT_TRUE(turn_after(950'000'000));
  EXPECT_FALSE(turn_after(200'000'000));
}

}  // namespace
}  // namespace atmost::local
