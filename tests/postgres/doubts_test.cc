// Answers of a server that are not true: after its clock was set, and after a failover or a
// restore that lost rows. Nobody is admitted beside a command that still runs.
#include "server_kit.h"

namespace postgres_kit {
namespace {

class Clock : public Server {
 protected:
  // A clock that jumps ahead has the same effect on the rows as rows that fall behind.
  void jump(Session& session) const {
    session.ask("UPDATE atmost.holder SET expires = expires - interval '1 hour' WHERE lock = '" +
                lock_ + ".lock'");
  }
};

TEST_F(Clock, ThatJumpsAheadTakesNothingFromAHolderThatLives) {
  Job one(run({}, stay()));
  ASSERT_TRUE(started());
  Session session(cluster_->url());
  Job waiter(run({"-w", "inf"}, "touch " + file("ran")));
  ASSERT_TRUE(
      eventually(10, [&] { return session.one("SELECT count(*) FROM atmost.waiter") == "1"; }));
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
  EXPECT_EQ(one.wait(30), 0);
  EXPECT_EQ(run_now(), 0);
}

TEST_F(Clock, AHolderThatDiedIsNotWaitedForLong) {
  Job one(run({"--ttl", "4s", "--kill-grace", "100ms"}, stay()));
  ASSERT_TRUE(started());
  one.signal_group(SIGKILL);
  EXPECT_EQ(one.wait(30), 137);
  Session session(cluster_->url());
  ASSERT_TRUE(eventually(6, [&] { return holder(session).empty(); }));
  const double start = seconds_now();
  EXPECT_EQ(run_now(), 0);
  EXPECT_LT(seconds_now() - start, within(2));
}

// A primary, a standby that is fed asynchronously, and both in the URL.
class Failover : public Server {
 protected:
  Failover() : standby_(Cluster::standby_of(primary_)) {
    url_ = "postgres://postgres@/postgres?host=" + primary_.directory() + "," +
           standby_->directory() + "&port=" + std::to_string(primary_.port()) + "," +
           std::to_string(standby_->port());
  }
  Argv run_on(const std::string& lock, const Argv& options, const std::string& script) const {
    Argv argv = {atmost_program(), "run", "--store", url_, "--ttl", "6s", "--kill-grace", "100ms"};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.insert(argv.end(), {lock, "--", "/bin/sh", "-c", script});
    return argv;
  }
  // Says who it is, and until when it lived; ends when file `go` is there.
  std::string live(const std::string& name) const {
    return "echo $ATMOST_TOKEN >" + file(name) + "; while [ ! -e " + file("go") +
           " ]; do date +%s.%N >" + file(name + ".new") + "; mv " + file(name + ".new") + " " +
           file(name + ".alive") + "; done";
  }
  bool lives(const std::string& name) const {
    return eventually(10, [&] { return there(name + ".alive"); });
  }
  double last_seen(const std::string& name) const {
    return std::atof(contents(file(name)).c_str());
  }

