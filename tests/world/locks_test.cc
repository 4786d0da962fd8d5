#include "locks.h"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>

namespace world {

void PrintTo(const ByteLock& lock, std::ostream* to) {
  *to << (lock.owner.description ? "description " : "process ") << lock.owner.id
      << (lock.write ? " writes " : " reads ") << lock.first << ".." << lock.last;
}

namespace {

using Locks = std::vector<ByteLock>;

constexpr LockOwner kA = {false, 101};
constexpr LockOwner kB = {false, 102};
constexpr LockOwner kC = {true, 7};
constexpr LockOwner kD = {true, 8};

ByteLock reads(LockOwner owner, std::int64_t first, std::int64_t last = kLastByte) {
  return {owner, false, first, last};
}
ByteLock writes(LockOwner owner, std::int64_t first, std::int64_t last = kLastByte) {
  return {owner, true, first, last};
}

Locks after(const Locks& taken) {
  ByteLocks locks;
  for (const ByteLock& lock : taken) locks.lock(lock);
  return {locks.all().begin(), locks.all().end()};
}

Locks without(const Locks& taken, const ByteLock& bytes) {
  ByteLocks locks;
  for (const ByteLock& lock : taken) locks.lock(lock);
  locks.unlock(bytes);
  return {locks.all().begin(), locks.all().end()};
}

TEST(Locks, NeighboursOfOneKindAndOwnerAreOneLock) {
  EXPECT_EQ(after({writes(kA, 0, 3), writes(kA, 4, 5)}), Locks{writes(kA, 0, 5)});
  EXPECT_EQ(after({writes(kA, 4, 5), writes(kA, 0, 3)}), Locks{writes(kA, 0, 5)});
  EXPECT_EQ(after({reads(kA, 0, 1), reads(kA, 4, 5), reads(kA, 2, 3)}), Locks{reads(kA, 0, 5)});
  EXPECT_EQ(after({writes(kA, 0, 9), writes(kA, 3, 4)}), Locks{writes(kA, 0, 9)});
  EXPECT_EQ(after({writes(kA, 3, 4), writes(kA, 0)}), Locks{writes(kA, 0)});
  EXPECT_EQ(after({reads(kA, 0, 3), reads(kC, 4, 5)}), (Locks{reads(kA, 0, 3), reads(kC, 4, 5)}));
  EXPECT_EQ(after({reads(kA, 0, 3), writes(kA, 4, 5)}), (Locks{reads(kA, 0, 3), writes(kA, 4, 5)}));
  EXPECT_EQ(after({writes(kA, kLastByte, kLastByte), writes(kA, 0, kLastByte - 1)}),
            Locks{writes(kA, 0)});
}

TEST(Locks, PartIsConverted) {
  EXPECT_EQ(after({writes(kA, 0, 9), reads(kA, 3, 4)}),
            (Locks{writes(kA, 0, 2), reads(kA, 3, 4), writes(kA, 5, 9)}));
  EXPECT_EQ(after({writes(kA, 0, 2), reads(kA, 3, 4), writes(kA, 5, 9), writes(kA, 3, 4)}),
            Locks{writes(kA, 0, 9)});
  EXPECT_EQ(after({reads(kC, 0), writes(kC, 5)}), (Locks{reads(kC, 0, 4), writes(kC, 5)}));
}

TEST(Locks, PartIsUnlocked) {
  EXPECT_EQ(without({writes(kA, 0, 9)}, writes(kA, 3, 4)),
            (Locks{writes(kA, 0, 2), writes(kA, 5, 9)}));
  EXPECT_EQ(without({reads(kA, 0, 2), writes(kA, 3, 5)}, reads(kA, 1, 4)),
            (Locks{reads(kA, 0, 0), writes(kA, 5, 5)}));
  EXPECT_EQ(without({reads(kA, 0, 2), reads(kB, 0, 2)}, reads(kA, 0)), Locks{reads(kB, 0, 2)});
  EXPECT_EQ(without({writes(kC, 3)}, writes(kC, 5)), Locks{writes(kC, 3, 4)});
  EXPECT_EQ(without({writes(kC, 3)}, writes(kC, 9)), Locks{writes(kC, 3, 8)});
  EXPECT_EQ(without({}, writes(kC, 9)), Locks{});
}

TEST(Locks, ConflictsAreThoseOfOtherOwners) {
  ByteLocks locks;
  locks.lock(reads(kA, 0, 3));
  locks.lock(reads(kC, 2, 8));
  locks.lock(writes(kB, 10, 12));
  EXPECT_FALSE(locks.refuses(reads(kD, 0, 9)));
  EXPECT_FALSE(locks.refuses(writes(kB, 9, 12)));
  EXPECT_FALSE(locks.refuses(writes(kD, 13)));
  EXPECT_TRUE(locks.refuses(writes(kA, 3, 3)));
  EXPECT_TRUE(locks.refuses(writes({true, 101}, 0, 0)));
  EXPECT_EQ(locks.count_conflicts(writes(kD, 0)), 3U);
  EXPECT_EQ(*locks.conflict(writes(kD, 0), 1), reads(kC, 2, 8));
  EXPECT_EQ(locks.conflict(writes(kD, 0), 3), nullptr);
}

TEST(Locks, DropLeavesOtherOwners) {
  ByteLocks locks;
  locks.lock(reads(kA, 0, 3));
  locks.lock(reads(kA, 7, 8));
  locks.lock(reads({true, 101}, 0, 3));
  const std::uint64_t before = locks.changes();
  locks.drop(kB);
  EXPECT_EQ(locks.changes(), before);
  locks.drop(kA);
  EXPECT_GT(locks.changes(), before);
  EXPECT_EQ(Locks(locks.all().begin(), locks.all().end()), Locks{reads({true, 101}, 0, 3)});
}

TEST(Locks, HoldsThisKindOnAllBytes) {
  ByteLocks locks;
  locks.lock(writes(kA, 2, 5));
  EXPECT_TRUE(locks.holds(writes(kA, 2, 5)));
  EXPECT_TRUE(locks.holds(writes(kA, 3, 3)));
  EXPECT_FALSE(locks.holds(reads(kA, 3, 3)));
  EXPECT_FALSE(locks.holds(writes(kA, 5, 6)));
  EXPECT_FALSE(locks.holds(writes(kB, 3, 3)));
}

TEST(Locks, ABlockedCallerIsRemovedAlone) {
  ByteLocks locks;
  locks.block(1, writes(kA, 0));
  locks.block(2, writes(kC, 0));
  locks.unblock(1);
  ASSERT_EQ(locks.blocked().size(), 1U);
  EXPECT_EQ(locks.blocked()[0].caller, 2);
}

Deadlock deadlock(const ByteLocks& here, const ByteLock& want) {
  const std::array all = {&here};
  return find_deadlock(all, here, want);
}

TEST(Deadlock, TwoProcessesThatWaitForEachOther) {
  ByteLocks locks;
  locks.lock(writes(kA, 0, 0));
  locks.lock(writes(kB, 1, 1));
  EXPECT_EQ(deadlock(locks, writes(kA, 1, 1)), Deadlock::no);
  locks.block(1, writes(kA, 1, 1));
  EXPECT_EQ(deadlock(locks, writes(kB, 0, 0)), Deadlock::certain);
}

TEST(Deadlock, OverTwoFiles) {
  ByteLocks one;
  ByteLocks two;
  one.lock(writes(kA, 0, 0));
  two.lock(writes(kB, 0, 0));
  two.block(1, writes(kA, 0, 0));
  const std::array all = {&one, &two};
  EXPECT_EQ(find_deadlock(all, one, writes(kB, 0, 0)), Deadlock::certain);
}

TEST(Deadlock, IsUncertainIfAnotherLockIsInTheWay) {
  ByteLocks locks;
  locks.lock(reads(kA, 0, 0));
  locks.lock(reads({false, 103}, 0, 0));
  locks.lock(writes(kB, 1, 1));
  locks.block(1, writes(kA, 1, 1));
  EXPECT_EQ(deadlock(locks, writes(kB, 0, 0)), Deadlock::perhaps);
}

TEST(Deadlock, NeverForADescription) {
  ByteLocks locks;
  locks.lock(writes(kC, 0, 0));
  locks.lock(writes(kD, 1, 1));
  locks.block(1, writes(kC, 1, 1));
  EXPECT_EQ(deadlock(locks, writes(kD, 0, 0)), Deadlock::no);
}

struct flock asked(short type, short whence, std::int64_t start, std::int64_t length) {
  struct flock to = {};
  to.l_type = type;
  to.l_whence = whence;
  to.l_start = start;
  to.l_len = length;
  return to;
}

constexpr LockFile kFile = {7, true, true, 100, 1000};

TEST(Request, BytesFromStartOffsetAndEnd) {
  LockRequest to;
  ASSERT_EQ(read_request(101, kFile, F_SETLK, asked(F_WRLCK, SEEK_SET, 5, 2), to), 0);
  EXPECT_EQ(to.lock, writes(kA, 5, 6));
  EXPECT_EQ(to.kind, LockRequest::Kind::lock);
  EXPECT_FALSE(to.waits);
  ASSERT_EQ(read_request(101, kFile, F_OFD_SETLKW, asked(F_RDLCK, SEEK_CUR, -1, 0), to), 0);
  EXPECT_EQ(to.lock, reads(kC, 99));
  EXPECT_TRUE(to.waits);
  ASSERT_EQ(read_request(101, kFile, F_OFD_SETLK, asked(F_UNLCK, SEEK_END, 0, -5), to), 0);
  EXPECT_EQ(to.lock, reads(kC, 995, 999));
  EXPECT_EQ(to.kind, LockRequest::Kind::unlock);
  ASSERT_EQ(read_request(101, kFile, F_GETLK, asked(F_RDLCK, SEEK_SET, kLastByte, 1), to), 0);
  EXPECT_EQ(to.lock, reads(kA, kLastByte));
  EXPECT_EQ(to.kind, LockRequest::Kind::query);
}

int error_of(const LockFile& file, int command, struct flock request, int pid = 0) {
  LockRequest to;
  request.l_pid = pid;
  return read_request(101, file, command, request, to);
}

TEST(Request, Errors) {
  const LockFile reader = {7, true, false, 100, 1000};
  const LockFile writer = {7, false, true, 100, 1000};
  const struct flock good = asked(F_WRLCK, SEEK_SET, 0, 1);
  EXPECT_EQ(error_of(kFile, F_SETLK, asked(7, SEEK_SET, 0, 1)), EINVAL);
  EXPECT_EQ(error_of(kFile, F_SETLK, asked(F_WRLCK, 3, 0, 1)), EINVAL);
  EXPECT_EQ(error_of(kFile, F_SETLK, asked(F_WRLCK, SEEK_CUR, -101, 1)), EINVAL);
  EXPECT_EQ(error_of(kFile, F_SETLK, asked(F_WRLCK, SEEK_SET, 3, -4)), EINVAL);
  EXPECT_EQ(error_of(kFile, F_SETLK, asked(F_WRLCK, SEEK_CUR, kLastByte, 1)), EOVERFLOW);
  EXPECT_EQ(error_of(kFile, F_SETLK, asked(F_WRLCK, SEEK_SET, 2, kLastByte)), EOVERFLOW);
  EXPECT_EQ(error_of(kFile, F_GETLK, asked(F_UNLCK, SEEK_SET, 0, 1)), EINVAL);
  EXPECT_EQ(error_of(reader, F_SETLK, good), EBADF);
  EXPECT_EQ(error_of(writer, F_SETLK, asked(F_RDLCK, SEEK_SET, 0, 1)), EBADF);
  EXPECT_EQ(error_of(reader, F_GETLK, good), 0);
  EXPECT_EQ(error_of(kFile, F_SETLK, good, 5), 0);
  EXPECT_EQ(error_of(kFile, F_OFD_SETLK, good, 5), EINVAL);
  EXPECT_EQ(error_of(kFile, F_OFD_GETLK, good, 5), EINVAL);
}

TEST(Request, AnswerOfGetlk) {
  struct flock answer = asked(F_RDLCK, SEEK_CUR, 4, 5);
  write_answer(nullptr, answer);
  EXPECT_EQ(answer.l_type, F_UNLCK);
  EXPECT_EQ(answer.l_start, 4);
  const ByteLock mine = writes(kA, 3);
  write_answer(&mine, answer);
  EXPECT_EQ(answer.l_type, F_WRLCK);
  EXPECT_EQ(answer.l_whence, SEEK_SET);
  EXPECT_EQ(answer.l_start, 3);
  EXPECT_EQ(answer.l_len, 0);
  EXPECT_EQ(answer.l_pid, 101);
  const ByteLock shared = reads(kC, 3, 4);
  write_answer(&shared, answer);
  EXPECT_EQ(answer.l_len, 2);
  EXPECT_EQ(answer.l_pid, -1);
}

}  // namespace
}  // namespace world
