// Obstacles for a lock whose file stayed open after the last release, and the view of others.
#include <atomic>

#include "together_kit.h"

namespace {

constexpr std::int64_t kModeByte = std::int64_t{1} << 41;
constexpr std::int64_t kTakeoverByte = std::int64_t{1} << 42;
constexpr std::int64_t kTicketByte = (std::int64_t{1} << 48) + (std::int64_t{1} << 40) + 1;
constexpr std::int64_t kTickets = std::int64_t{1} << 48;
constexpr off_t kWordAt = 2 << 20;
constexpr off_t kStartAt = 4096 + 64;  // in the header: when the last admission was

TEST_F(Together, KeepsOnlyTheSlot) {
  const Stranger other(path("a"));
  EXPECT_EQ(take(limits_,
                 [&] {
                   EXPECT_FALSE(other.sees(0, 8));
                   EXPECT_TRUE(other.sees(8, 1));
                   EXPECT_FALSE(other.sees(9, 0));
                 }),
            ATMOST_ADMITTED);
  EXPECT_FALSE(other.sees(0, 0));
}

// A refusal for any reason leaves nothing locked.
TEST_F(Together, IsRefusedLikeAnyOther) {
  const Stranger other(path("a"));
  for (const std::int64_t byte : {std::int64_t{8}, std::int64_t{10}, kModeByte}) {
    SCOPED_TRACE(byte);
    ASSERT_TRUE(other.lock(byte, 1));
    EXPECT_EQ(take(limits_), ATMOST_BUSY);
    const Stranger witness(path("a"));
    EXPECT_FALSE(witness.sees(0, byte));
    EXPECT_FALSE(witness.sees(byte + 1, 0));
    other.unlock(byte, 1);
    cycle();
  }
}

TEST_F(Together, LeavesASlotToWaitersAndTakers) {
  const Stranger other(path("a"));
  for (const std::int64_t byte : {kTakeoverByte, kTicketByte}) {
    SCOPED_TRACE(byte);
    ASSERT_TRUE(other.lock(byte, 1));
    EXPECT_EQ(take(limits_), ATMOST_BUSY);
    EXPECT_FALSE(held(path("a")));
    other.unlock(byte, 1);
    cycle();
  }
}

TEST_F(Together, TakesTheNextSlotWhenTheFirstIsHeld) {
  const Stranger other(path("a"));
  ASSERT_TRUE(other.lock(8, 1));
  limits_.set("max", 2);
  EXPECT_EQ(take(limits_, [&] { EXPECT_TRUE(other.sees(9, 1)); }), ATMOST_ADMITTED);
  EXPECT_FALSE(other.sees(0, 0));
}

TEST_F(Together, SeesWhatWasWrittenMeanwhile) {
  const Stranger other(path("a"));
  const std::uint32_t drained = 1;
  const std::uint32_t none = 0;
  ASSERT_EQ(pwrite(other.fd(), &drained, sizeof drained, kWordAt + 4), 4);
  EXPECT_EQ(take(limits_), ATMOST_BUSY);
  EXPECT_FALSE(other.sees(0, 0));
  ASSERT_EQ(pwrite(other.fd(), &none, sizeof none, kWordAt + 4), 4);
  cycle();
  // A caller that waits keeps its descriptors, and nothing but its ticket on them.
  ASSERT_EQ(pwrite(other.fd(), &drained, sizeof drained, kWordAt + 4), 4);
  std::thread waiter([&] {
    atmost::Limits patient = limits_;
    patient.set("wait", 60);
    EXPECT_EQ(take(patient), ATMOST_ADMITTED);
  });
  EXPECT_TRUE(eventually([&] { return other.sees(kTickets, 0); }));
  EXPECT_TRUE(eventually([&] { return !other.sees(0, 9); }));
  ASSERT_EQ(pwrite(other.fd(), &none, sizeof none, kWordAt + 4), 4);
  waiter.join();
  atmost::Limits later = limits_;
  later.set("if_elapsed", 3600);
  EXPECT_EQ(take(later), ATMOST_TOO_SOON);
  EXPECT_FALSE(other.sees(0, 0));
  // A last admission that cannot be read lets nobody run early.
  cycle();
  const char wiped[24] = {};
  ASSERT_EQ(pwrite(other.fd(), wiped, sizeof wiped, kStartAt), 24);
  EXPECT_EQ(take(later), ATMOST_TOO_SOON);
  cycle();
}

TEST_F(Together, SurvivesATruncation) {
  ASSERT_EQ(truncate(path("a").c_str(), 0), 0);
  cycle();
  EXPECT_GT(std::filesystem::file_size(path("a")), 4096u);
}

TEST_F(Together, WaitsForTheGuard) {
  const Stranger other(path("a"));
  ASSERT_TRUE(other.lock(0, 8));
  atmost_pending* request = nullptr;
  ASSERT_EQ(begin_by(path("a").c_str(), limits_, &request), ATMOST_ADMITTED);
  EXPECT_EQ(atmost_answered(request), 0);
  other.unlock(0, 8);
  atmost_lock* lock = nullptr;
  EXPECT_EQ(atmost_finish(request, &lock), ATMOST_ADMITTED) << atmost_message();
  if (lock != nullptr) atmost_release(lock, 1);
}

TEST_F(Together, WaitsForTheGuardWhenItReleases) {
  const Stranger other(path("a"));
  std::atomic<bool> over = false;
  std::thread later;
  atmost_lock* lock = nullptr;
  ASSERT_EQ(get_by(path("a").c_str(), limits_, &lock), ATMOST_ADMITTED);
  ASSERT_TRUE(other.lock(0, 8));
  later = std::thread([&] {
    std::this_thread::sleep_for(20ms);
    over = true;
    other.unlock(0, 8);
  });
  atmost_release(lock, 1);
  EXPECT_TRUE(over);
  later.join();
  EXPECT_FALSE(other.sees(0, 0));
  cycle();
}

}  // namespace
