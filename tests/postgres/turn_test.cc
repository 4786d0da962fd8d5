// A turn is used or passed: a first waiter that does not come is overtaken, and keeps its ticket.
#include "server_kit.h"

namespace postgres_kit {
namespace {

class Turn : public Server {
 protected:
  bool waiting(int count) {
    return eventually(10, [&] {
      return session_.one("SELECT count(*) FROM atmost.waiter WHERE lock = '" + lock_ + ".lock'") ==
             std::to_string(count);
    });
  }
  Argv waiter(const std::string& name, const std::string& then = "true") const {
    return run({"-w", "inf", "--ttl", "60s"}, "echo " + name + " >>" + file("order") + "; " + then);
  }
  static void expect_soon(double since) { EXPECT_LT(seconds_now() - since, within(3.5)); }

  Session session_{cluster_->url()};
};

TEST_F(Turn, AFrozenWaiterIsOvertakenAndKeepsItsPlace) {
  Job holder(run({}, stay()));
  ASSERT_TRUE(started());
  Job first(waiter("first"));
  ASSERT_TRUE(waiting(1));
  first.signal_group(SIGSTOP);
  Job second(waiter("second", "while [ ! -e " + file("go2") + " ]; do sleep 0.05; done"));
  ASSERT_TRUE(waiting(2));
  const double freed = seconds_now();
  touch("go");
  EXPECT_EQ(holder.wait(30), 0);
  EXPECT_TRUE(eventually(10, [this] { return contents(file("order")) == "second\n"; }));
  expect_soon(freed);
  Job third(waiter("third"));
  ASSERT_TRUE(waiting(2));
  first.signal_group(SIGCONT);
  // It counts again when it has asked, and does not leave that to its next refresh (every 10 s).
  EXPECT_TRUE(eventually(5, [&] {
    return session_.one("SELECT count(turn) FROM atmost.waiter WHERE lock = '" + lock_ +
                        ".lock'") == "0";
  }));
  touch("go2");
  EXPECT_EQ(second.wait(30), 0);
  EXPECT_EQ(first.wait(30), 0);
  EXPECT_EQ(third.wait(30), 0);
  EXPECT_EQ(contents(file("order")), "second\nfirst\nthird\n");
}

// Nobody releases: the lease of a dead host ends by itself.
TEST_F(Turn, AFrozenWaiterIsOvertakenWhenALeaseEndsByItself) {
  Job holder(run({"--ttl", "4s", "--kill-grace", "100ms"}, stay()));
  ASSERT_TRUE(started());
  Job first(waiter("first"));
  ASSERT_TRUE(waiting(1));
  Job second(waiter("second"));
  ASSERT_TRUE(waiting(2));
  first.signal_group(SIGSTOP);
  holder.signal_group(SIGKILL);
  const double end = seconds_now() + 4;
  EXPECT_EQ(second.wait(15), 0);
  expect_soon(end);
  first.signal_group(SIGCONT);
  EXPECT_EQ(first.wait(30), 0);
  EXPECT_EQ(contents(file("order")), "second\nfirst\n");
}

TEST_F(Turn, ANewcomerNeedNotWaitForAFrozenWaiter) {
  Job holder(run({}, stay()));
  ASSERT_TRUE(started());
  Job first(waiter("first"));
  ASSERT_TRUE(waiting(1));
  first.signal_group(SIGSTOP);
  const double freed = seconds_now();
  touch("go");
  EXPECT_EQ(holder.wait(30), 0);
  EXPECT_TRUE(eventually(20, [this] { return run_now() == 0; }));
  expect_soon(freed);
  first.signal_group(SIGCONT);
  EXPECT_EQ(first.wait(30), 0);
}

// The taker is killed with its monitor while it stops a holder that ignores INT and TERM.
TEST_F(Turn, AKilledTakersClaimIsPassed) {
  Job holder(run({"--kill-grace", "2s"}, "trap '' INT TERM; " + stay()));
  ASSERT_TRUE(started());
  Job taker(run({"-w", "inf", "--expire-after", "0", "--kill-grace", "4s"}, "true"));
  // The claim comes first, the request to stop after it.
  ASSERT_TRUE(eventually(20, [&] {
    return session_.one("SELECT count(*) FROM atmost.holder WHERE asked > 0 AND lock = '" + lock_ +
                        ".lock'") == "1";
  }));
  taker.signal_group(SIGKILL);
  EXPECT_EQ(holder.wait(15), 79);
  const double freed = seconds_now();
  EXPECT_TRUE(eventually(20, [this] { return run_now() == 0; }));
  expect_soon(freed);
}

}  // namespace
}  // namespace postgres_kit
