#include "summary.h"

#include <gtest/gtest.h>

#include "kit.h"
#include "stats_table.h"

namespace atmost::report {
namespace {

Summary summary_of(Script& script) {
  const LockStory& story = script.story();
  return summarise(story, script.ledger.last_ns());
}

TEST(Summary, TimeIsHeldOnceHoweverManyHoldIt) {
  Script script;
  script.max = 2;
  script.busy(0)
      .admitted(10, 1, 1)
      .admitted(20, 2, 2)
      .ended(30, 1, 20)
      .ended(50, 2, 30, "\"exit\":0", 2)
      .busy(100);
  const Summary of = summary_of(script);
  EXPECT_DOUBLE_EQ(of.window_s, 100);
  EXPECT_DOUBLE_EQ(of.held_share, 0.4);
  EXPECT_DOUBLE_EQ(of.slots_mean, 0.5);
  EXPECT_EQ(of.slots_most, 2u);
}

TEST(Summary, ARunThatBeganBeforeItsAdmissionWasLoggedDoesNotOverlapTheNext) {
  Script script;
  script.admitted(0, 1).ended(0.3, 1, 0.303).admitted(0.301, 2).ended(0.5, 2, 0.199);
  EXPECT_EQ(summary_of(script).slots_most, 1u);
}

TEST(Summary, CountsWhatHappened) {
  Script script;
  script.admitted(0, 1)
      .busy(1)
      .busy(2, "drained", 0.5)
      .too_soon(3, 100)
      .expired(4, 1, 2)
      .signalled(5, 1, true);
  script.admitted(6, 2, 1, 2).ended(7, 2, 1).admitted(8, 3).ended(9, 3, 1, "\"exit\":1");
  const Summary of = summary_of(script);
  EXPECT_EQ(of.runs, 3u);
  EXPECT_EQ(of.killed(), 1u);
  EXPECT_EQ(of.failed(), 1u);
  EXPECT_EQ(of.takeovers, 1u);
  EXPECT_EQ(of.busy, 2u);
  EXPECT_EQ(of.too_soon, 1u);
  EXPECT_EQ(of.waits, 2u);
  EXPECT_EQ(of.waited_ns, 5 * kSecond / 2);
  EXPECT_EQ(of.waited_max_ns, 2 * kSecond);
  EXPECT_EQ(of.times.size(), 2u) << "a killed run would have taken longer: it is no run time";
  EXPECT_EQ(of.last_success_ns, kBegin + 7 * kSecond);
  EXPECT_EQ(of.trouble(), 10 + 3 + 2 + of.spam);
}

TEST(Summary, AHolderThatWasKilledByHandWasNotTakenOver) {
  Script script;
  script.admitted(0, 1).admitted(1, 2, 2).stopping(2, 1, "kill").stopping(2, 2, "kill");
  script.signalled(3, 1, false).signalled(3, 2, true).signalled(4, 1, true);
  script.admitted(5, 3).stopping(6, 3, "replace").signalled(7, 3, true).admitted(8, 4);
  const Summary of = summary_of(script);
  EXPECT_EQ(of.killed(), 3u);
  EXPECT_EQ(of.takeovers, 1u);
}

TEST(Summary, ACommandThatCouldNotBeStartedHasNoRunTime) {
  Script script;
  script.admitted(0, 1).ended(1, 1, 1);
  script.admitted(2, 2).ended(2.002, 2, 0.002, "\"exit\":127,\"started\":false");
  const Summary of = summary_of(script);
  EXPECT_EQ(of.failed(), 1u);
  EXPECT_EQ(of.times.size(), 1u);
  EXPECT_EQ(of.p50_ns, kSecond);
}

TEST(Summary, TrendsAreOfRunsThatTakeATenthOfASecond) {
  for (const double scale : {0.001, 1.0}) {
    Script script;
    for (int i = 0; i < 40; ++i) {
      const double ran = scale * (1 + i);
      script.admitted(100 * i, i).ended(100 * i + ran, i, ran);
    }
    EXPECT_EQ(summary_of(script).trend.course, scale < 1 ? Course::unknown : Course::rising);
  }
}

TEST(Summary, TheMostTroubleComesFirst) {
  Script script;
  script.lock = "calm";
  for (int i = 0; i < 50; ++i) script.admitted(i, i).ended(i + 0.5, i, 0.5);
  script.lock = "bad";
  script.admitted(60, 1).ended(61, 1, 1, "\"stopped\":\"max_runtime\",\"signal\":\"TERM\"");
  script.ledger.close();
  const std::vector<Summary> all = summarise(script.ledger);
  EXPECT_EQ(all[0].story->name, "bad");
  EXPECT_EQ(all[1].story->name, "calm");
}

TEST(Summary, HostileNamesStayInTheirPlace) {
  Script script;
  script.lock = R"(</script><b>\u001b[31m\"\\\n)";
  script.admitted(0, 1).ended(1, 1, 1);
  const Summary of = summary_of(script);
  const std::string json = summary_json(of);
  EXPECT_EQ(json.find('\033'), std::string::npos);
  EXPECT_NE(json.find(R"("lock":"</script><b>\u001b[31m\"\\\n")"), std::string::npos) << json;
  const std::string metrics = prometheus_text({of}, {{of.story->path, {3, 2}}}, 0, kBegin);
  EXPECT_EQ(metrics.find('\033'), std::string::npos);
  EXPECT_NE(metrics.find(R"({lock="</script><b>\\x1B[31m\"\\\\\\n",path="/locks/)"),
            std::string::npos)
      << metrics;
}

TEST(Json, NumbersHaveNoExponentAndNoSpareZeros) {
  EXPECT_EQ(json::decimal(0.25, 6), "0.25");
  EXPECT_EQ(json::decimal(1e12, 6), "1000000000000");
  EXPECT_EQ(json::decimal(-1e-9, 6), "0");
  EXPECT_EQ(json::seconds(1'500'000'000), "1.5");
  EXPECT_EQ(json::seconds(-1'500'000'000), "-1.5");
  EXPECT_EQ(json::seconds(0), "0");
  EXPECT_EQ(json::seconds(kBegin), "1795000000");
}

}  // namespace
}  // namespace atmost::report
