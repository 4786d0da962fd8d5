#include "jobs.h"

#include <gtest/gtest.h>

#include "kit.h"

namespace atmost::report {
namespace {

class Jobs : public testing::Test {
 protected:
  // The job according to the log alone, a minute after kBegin.
  Job job() {
    script_.ledger.close();
    logged_ = summarise(script_.ledger);
    std::vector<Error> complaints;
    jobs_ = jobs_of(logged_, {}, false, {kBegin + 60 * kSecond, 0}, complaints);
    EXPECT_EQ(jobs_.size(), 1u);
    return jobs_.front();
  }

  Script script_;
  std::vector<Summary> logged_;
  std::vector<Job> jobs_;
};

TEST_F(Jobs, TellOfTheRunThatEndedLast) {
  script_.max = 2;
  script_.admitted(0, 1, 1).admitted(1, 2, 2).ended(5, 2, 4, "\"exit\":3", 2).ended(9, 1, 9);
  script_.admitted(20, 3, 1);
  const Job of = job();
  EXPECT_EQ(of.last->token, 1);
  EXPECT_FALSE(of.failed());
  EXPECT_EQ(of.last_start_ns, kBegin + 20 * kSecond);
  EXPECT_EQ(of.last_success_ns, kBegin + 9 * kSecond);
  EXPECT_EQ(of.running, 1u);
}

TEST_F(Jobs, CountRefusalsSinceTheLastStart) {
  script_.busy(0).admitted(1, 1).busy(2).ended(3, 1, 2).too_soon(4, 100).busy(5);
  const Job of = job();
  EXPECT_EQ(of.refused, 3u);
  EXPECT_EQ(of.next_ns, kBegin + 104 * kSecond);
}

TEST_F(Jobs, ComeNextWhenNoStartHasComeSince) {
  script_.too_soon(4, 100).admitted(5, 1).ended(6, 1, 1);
  EXPECT_EQ(job().next_ns, 0);
}

TEST_F(Jobs, ComeNextInTheFutureOnly) {
  script_.too_soon(4, 10);
  EXPECT_EQ(job().next_ns, 0);
}

TEST_F(Jobs, SayWhichSignalEndedThem) {
  script_.admitted(0, 1).ended(1, 1, 1, "\"signal\":\"SEGV\",\"core\":true");
  const Job of = job();
  EXPECT_TRUE(of.failed());
  EXPECT_NE(job_json(of).find("\"last_result\":\"failure\""), std::string::npos);
  EXPECT_NE(job_json(of).find("\"signal\":\"SEGV\""), std::string::npos) << job_json(of);
  EXPECT_NE(jobs_table({of}, kBegin, {}).find("\tSIGSEGV\t"), std::string::npos);
}

}  // namespace
}  // namespace atmost::report