  // Commits from now on are lost with the primary.
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
  EXPECT_NE(contents(file("out")).find("took over from another"), std::string::npos)
      << contents(file("out"));
  Job successor(run_on("lost", {"-w", "inf"},
                       "echo $ATMOST_TOKEN >" + file("token") + "; date +%s.%N >" + file("taken")));
  EXPECT_EQ(successor.wait(15), 0);
  EXPECT_EQ(lost.wait(0), 79);
  EXPECT_GT(last_seen("taken"), last_seen("lost.alive"));
  // Past all that were lost, whatever the clocks of the two say: by a day.
  EXPECT_GT(std::stoll(contents(file("token"))),
            std::stoll(contents(file("lost"))) + 86'000'000'000);
  // Longer than its lease ago.
  Session session(standby_->url());
  EXPECT_EQ(session.one("SELECT token FROM atmost.holder WHERE lock = 'known.lock'") + "\n",
            contents(file("known")));
  EXPECT_EQ(known.wait(0), std::nullopt);
  EXPECT_FALSE(there("next"));
  touch("go");
  EXPECT_EQ(known.wait(30), 0);
  EXPECT_EQ(waiter.wait(30), 0);
  EXPECT_TRUE(there("next"));
  // The pause is over for good.
  EXPECT_EQ(Job(run_on("new", {}, "true")).wait(10), 0);
}

TEST_F(Failover, APauseIsExplainedAndEndedByHand) {
  EXPECT_EQ(
      Job({atmost_program(), "run", "--store", url_, "--ttl", "1h", "long", "--", "true"}).wait(10),
      0);
  {
    Session session(standby_->url());
    ASSERT_TRUE(eventually(10, [&] {
      return session.try_to("SELECT FROM atmost.era") &&
             session.one("SELECT longest FROM atmost.era") == "3600000000";
    }));
  }
  const Argv doctor = {atmost_program(), "doctor", url_};
  EXPECT_EQ(Job(doctor).wait(10), 0);
  fail_over();
  for (const Argv& each : {doctor, run_on("other", {}, "true")}) {
    std::filesystem::remove(file("out"));
    EXPECT_EQ(Job(each, file("out")).wait(10), 69);
    for (const char* words : {"took over from another", "given again in ", "TRUNCATE atmost.era"})
      EXPECT_NE(contents(file("out")).find(words), std::string::npos) << contents(file("out"));
  }
  Job waiter(run_on("other", {"-w", "inf"}, "true"));
  Session session(standby_->url());
  ASSERT_TRUE(
      eventually(10, [&] { return session.one("SELECT count(*) FROM atmost.waiter") == "1"; }));
  session.ask("TRUNCATE atmost.era");
  EXPECT_EQ(waiter.wait(30), 0);
  EXPECT_EQ(Job(run_on("other", {}, "true")).wait(10), 0);
  EXPECT_EQ(Job(doctor, file("after")).wait(10), 0) << contents(file("after"));
}

TEST_F(Failover, AStandbyThatIsLeftIsNamedBeforeAPrimaryThatIsGone) {
  primary_.crash();
  const std::string other_way =
      "postgres://postgres@/postgres?host=" + standby_->directory() + "," + primary_.directory() +
      "&port=" + std::to_string(standby_->port()) + "," + std::to_string(primary_.port());
  for (const std::string& url : {url_, other_way}) {
    std::filesystem::remove(file("out"));
    EXPECT_EQ(run_now(url, file("out")), 69);
    const std::string words = contents(file("out"));
    EXPECT_NE(words.find("Connection refused"), std::string::npos) << words;
    EXPECT_LT(words.find("a standby, which takes no writes"), words.find("Connection refused"))
        << words;
  }
}

// The longest lease so far is the measure of a pause, if there is one.
class Pause : public Server {
 protected:
  int run_for(const char* ttl) const {
    return Job(run({"--ttl", ttl}, "true"), file("out")).wait(10).value_or(-1);
  }
  void SetUp() override { Session(cluster_->url()).try_to("DROP SCHEMA atmost CASCADE"); }
};

TEST_F(Pause, IsNotMadeByALeaseThatIsLongerThanTheAgeOfTheServer) {
  EXPECT_EQ(run_for("7d"), 0) << contents(file("out"));
  EXPECT_EQ(run_now(cluster_->url(), file("out")), 0) << contents(file("out"));
  // One of some other day.
  Session(cluster_->url()).ask("UPDATE atmost.era SET longest = " + std::to_string(INT64_MAX));
  EXPECT_EQ(run_now(cluster_->url(), file("out")), 0) << contents(file("out"));
}

TEST_F(Pause, IsOverForGoodWhateverIsGivenAfterIt) {
  ASSERT_EQ(run_now(), 0);
  Session(cluster_->url()).ask("UPDATE atmost.era SET timeline = timeline + 1, longest = 1000000");
  EXPECT_EQ(run_now(), 69);
  EXPECT_TRUE(eventually(5, [&] { return run_now() == 0; }));
  EXPECT_EQ(run_for("7d"), 0) << contents(file("out"));
  EXPECT_EQ(run_now(cluster_->url(), file("out")), 0) << contents(file("out"));
}

TEST_F(Pause, OfAThousandYearsIsAPauseToo) {
  ASSERT_EQ(run_now(), 0);
  Session(cluster_->url())
      .ask("UPDATE atmost.era SET timeline = timeline + 1, longest = " + std::to_string(INT64_MAX));
  EXPECT_EQ(run_now(cluster_->url(), file("out")), 69) << contents(file("out"));
  EXPECT_NE(contents(file("out")).find("given again"), std::string::npos) << contents(file("out"));
}

class Restore : public Server {
 protected:
  void dump() const {
    EXPECT_EQ(Job({cluster_->program("pg_dump"), "--schema=atmost", "--file=" + file("dump"),
                   cluster_->url()})
                  .wait(20),
              0);
  }
  void restore(const std::string& url) const {
    EXPECT_EQ(
        Job({cluster_->program("psql"), "-qX", "-v", "ON_ERROR_STOP=1", "-f", file("dump"), url},
            file("psql"))
            .wait(20),
        0)
        << contents(file("psql"));
  }
  void expect_paused(const std::string& url) const {
    std::filesystem::remove(file("out"));
    EXPECT_EQ(run_now(url, file("out")), 69);
    EXPECT_NE(contents(file("out")).find("was restored"), std::string::npos)
        << contents(file("out"));
  }
  void TearDown() override { Session(cluster_->url()).try_to("DROP SCHEMA atmost CASCADE"); }
};

TEST_F(Restore, AdmitsNobodyBesideAHolderThatTheBackupDoesNotKnow) {
  const Argv few = {"--ttl", "4s", "--kill-grace", "100ms"};
  ASSERT_EQ(Job(run(few, "true")).wait(10), 0);
  dump();
  Job lost(run(few, "echo x >>" + file("token") + "; while :; do date +%s.%N >" + file("alive") +
                        ".new; mv " + file("alive") + ".new " + file("alive") + "; done"));
  ASSERT_TRUE(started());
  Session(cluster_->url()).ask("DROP SCHEMA atmost CASCADE");
  restore(cluster_->url());
  expect_paused(cluster_->url());
  Argv waiting = few;
  waiting.insert(waiting.end(), {"-w", "inf"});
  Job next(run(waiting, "date +%s.%N >" + file("taken")));
  EXPECT_EQ(next.wait(30), 0);
  EXPECT_EQ(lost.wait(0), 79);
  EXPECT_GT(std::atof(contents(file("taken")).c_str()), std::atof(contents(file("alive")).c_str()));
  EXPECT_EQ(run_now(), 0);
}

TEST_F(Restore, OnAnotherServerOrAsAnotherDatabasePausesToo) {
  ASSERT_EQ(run_now(), 0);
  dump();
  Cluster other;
  restore(other.url());
  expect_paused(other.url());
  Session(other.url()).ask("TRUNCATE atmost.era");
  EXPECT_EQ(run_now(other.url()), 0);
  // A copy of the files has tables of the same numbers.
  std::string url = other.url();
  url.replace(url.find("@/postgres"), 10, "@/template1");
  Session(url).ask("CREATE DATABASE copied TEMPLATE postgres");
  url.replace(url.find("@/template1"), 11, "@/copied");
  expect_paused(url);
}

// As the manual advises for losses that nothing can notice.
TEST_F(Restore, IsSaidByHand) {
  ASSERT_EQ(run_now(), 0);
  Session(cluster_->url())
      .ask("DELETE FROM atmost.era; INSERT INTO atmost.era VALUES (0, 'epoch', 2000000)");
  expect_paused(cluster_->url());
  EXPECT_TRUE(eventually(5, [this] { return run_now() == 0; }));
}

TEST_F(Restore, IsNotSuspectedWhereNoneWas) {
  ASSERT_EQ(run_now(), 0);
  Session session(cluster_->url());
  session.ask("VACUUM FULL atmost.era");
  EXPECT_EQ(run_now(), 0);
  cluster_->stop();
  cluster_->start();
  EXPECT_EQ(run_now(), 0);
  EXPECT_EQ(Session(cluster_->url()).one("SELECT count(*) FROM atmost.era"), "1");
}

}  // namespace
}  // namespace postgres_kit
