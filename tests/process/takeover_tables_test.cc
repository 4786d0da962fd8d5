// Tables 2 and 3 of "Adaptive Locks For Frequently Scheduled Tasks With Unpredictable Runtimes"
// (LISA '97): the meaning of the values 0, T and infinity of IfElapsed and ExpireAfter. The moment
// is passed in; nothing waits for it.
#include <sys/wait.h>

#include "takeover_kit.h"

namespace witness {
namespace {

class TakeoverTables : public Takeover {
 protected:
  static constexpr int kT = 600;

  // A run that starts `later` seconds after the test began.
  Argv at(int later, const Argv& options) const {
    return run(join({"--now", std::to_string(begun_ + later), "--kill-grace", "100ms"}, options));
  }
  std::string run_at(int later, const Argv& options) {
    return ask(join(at(later, options), {"/bin/true"}), kLong).end;
  }
  pid_t hang_at(int later) {
    world_.start(child(at(later, {}), {mark("holder" + std::to_string(later)), "pause"}));
    return marked("holder" + std::to_string(later))[0];
  }

 private:
  const std::time_t begun_ = std::time(nullptr);
};

TEST_F(TakeoverTables, Table2IfElapsedZeroMayStartAtAnyTime) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run_at(0, {"--if-elapsed", "0"}), "exit 0");
}

TEST_F(TakeoverTables, Table2IfElapsedTStartsAtMostOnceEveryT) {
  const Argv every = {"--if-elapsed", std::to_string(kT)};
  EXPECT_EQ(run_at(0, every), "exit 0");
  EXPECT_EQ(run_at(0, every), "exit 76");
  EXPECT_EQ(run_at(kT - 1, every), "exit 76");
  EXPECT_EQ(run_at(kT, every), "exit 0");
  EXPECT_EQ(run_at(kT + 1, every), "exit 76");
}

TEST_F(TakeoverTables, Table2IfElapsedInfinityStartsOnce) {
  EXPECT_EQ(run_at(0, {"--if-elapsed", "inf"}), "exit 0");
  EXPECT_EQ(run_at(1'000'000'000, {"--if-elapsed", "inf"}), "exit 76");
}

TEST_F(TakeoverTables, Table3ExpireAfterZeroReplacesAtOnce) {
  const pid_t holder = hang_at(0);
  EXPECT_EQ(run_at(0, {"--expire-after", "0"}), "exit 0");
  EXPECT_FALSE(alive(holder));
}

TEST_F(TakeoverTables, Table3ExpireAfterTReplacesWhoIsThatOld) {
  const pid_t holder = hang_at(0);
  const Argv limit = {"--expire-after", std::to_string(kT)};
  EXPECT_EQ(run_at(kT - 1, limit), "exit 75");
  EXPECT_TRUE(alive(holder));
  EXPECT_EQ(run_at(kT, limit), "exit 0");
  EXPECT_FALSE(alive(holder));
}

TEST_F(TakeoverTables, Table3ExpireAfterInfinityLetsItHang) {
  const pid_t holder = hang_at(0);
  EXPECT_EQ(run_at(1'000'000'000, {"--expire-after", "inf"}), "exit 75");
  EXPECT_TRUE(alive(holder));
}

// Figure 2 in seconds: the schedule comes every hour; IfElapsed lies before it and ExpireAfter
// behind it.
TEST_F(TakeoverTables, Figure2OverlappingSchedule) {
  constexpr int kHour = 3600;
  const Argv sensible = {"--if-elapsed", "15m", "--expire-after", "90m"};
  const pid_t hanging = hang_at(0);
  EXPECT_EQ(run_at(kHour / 6, sensible), "exit 76");  // started too often
  EXPECT_EQ(run_at(kHour, sensible), "exit 75");      // its turn; the old one still may run
  EXPECT_TRUE(alive(hanging));
  EXPECT_EQ(run_at(2 * kHour, sensible), "exit 0");  // overdue
  EXPECT_FALSE(alive(hanging));
  EXPECT_EQ(run_at(2 * kHour + kHour / 6, sensible), "exit 76");
  EXPECT_EQ(run_at(3 * kHour, sensible), "exit 0");  // predictable again
}

}  // namespace
}  // namespace witness
