// A holder that is overdue is asked and stops itself; from one that cannot answer its lease takes
// the slot.
#include "kit/wire.h"
#include "server_kit.h"

namespace postgres_kit {
namespace {

TEST_F(Server, AnOverdueHolderIsAskedAndStopsItself) {
  Job one(run({"--kill-grace", "500ms"}, stay()));
  ASSERT_TRUE(started());
  const double start = seconds_now();
  Job two(run({"--expire-after", "0", "--kill-grace", "500ms"}, "echo second >>" + file("second")));
  EXPECT_EQ(two.wait(60), 0);
  EXPECT_LT(seconds_now() - start, within(3.0));
  EXPECT_EQ(one.wait(30), 79);
  EXPECT_EQ(contents(file("second")), "second\n");
}

// A holder without any sign of life, and callers that take its slot although they do not wait.
class Hung : public Server {
 protected:
  static constexpr double kLease = 6;  // longer than the taker's
  Argv holding() const { return {"--ttl", "6s", "--kill-grace", "200ms"}; }

  // Says until when it lived.
  std::string live() const {
    return "echo $ATMOST_TOKEN >>" + file("token") + "; while :; do date +%s.%N >" + file("new") +
           "; mv " + file("new") + " " + file("alive") + "; done";
  }
  // Returns when that was, on the wall clock.
  double take(const Argv& how) {
    Argv options = {"--ttl", "3s", "--kill-grace", "200ms"};
    options.insert(options.end(), how.begin(), how.end());
    Job taker(run(options, "date +%s.%N >" + file("taken")), file("out"));
    EXPECT_EQ(taker.wait(kLease + 5), 0) << contents(file("out"));
    const double taken = std::atof(contents(file("taken")).c_str());
    EXPECT_GT(taken, std::atof(contents(file("alive")).c_str())) << "both ran";
    return taken;
  }
};

// The kernel's timer continues the supervisor, which then hears what it was attempt.
TEST_F(Hung, AStoppedHolderMakesRoomForWhoExpiresIt) {
  Job holder(run(holding(), live()));
  ASSERT_TRUE(started());
  holder.signal_group(SIGSTOP);
  take({"--expire-after", "0"});
  EXPECT_EQ(holder.wait(30), 79);
}

TEST_F(Hung, AStoppedHolderMakesRoomForWhoReplacesIt) {
  Job holder(run(holding(), live()));
  ASSERT_TRUE(started());
  holder.signal_group(SIGSTOP);
  take({"--on-busy=replace"});
  EXPECT_EQ(holder.wait(30), 79);
}

TEST_F(Hung, AHostThatIsCutOffLosesItsLeaseAndHasStoppedItsCommandBefore) {
  Wire wire(directory_.path(), cluster_->socket());
  Job holder(run(holding(), live(), "postgres://postgres@/postgres?host=" + directory_.path()));
  ASSERT_TRUE(started());
  ASSERT_TRUE(eventually(5, [this] { return there("alive"); }));
  wire.cut_off();
  Session session(cluster_->url());
  const double ends =
      std::stod(session.one("SELECT extract(epoch FROM max(expires)) FROM atmost.holder"));
  const double taken = take({"--expire-after", "0"});
  EXPECT_GT(taken, ends);
  EXPECT_LT(taken, ends + within(2.5));
  EXPECT_EQ(holder.wait(0), 79);
}

}  // namespace
}  // namespace postgres_kit
