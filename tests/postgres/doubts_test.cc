// What a server says though it is not so: after its clock was set, and after a failover that lost rows. Nobody is admitted
// beside a command that still runs.
#include "server_kit.h"

namespace postgres_kit {
namespace {

class Clock : public Server {
 protected:
  // To the rows it is the same whether the clock jumps ahead or they fall behind.
  void jump(Session& session) const {
    session.ask("UPDATE atmost.holder SET expires = expires - interval '1 hour' WHERE lock = '" + lock_ +
                ".lock'");
  }
};

TEST_F(Clock, ThatJumpsAheadTakesNothingFromAHolderThatLives) {
  Job one(run({}, stay()));
  ASSERT_TRUE(started());
  Session session(cluster_->url());
  Job waiter(run({"-w", "inf"}, "touch " + file("ran")));
  ASSERT_TRUE(eventually(10, [&] { return session.one("SELECT count(*) FROM atmost.waiter") == "1"; }));
  const std::string token = holder(session);
  for (int i = 0; i < 10; ++i) {
    jump(session);
    EXPECT_EQ(run_now(), 75) << i;
    EXPECT_EQ(holder(session), token) << i;
  }
  // Renewed by itself, without anybody who asks.
  waiter.signal_group(SIGKILL);
  jump(session);
  EXPECT_TRUE(eventually(6, [&] { return holder(session) == token; }));
  EXPECT_FALSE(there("ran"));
  touch("go");
  EXPECT_EQ(one.wait(10), 0);
  EXPECT_EQ(run_now(), 0);
}

TEST_F(Clock, AHolderThatDiedIsNotWaitedForLong) {
  Job one(run({"--ttl", "4s", "--kill-grace", "100ms"}, stay()));
  ASSERT_TRUE(started());
  one.signal_group(SIGKILL);
  EXPECT_EQ(one.wait(5), 137);
  Session session(cluster_->url());
  ASSERT_TRUE(eventually(6, [&] { return holder(session).empty(); }));
  const double start = seconds_now();
  EXPECT_EQ(run_now(), 0);
  EXPECT_LT(seconds_now() - start, 2);
}

// A primary, a standby that is fed asynchronously, and both in the URL.
class Failover : public Server {
 protected:
  Failover() : standby_(Cluster::standby_of(primary_)) {
    url_ = "postgres://postgres@/postgres?host=" + primary_.directory() + "," + standby_->directory() +
           "&port=" + std::to_string(primary_.port()) + "," + std::to_string(standby_->port());
  }
  Argv run_on(const std::string& lock, const Argv& options, const std::string& script) const {
    Argv argv = {atmost_program(), "run", "--store", url_, "--ttl", "6s", "--kill-grace", "100ms"};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.insert(argv.end(), {lock, "--", "/bin/sh", "-c", script});
    return argv;
  }
  // Says who it is, and until when it lived; ends when file `go` is there.
  std::string live(const std::string& name) const {
    return "echo $ATMOST_TOKEN >" + file(name) + "; while [ ! -e " + file("go") + " ]; do date +%s.%N >" +
           file(name + ".new") + "; mv " + file(name + ".new") + " " + file(name + ".alive") + "; done";
  }
  bool lives(const std::string& name) const {
    return eventually(10, [&] { return there(name + ".alive"); });
  }
  double last_seen(const std::string& name) const { return std::atof(contents(file(name)).c_str()); }

  // What is committed from now on is lost with the primary.
  void stop_feeding() const {
    Session session(primary_.url());
    kill(std::stoi(session.one("SELECT pid FROM pg_stat_replication")), SIGSTOP);
  }
  void fail_over() {
    primary_.crash();
    standby_->promote();
  }

  Cluster primary_;
  std::unique_ptr<Cluster> standby_;
  std::string url_;
};

TEST_F(Failover, KeepsWhoIsKnownAndAdmitsNobodyBesideWhoIsNot) {
  Job known(run_on("known", {}, live("known")));
  ASSERT_TRUE(lives("known"));
  Job waiter(run_on("known", {"-w", "inf"}, "touch " + file("next")));
  {
    Session session(standby_->url());
    ASSERT_TRUE(eventually(10, [&] {  // even the tables may come late
      return session.try_to("SELECT FROM atmost.waiter") &&
             session.one("SELECT count(*) FROM atmost.waiter") == "1";
    }));
  }
  stop_feeding();
  Job lost(run_on("lost", {}, live("lost")));
  ASSERT_TRUE(lives("lost"));
  fail_over();
  EXPECT_EQ(Job(run_on("lost", {}, "true"), file("out")).wait(10), 69);
  EXPECT_NE(contents(file("out")).find("took over from another"), std::string::npos) << contents(file("out"));
  Job successor(run_on("lost", {"-w", "inf"},
                       "echo $ATMOST_TOKEN >" + file("token") + "; date +%s.%N >" + file("taken")));
  EXPECT_EQ(successor.wait(15), 0);
  EXPECT_EQ(lost.wait(0), 79);
  EXPECT_GT(last_seen("taken"), last_seen("lost.alive"));
  // Past all that were lost, whatever the clocks of the two say: by a day.
  EXPECT_GT(std::stoll(contents(file("token"))), std::stoll(contents(file("lost"))) + 86'000'000'000);
  // Longer than its lease ago.
  Session session(standby_->url());
  EXPECT_EQ(session.one("SELECT token FROM atmost.holder WHERE lock = 'known.lock'") + "\n",
            contents(file("known")));
  EXPECT_EQ(known.wait(0), std::nullopt);
  EXPECT_FALSE(there("next"));
  touch("go");
  EXPECT_EQ(known.wait(5), 0);
  EXPECT_EQ(waiter.wait(5), 0);
  EXPECT_TRUE(there("next"));
  // The pause is over for good.
  EXPECT_EQ(Job(run_on("new", {}, "true")).wait(10), 0);
}

}  // namespace
}  // namespace postgres_kit
