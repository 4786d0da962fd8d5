#include "ledger.h"

#include <gtest/gtest.h>

#include "kit.h"
#include "summary.h"

namespace atmost::report {
namespace {

TEST(RunLedger, PutsRunsTogether) {
  Script script;
  script.admitted(0, 1, 1, 2.5).ended(10, 1, 10).admitted(20, 2).ended(25, 2, 5, "\"exit\":3");
  const LockStory& story = script.story();
  ASSERT_EQ(story.runs.size(), 2u);
  EXPECT_EQ(story.runs[0].status, RunStatus::success);
  EXPECT_EQ(story.runs[0].start_ns, kBegin);
  EXPECT_EQ(story.runs[0].ran_ns, 10 * kSecond);
  EXPECT_EQ(story.runs[0].waited_ns, 5 * kSecond / 2);
  EXPECT_EQ(story.runs[1].status, RunStatus::failure);
  EXPECT_EQ(story.name, "backup");
  EXPECT_EQ(story.path, "/locks/backup.lock");
}

TEST(RunLedger, AnEndWithoutABeginningIsARun) {
  Script script;
  script.ended(10, 7, 60);
  const LockStory& story = script.story();
  ASSERT_EQ(story.runs.size(), 1u);
  EXPECT_EQ(story.runs[0].start_ns, kBegin - 50 * kSecond);
  EXPECT_EQ(story.first_ns, kBegin - 50 * kSecond);
}

TEST(RunLedger, ABeginningWithoutAnEndRunsOn) {
  Script script;
  script.admitted(0, 1).busy(30);
  const LockStory& story = script.story();
  EXPECT_EQ(story.runs[0].status, RunStatus::running);
  EXPECT_EQ(story.runs[0].ran_ns, 30 * kSecond) << "until the last line";
}

TEST(RunLedger, TheNextAdmissionOfASlotTellsThatItIsOver) {
  Script script;
  script.max = 2;
  script.admitted(0, 1, 1).admitted(1, 2, 2).admitted(40, 3, 1);
  const LockStory& story = script.story();
  EXPECT_EQ(story.runs[0].status, RunStatus::unseen);
  EXPECT_EQ(story.runs[0].ran_ns, 40 * kSecond);
  EXPECT_EQ(story.runs[1].status, RunStatus::running);
}

TEST(RunLedger, AnEndMayBeLoggedAfterTheNextAdmission) {
  Script script;
  script.admitted(0, 1).admitted(10.001, 2).ended(10, 1, 9.9).ended(12, 2, 2);
  const LockStory& story = script.story();
  EXPECT_EQ(story.runs[0].status, RunStatus::success);
  EXPECT_EQ(story.runs[0].ran_ns, 9'900'000'000);
  EXPECT_EQ(story.runs[1].status, RunStatus::success);
}

TEST(RunLedger, WhoIsTakenOverIsKilledInEitherOrderOfLines) {
  Script victim_first;
  victim_first.admitted(0, 1)
      .expired(100, 1, 90)
      .ended(101, 1, 101, "\"signal\":\"INT\"")
      .signalled(101, 1, true);
  EXPECT_EQ(victim_first.story().runs[0].status, RunStatus::killed);
  EXPECT_EQ(victim_first.story().expire_after_ns, 90 * kSecond);
  Script taker_first;
  taker_first.admitted(0, 1).signalled(101, 1, true).ended(102, 1, 101, "\"exit\":0");
  EXPECT_EQ(taker_first.story().runs[0].status, RunStatus::killed);
  Script silent;  // its supervisor was killed as well
  silent.admitted(0, 1).signalled(101, 1, true).admitted(102, 2).ended(103, 2, 1);
  EXPECT_EQ(silent.story().runs[0].status, RunStatus::killed);
  EXPECT_EQ(silent.story().runs[0].ran_ns, 101 * kSecond);
}

TEST(RunLedger, MaxRuntimeKills) {
  Script script;
  script.admitted(0, 1).ended(5, 1, 5, "\"signal\":\"TERM\",\"stopped\":\"max_runtime\"");
  EXPECT_EQ(script.story().runs[0].status, RunStatus::killed);
}

TEST(RunLedger, AbsurdNumbersStayNumbers) {
  Script script;
  script.admitted(0, 1, 1, 1e18 / 1e9).ended(1, 1, 9.2e9).ended(2, 99, 9.2e9);
  script.raw(
      R"({"v":1,"event":"admitted","at":5,"lock":"x","path":"/x","slot":99999999999999,"take":-1,"token":1})");
  script.raw(R"({"v":1,"event":"ended","at":5})");
  script.ledger.close();
  EXPECT_EQ(script.ledger.locks().size(), 2u) << "a line about no lock is about nothing";
  for (const Summary& one : summarise(script.ledger)) EXPECT_GE(one.window_s, 0);
}

TEST(RunLedger, LocksAreToldApartByTheirPaths) {
  Script script;
  script.admitted(0, 1);
  script.lock = "other";
  script.admitted(1, 1);
  script.ledger.close();
  EXPECT_EQ(script.ledger.locks().size(), 2u);
  EXPECT_EQ(script.ledger.first_ns(), kBegin);
  EXPECT_EQ(script.ledger.last_ns(), kBegin + kSecond);
}

}  // namespace
}  // namespace atmost::report
