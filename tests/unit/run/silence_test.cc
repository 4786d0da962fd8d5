#include "run/silence.h"

#include <gtest/gtest.h>

namespace atmost::run {
namespace {

constexpr std::int64_t kMs = 1'000'000;

os::Activity cpu(std::int64_t ns) {
  os::Activity seen;
  seen.cpu_ns = ns;
  return seen;
}
os::Activity moved() {
  os::Activity seen;
  seen.moved = true;
  return seen;
}

// Looks when it asks for it, until `end_ms`; returns when it was over, in ms, 0: never.
template <class Seen>
std::int64_t over_at(Silence& silence, std::int64_t end_ms, Seen seen, std::int64_t cost_ns = 0) {
  while (silence.next_ns() <= end_ms * kMs) {
    const std::int64_t now_ns = silence.next_ns();
    silence.note(now_ns, seen(now_ns), cost_ns);
    if (silence.over()) return now_ns / kMs;
  }
  return 0;
}

TEST(Silence, IsOverWhenTheLimitIs) {
  Silence silence(Duration::seconds(2));
  silence.begin(0);
  EXPECT_EQ(over_at(silence, 9'000, [](std::int64_t) { return os::Activity{}; }), 2'000);
}

TEST(Silence, LooksEveryTwentieth) {
  Silence silence(Duration::seconds(20));
  silence.begin(5);
  EXPECT_EQ(silence.next_ns(), 5 + 1000 * kMs);
  EXPECT_FALSE(silence.may_end(silence.next_ns()));
}

TEST(Silence, CountsFromTheLookThatSawSomething) {
  Silence silence(Duration::seconds(2));
  silence.begin(0);
  EXPECT_EQ(over_at(silence, 9'000,
                    [](std::int64_t now) { return now <= 1'000 * kMs ? moved() : os::Activity{}; }),
            3'000);
}

TEST(Silence, AMillisecondASecondIsIdle) {
  Silence little(Duration::seconds(4));
  little.begin(0);
  EXPECT_EQ(over_at(little, 9'000, [](std::int64_t) { return cpu(190'000); }),
            4'000);  // each 200 ms
  Silence more(Duration::seconds(40));
  more.begin(0);
  EXPECT_EQ(over_at(more, 400'000, [](std::int64_t) { return cpu(2'200'000); }), 0);  // each 2 s
  Silence burst(Duration::seconds(4));
  burst.begin(0);
  EXPECT_EQ(over_at(burst, 9'000,
                    [](std::int64_t now) { return cpu(now == 3'000 * kMs ? 2'000'000 : 0); }),
            7'000);
}

TEST(Silence, ARingThatIsUsedMayMoveBytes) {
  const auto used = [](std::int64_t ns) {
    return [ns](std::int64_t now) {
      os::Activity seen = cpu(now % (1'000 * kMs) == 0 ? ns : 0);
      seen.uncounted = true;
      return seen;
    };
  };
  Silence works(Duration::seconds(2));
  works.begin(0);
  EXPECT_EQ(over_at(works, 60'000, used(1'000)), 0);
  Silence idle(Duration::seconds(2));
  idle.begin(0);
  EXPECT_EQ(over_at(idle, 60'000, used(0)), 2'000);
}

TEST(Silence, WhatMayBeAnythingIsActive) {
  Silence silence(Duration::seconds(2));
  silence.begin(0);
  os::Activity unclear;
  unclear.unclear = true;
  EXPECT_EQ(over_at(silence, 60'000, [&](std::int64_t) { return unclear; }), 0);
}

// Waiting for a processor is not silence, but no activity either: it only puts the end off.
TEST(Silence, IsNotOverWhileAThreadIsRunnable) {
  Silence silence(Duration::seconds(2));
  silence.begin(0);
  os::Activity runnable;
  runnable.runnable = true;
  EXPECT_EQ(
      over_at(silence, 9'000,
              [&](std::int64_t now) { return now < 5'000 * kMs ? runnable : os::Activity{}; }),
      5'000);
}

TEST(Silence, TimeInWhichNobodyLookedDoesNotCount) {
  Silence silence(Duration::seconds(2));
  silence.begin(0);
  silence.note(100 * kMs, {}, 0);
  silence.note(10'000 * kMs, {}, 0);
  EXPECT_FALSE(silence.over());
  EXPECT_EQ(over_at(silence, 20'000, [](std::int64_t) { return os::Activity{}; }), 11'700);
}

TEST(Silence, CostlyLooksAreRare) {
  Silence silence(Duration::seconds(2));
  silence.begin(0);
  silence.note(100 * kMs, moved(), kMs);
  EXPECT_EQ(silence.next_ns(), 1'100 * kMs);
}

TEST(Silence, ABeatBeginsAnew) {
  Silence silence(Duration::seconds(2));
  silence.begin(0);
  EXPECT_EQ(over_at(silence, 1'500, [](std::int64_t) { return os::Activity{}; }), 0);
  silence.beat(1'500 * kMs, {});
  EXPECT_EQ(over_at(silence, 9'000, [](std::int64_t) { return os::Activity{}; }), 3'500);
}

TEST(Silence, AnAnnouncedPauseIsNotSilence) {
  Silence silence(Duration::seconds(2));
  silence.begin(0);
  silence.beat(0, Duration::seconds(10));
  EXPECT_EQ(over_at(silence, 60'000, [](std::int64_t) { return os::Activity{}; }), 12'000 - 100);
}

TEST(Silence, NoLimitNoLooks) {
  for (const Duration none : {Duration{}, Duration::forever()}) {
    Silence silence(none);
    silence.begin(0);
    EXPECT_EQ(silence.next_ns(), Duration::kForever);
  }
}

}  // namespace
}  // namespace atmost::run
