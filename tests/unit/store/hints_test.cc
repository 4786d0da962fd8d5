// Every hint may be stale, torn, zeroed or forged.
#include "store/local/hints.h"

#include <gtest/gtest.h>

#include <utility>

#include "lock_kit.h"
#include "os/calls.h"

namespace atmost::local {
namespace {

constexpr Identity kSelf = {1, 2, 3};

class Hints : public ::testing::Test {
 protected:
  HeaderState read(const Identity& identity = kSelf) {
    HeaderState state = HeaderState::alien;
    EXPECT_EQ(read_header(file_.fd(), identity, index_, header_, state), 0);
    return state;
  }
  void write(const Identity& identity = kSelf) {
    header_ = {};
    header_.token = 77;
    header_.drained = 1;
    header_.start = {5, 6, identity.boot};
    ASSERT_EQ(write_header(file_.fd(), identity, header_), 0);
  }
  void text(const std::string& bytes, std::int64_t at = 0) {
    ASSERT_EQ(pwrite(file_.fd(), bytes.data(), bytes.size(), at),
              static_cast<ssize_t>(bytes.size()));
  }

  Directory directory_;
  Outsider file_{directory_.path()};
  std::uint64_t index_ = 99;
  Header header_;
};

TEST_F(Hints, AnEmptyFileIsFresh) {
  EXPECT_EQ(read(), HeaderState::fresh);
  EXPECT_EQ(index_, 0u);
}

TEST_F(Hints, AFileOfTheOriginalIsFresh) {
  file_.put(std::uint64_t{11}, 0);
  EXPECT_EQ(read(), HeaderState::fresh);
  EXPECT_EQ(index_, 11u);
}

TEST_F(Hints, WhatWasWrittenIsReadAgain) {
  write();
  EXPECT_EQ(read(), HeaderState::good);
  EXPECT_EQ(header_.token, 77u);
  EXPECT_EQ(header_.drained, 1u);
  EXPECT_EQ(header_.boot, kSelf.boot);
}

// A caller that looks without the guard reads while the first admission is being written.
TEST_F(Hints, AMarkThatComesBetweenTwoReadsIsSeen) {
  static bool comes;
  static int fd;
  static Header first;
  comes = true;
  fd = file_.fd();
  first = {};
  first.token = 77;
  // An index and no header: damaged, as far as the first read shows.
  file_.put(std::uint64_t{11}, 0);
  file_.put(std::uint64_t{0}, 8);
  os::calls.pread = [](int from, void* to, std::size_t size, off_t at) {
    const ssize_t got = os::kRealCalls.pread(from, to, size, at);
    if (std::exchange(comes, false)) {
      EXPECT_EQ(write_header(fd, kSelf, first), 0);
    }
    return got;
  };
  EXPECT_EQ(read(), HeaderState::good);
  os::calls = os::kRealCalls;
  EXPECT_EQ(header_.token, 77u);
}

TEST_F(Hints, EveryFlippedBitIsDamage) {
  write();
  for (std::size_t bit = 64 + 32; bit < 8 * sizeof(Header);
       ++bit) {  // behind the magic and the version
    const std::int64_t at = kHeaderAt + static_cast<std::int64_t>(bit / 8);
    const auto byte = file_.get<unsigned char>(at);
    file_.put(static_cast<unsigned char>(byte ^ (1u << bit % 8)), at);
    EXPECT_EQ(read(), HeaderState::damaged) << bit;
    EXPECT_EQ(header_.token, 0u);
    file_.put(byte, at);
  }
  EXPECT_EQ(read(), HeaderState::good);
}

TEST_F(Hints, EveryTornHeaderIsDamageOrNone) {
  write();
  std::string whole(sizeof(Header), '\0');
  ASSERT_EQ(pread(file_.fd(), whole.data(), whole.size(), kHeaderAt),
            static_cast<ssize_t>(whole.size()));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ASSERT_EQ(ftruncate(file_.fd(), kHeaderAt), 0);
    text(whole.substr(0, size), kHeaderAt);
    const HeaderState state = read();
    EXPECT_NE(state, HeaderState::good) << size;
    EXPECT_NE(state, HeaderState::copied) << size;
  }
}

TEST_F(Hints, ACopyIsNotTheFile) {
  write();
  EXPECT_EQ(read({1, 9, 3}), HeaderState::copied);
  EXPECT_EQ(header_.token, 77u);
  EXPECT_EQ(read({9, 2, 3}), HeaderState::copied);
  EXPECT_EQ(read({1, 2, 9}),
            HeaderState::good);  // another boot: the header still counts, the words do not
}

TEST_F(Hints, ALaterFormatIsLeftAlone) {
  write();
  file_.put(kFormatVersion + 1, kHeaderAt + 8);
  EXPECT_EQ(read(), HeaderState::newer);
  EXPECT_EQ(header_.version, kFormatVersion + 1);
}

TEST_F(Hints, SomebodysDocumentIsAlien) {
  text("Dear Sir or Madam,");
  EXPECT_EQ(read(), HeaderState::alien);
  ASSERT_EQ(ftruncate(file_.fd(), 0), 0);
  text("x", 4095);
  EXPECT_EQ(read(), HeaderState::alien);
  ASSERT_EQ(ftruncate(file_.fd(), 0), 0);
  text(std::string(64, '\xff'), kHeaderAt);
  EXPECT_EQ(read(), HeaderState::alien);
}

TEST_F(Hints, AShortTextIsAlienToo) {
  text("hello\n");
  EXPECT_EQ(read(), HeaderState::alien);
  ASSERT_EQ(ftruncate(file_.fd(), 0), 0);
  text(std::string("\x09\0\0", 3));  // a lock file that was cut
  EXPECT_EQ(read(), HeaderState::fresh);
}

TEST_F(Hints, AWipedHeaderIsDamagedAsLongAsSomethingTells) {
  ASSERT_EQ(ftruncate(file_.fd(), 8 << 20), 0);
  EXPECT_EQ(read(), HeaderState::fresh);  // full of zeros: nobody has used it
  file_.put(std::uint64_t{8}, 0);
  EXPECT_EQ(read(), HeaderState::damaged);
  file_.put(std::uint64_t{0}, 0);
  Record record = {};
  record.slot = 3;
  ASSERT_EQ(write_record(file_.fd(), record), 0);
  EXPECT_EQ(read(), HeaderState::damaged);
  ++record.token;  // a torn one proves nothing
  ASSERT_EQ(pwrite(file_.fd(), &record, 8, record_at(3)), 8);
  EXPECT_EQ(read(), HeaderState::fresh);
}

TEST_F(Hints, AnAbsurdIndexIsNone) {
  EXPECT_EQ(plausible_index(0), 0u);
  EXPECT_EQ(plausible_index(7), 0u);
  EXPECT_EQ(plausible_index(8), 8u);
  EXPECT_EQ(plausible_index(static_cast<std::uint64_t>(slot_byte(kMaxSlots))),
            static_cast<std::uint64_t>(slot_byte(kMaxSlots)));
  EXPECT_EQ(plausible_index(static_cast<std::uint64_t>(slot_byte(kMaxSlots)) + 1), 0u);
  EXPECT_EQ(plausible_index(UINT64_MAX), 0u);
}

TEST_F(Hints, StampsOfAnotherBootAgeByTheWallClock) {
  const Stamp same = stamp_of({5, 6, 3}, kSelf);
  EXPECT_TRUE(same.known && same.same_boot);
  EXPECT_FALSE(stamp_of({5, 6, 4}, kSelf).same_boot);
  EXPECT_FALSE(stamp_of({5, 6, 0}, {1, 2, 0}).same_boot);  // no boot id: no boot is this one
  EXPECT_FALSE(stamp_of({0, 0, 3}, kSelf).known);
  const StampData given = data_of({5, 6, true}, kSelf);
  EXPECT_EQ(given.real_ns, 5);
  EXPECT_EQ(given.boot, 0u);
}

TEST_F(Hints, WordsBehindTheEndAreDead) {
  Word words[4];
  ASSERT_EQ(read_words(file_.fd(), 1, 4, words), 0);
  for (const Word& word : words) EXPECT_FALSE(word_lives(word));
  ASSERT_EQ(write_word(file_.fd(), 2, 4711), 0);
  ASSERT_EQ(write_flags(file_.fd(), 2, kDrainedFlag), 0);
  ASSERT_EQ(write_word(file_.fd(), 2, 4712), 0);
  ASSERT_EQ(read_words(file_.fd(), 1, 4, words), 0);
  EXPECT_FALSE(word_lives(words[0]));
  EXPECT_TRUE(word_lives(words[1]));
  EXPECT_EQ(words[1].flags, kDrainedFlag);
}

TEST_F(Hints, TheDeadAreDead) {
  EXPECT_FALSE(word_lives({0, 0}));
  EXPECT_FALSE(word_lives({0x40000000, 0}));
  EXPECT_FALSE(word_lives({0x40000000 | 4711, 0}));
  EXPECT_FALSE(word_lives({0x80000000, 0}));  // waiters, but no owner
  EXPECT_TRUE(word_lives({0x80000000 | 4711, 0}));
}

TEST_F(Hints, ForgettingTheWordsKeepsTheFlags) {
  for (std::uint32_t slot : {1u, 512u, 513u, 20'000u}) {
    ASSERT_EQ(write_word(file_.fd(), slot, slot), 0);
    ASSERT_EQ(write_flags(file_.fd(), slot, kDrainedFlag), 0);
  }
  ASSERT_EQ(clear_words(file_.fd()), 0);
  for (std::uint32_t slot : {1u, 512u, 513u, 20'000u}) {
    Word word;
    ASSERT_EQ(read_words(file_.fd(), slot, 1, &word), 0);
    EXPECT_EQ(word.thread, 0u);
    EXPECT_EQ(word.flags, kDrainedFlag);
  }
}

TEST_F(Hints, AWordThatTheFileCutsIsForgottenToo) {
  ASSERT_EQ(write_word(file_.fd(), 3, 4711),
            0);  // nothing behind it: the file ends before its flags
  ASSERT_EQ(clear_words(file_.fd()), 0);
  Word word;
  ASSERT_EQ(read_words(file_.fd(), 3, 1, &word), 0);
  EXPECT_FALSE(word_lives(word));
}

TEST_F(Hints, ARecordIsWholeAndOfItsSlotOrNone) {
  Record record = {};
  EXPECT_FALSE(read_record(file_.fd(), 3, record));
  record.slot = 3;
  record.token = 8;
  record.id_size = 255;  // sizes are clamped to the text there is
  record.command_size = 63;
  record.kind = 200;
  record.expire_after_ns = -1;
  ASSERT_EQ(write_record(file_.fd(), record), 0);
  Record again;
  ASSERT_TRUE(read_record(file_.fd(), 3, again));
  HolderView view;
  view_of(again, kSelf, view);
  EXPECT_EQ(view.token, 8u);
  EXPECT_EQ(view.id.size(), 63u);
  EXPECT_EQ(view.kind, HolderKind::foreign);
  EXPECT_TRUE(view.expire_after.is_forever());
  EXPECT_FALSE(view.start.known);

  file_.put(again, record_at(4));  // moved
  EXPECT_FALSE(read_record(file_.fd(), 4, record));
  file_.put('x', record_at(3) + 9);
  EXPECT_FALSE(read_record(file_.fd(), 3, record));
}

TEST_F(Hints, AWaiterIsWholeAndInItsPlaceOrNone) {
  WaiterRecord record = {};
  EXPECT_FALSE(read_waiter(file_.fd(), 5, record));
  record.ticket = 5;
  record.queue = 1;
  record.mode = 77;
  ASSERT_EQ(write_waiter(file_.fd(), record), 0);
  WaiterRecord again;
  ASSERT_TRUE(read_waiter(file_.fd(), 5, again));
  WaiterView view;
  view_of(again, kSelf, view);
  EXPECT_EQ(view.ticket, 5u);
  EXPECT_EQ(view.mode, Mode::plain);
  file_.put(again, waiter_at(6));
  EXPECT_FALSE(read_waiter(file_.fd(), 6, record));
  for (auto [ticket, queue] :
       {std::pair<std::uint64_t, std::uint32_t>{0, 1}, {kMaxTicket + 1, 1}, {7, kModeQueue + 1}}) {
    record = {};
    record.ticket = ticket;
    record.queue = queue;
    ASSERT_EQ(write_waiter(file_.fd(), record), 0);
    EXPECT_FALSE(read_waiter(file_.fd(), ticket, again)) << ticket << ' ' << queue;
  }
}

}  // namespace
}  // namespace atmost::local
