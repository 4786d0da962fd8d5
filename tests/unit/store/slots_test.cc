// The search for slots with false hints, and beside holders that do not use this store.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>

#include "os/calls.h"
#include "os/self.h"
#include "slots_kit.h"

namespace atmost::local {
namespace {

using SlotSearch = Slots;

TEST_F(SlotSearch, ForeignHoldersCount) {
  for (std::uint32_t slot : {1u, 2u, 4u}) ASSERT_TRUE(foreign_.lock_slot(slot));
  User first(path_, 4);
  EXPECT_EQ(first.ask(), "admit");
  EXPECT_EQ(first.slots(), Numbers{3});
  User second(path_, 4);
  EXPECT_EQ(second.ask(), "busy");
  ASSERT_TRUE(foreign_.unlock(slot_byte(2)));
  EXPECT_EQ(second.ask(), "admit");
  EXPECT_EQ(second.slots(), Numbers{2});
}

TEST_F(SlotSearch, ForeignHoldersAboveTheLimitCountWithWipedHints) {
  ASSERT_TRUE(foreign_.lock(slot_byte(100), 3));
  ASSERT_TRUE(foreign_.lock_slot(kMaxSlots));
  for (std::uint64_t absurd : {std::uint64_t{0}, std::uint64_t{8}, UINT64_MAX, std::uint64_t{7}}) {
    index(absurd);
    User caller(path_, 4);
    EXPECT_EQ(caller.ask(), "busy") << absurd;
    caller.request.locks[0].max = 5;
    EXPECT_EQ(caller.ask(), "admit") << absurd;
    EXPECT_EQ(caller.slots(), Numbers{1});
  }
}

TEST_F(SlotSearch, TheIndexIsRaisedBeforeASlotBeyondItIsUsedAndRepaired) {
  User first(path_, 4, 3);
  ASSERT_EQ(first.ask(), "admit");
  EXPECT_EQ(file_.get<std::uint64_t>(kIndexAt), 10u);
  for (std::uint64_t absurd : {std::uint64_t{0}, UINT64_MAX, std::uint64_t{1} << 40}) {
    index(absurd);
    User next(path_, 4);
    ASSERT_EQ(next.ask(), "admit");
    EXPECT_EQ(file_.get<std::uint64_t>(kIndexAt), 11u) << absurd;
  }
  index(1000);
  User next(path_, 4);
  ASSERT_EQ(next.ask(), "admit");
  EXPECT_EQ(file_.get<std::uint64_t>(kIndexAt), 1000u);  // never lowered: somebody may be up there
}

TEST_F(SlotSearch, ManyForeignHoldersAndAnyIndexEndInTheRightAnswer) {
  constexpr std::uint32_t kHeld = 50;
  ASSERT_TRUE(foreign_.lock(slot_byte(1), kHeld));
  for (std::uint64_t at : {std::uint64_t{0}, std::uint64_t{8}, std::uint64_t{30}, std::uint64_t{57},
                           std::uint64_t{200}}) {
    index(at);
    User refused(path_, kHeld);
    EXPECT_EQ(refused.ask(), "busy") << at;
    User admitted(path_, kHeld + 3, 2);
    EXPECT_EQ(admitted.ask(), "admit") << at;
    User too_many(path_, kHeld + 3, 2);
    EXPECT_EQ(too_many.ask(), "busy") << at;
  }
}

TEST_F(SlotSearch, TheShortcutBehindTheIndexKnowsDrainedSlots) {
  ASSERT_TRUE(foreign_.lock(slot_byte(1), 9));
  User drainer(path_, 1);
  ASSERT_TRUE(drainer.store().set_drained(drainer.request, 10, true).ok());
  index(16);  // as a foreign caller may have left it
  User refused(path_, 10);
  EXPECT_EQ(refused.ask(), "busy");
  User admitted(path_, 11);
  EXPECT_EQ(admitted.ask(), "admit");
  EXPECT_EQ(admitted.slots(), Numbers{11});
}

TEST_F(SlotSearch, AForgedWordIsFoundOut) {
  good_header();
  index(static_cast<std::uint64_t>(slot_byte(4)));
  for (std::uint32_t slot = 1; slot <= 4; ++slot) word(slot, kNobody);
  for (std::uint32_t slot : {1u, 2u, 4u}) ASSERT_TRUE(foreign_.lock_slot(slot));
  User caller(path_, 4);
  EXPECT_EQ(caller.ask(), "admit");
  EXPECT_EQ(caller.slots(), Numbers{3});
}

TEST_F(SlotSearch, ManyForgedWordsAreFoundOutWhereverTheyAre) {
  constexpr std::uint32_t kMany = 20'000;  // more than are read at once
  good_header();
  index(static_cast<std::uint64_t>(slot_byte(kMany)));
  // The first piece is false.
  for (std::uint32_t slot = 1; slot <= 16'384; ++slot) word(slot, kNobody);
  for (std::uint32_t slot = 16'385; slot <= kMany; ++slot) word(slot, 4711);
  ASSERT_TRUE(foreign_.lock(slot_byte(16'385), kMany - 16'384));
  for (int i = 0; i < 12; ++i) {
    User caller(path_, kMany);
    EXPECT_EQ(caller.ask(), "admit") << i;
    caller.release();
    word(1, kNobody);
  }
}

TEST_F(SlotSearch, WordsOfAnotherBootNeverCount) {
  constexpr std::uint32_t kMany = 500;
  good_header(os::boot_hash() + 2);
  index(static_cast<std::uint64_t>(slot_byte(kMany)));
  for (std::uint32_t slot = 1; slot <= kMany; ++slot) word(slot, kNobody);
  ASSERT_TRUE(foreign_.lock(slot_byte(1), kMany - 2));
  User first(path_, kMany);
  EXPECT_EQ(first.ask(), "admit");
  User second(path_, kMany);  // the header is of this boot now
  EXPECT_EQ(second.ask(), "admit");
  EXPECT_NE(second.slots(), first.slots());
}

TEST_F(SlotSearch, WordsOfACopiedFileNeverCount) {
  constexpr std::uint32_t kMany = 500;
  const std::string copy = directory_.path("copy");
  good_header();
  index(static_cast<std::uint64_t>(slot_byte(kMany)));
  for (std::uint32_t slot = 1; slot <= kMany; ++slot) word(slot, kNobody);
  std::filesystem::copy_file(path_, copy);
  Outsider foreign(copy);
  ASSERT_TRUE(foreign.lock(slot_byte(1), kMany - 2));
  User first(copy, kMany);
  EXPECT_EQ(first.ask(), "admit");
  User second(copy, kMany);
  EXPECT_EQ(second.ask(), "admit");
}

TEST_F(SlotSearch, WordsOfTheDeadAreDoubted) {
  good_header();
  index(static_cast<std::uint64_t>(slot_byte(2)));
  word(1, kNobody | 0x40000000);
  word(2, kNobody);
  ASSERT_TRUE(foreign_.lock_slot(2));
  User caller(path_, 2);
  EXPECT_EQ(caller.ask(), "admit");
  EXPECT_EQ(caller.slots(), Numbers{1});
}

// Nothing of the header has changed before the index is raised.
TEST_F(SlotSearch, AnAdmissionThatCannotRaiseTheIndexKeepsTheHeader) {
  good_header(os::boot_hash(), 4711);
  os::calls.pwrite = [](int fd, const void* from, std::size_t size, off_t at) {
    if (at != kIndexAt) return os::kRealCalls.pwrite(fd, from, size, at);
    errno = ENOSPC;
    return ssize_t{-1};
  };
  User caller(path_);
  (void)caller.ask();
  os::calls = os::kRealCalls;
  EXPECT_FALSE(caller.lease.held());
  EXPECT_EQ(file_.get<Header>(kHeaderAt).token, 4711U);
}

TEST_F(SlotSearch, AnExclusiveForeignerOnTheModeByteKeepsEverybodyOut) {
  ASSERT_TRUE(foreign_.lock(kModeByte));
  for (Mode mode : {Mode::plain, Mode::shared, Mode::exclusive}) {
    User caller(path_, 8);
    caller.request.locks[0].mode = mode;
    EXPECT_EQ(caller.ask(), "busy");
  }
}

TEST_F(SlotSearch, TheLargestLimit) {
  User caller(path_, kMaxSlots, kMaxTake);
  EXPECT_EQ(caller.ask(), "admit");
  ASSERT_TRUE(foreign_.lock(slot_byte(kMaxTake + 1), kMaxSlots - kMaxTake));
  User refused(path_, kMaxSlots);
  EXPECT_EQ(refused.ask(), "busy");
  User waits(path_, kMaxSlots);
  EXPECT_EQ(waits.queue(), "busy");
  caller.release();
  EXPECT_EQ(waits.queue(), "admit");
  EXPECT_EQ(refused.ask(), "admit");
}

// A lock that is owned by the process, as the original takes it, proves a holder as well.
TEST_F(SlotSearch, ProcessOwnedSlotsCountOnceAndEndWithTheFile) {
  User high(path_, 6, 6);
  ASSERT_EQ(high.ask(), "admit");
  ASSERT_TRUE(foreign_.lock_slot(7));
  high.release();
  User caller(path_, 2);
  caller.request.exec = true;
  caller.request.until = Until::close;
  EXPECT_EQ(caller.ask(), "admit");
  EXPECT_EQ(caller.slots(), Numbers{1});
  EXPECT_TRUE(file_.sees_lock(slot_byte(1)));
  // Another process: in this one, closing any descriptor of the file would drop the lock.
  const pid_t child = fork();
  if (child == 0) _exit(User(path_, 2).ask() == "busy" ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(file_.sees_lock(slot_byte(1)));
  caller.release();
  EXPECT_FALSE(file_.sees_lock(slot_byte(1)));
}

}  // namespace
}  // namespace atmost::local
