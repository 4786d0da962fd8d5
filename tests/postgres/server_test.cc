// The server stopped, killed, restarted, full or behind a proxy; and what becomes of commands that
// run, of those that wait and of newcomers. Real processes of atmost, watched through a session of
// our own.
#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "kit/wire.h"
#include "server_kit.h"

namespace postgres_kit {
namespace {

TEST_F(Server, AKilledBackendIsReplacedUnderTheSameToken) {
  Job one(run(kShort, stay()));
  ASSERT_TRUE(started());
  std::string expires;
  std::string token;
  {
    Session session(cluster_->url());
    token = holder(session);
    EXPECT_EQ(token + "\n", contents(file("token")));
    expires = session.one("SELECT expires FROM atmost.holder");
    // The server takes the death of one of its processes for a crash, and ends and restarts all of
    // them.
    kill(std::stoi(
             session.one("SELECT pid FROM pg_stat_activity WHERE application_name = 'atmost'")),
         SIGKILL);
    EXPECT_TRUE(eventually(10, [&] { return !session.try_to("SELECT 1"); }));
  }
  ASSERT_TRUE(eventually(10, [this] {
    PGconn* connection = PQconnectdb(cluster_->url().c_str());
    const bool up = PQstatus(connection) == CONNECTION_OK;
    PQfinish(connection);
    return up;
  }));
  Session session(cluster_->url());
  // Past the end of the lease as it was: only a renewal can have kept it.
  EXPECT_TRUE(eventually(8, [&] {
    return session.one("SELECT clock_timestamp() > '" + expires +
                       "'::timestamptz + interval '1 second'") == "t";
  }));
  EXPECT_EQ(holder(session), token);
  EXPECT_EQ(run_now(), 75);
  touch("go");
  EXPECT_EQ(one.wait(30), 0);
}

TEST_F(Server, AStoppedServerIsReportedInTimeAndNoCommandOutlivesItsLease) {
  ASSERT_EQ(run_now(), 0);
  Job one(run(kShort, stay()));
  ASSERT_TRUE(started());
  const double stopped = seconds_now();
  signal_server(SIGSTOP);
  EXPECT_EQ(run_now(), 69);
  EXPECT_LT(seconds_now() - stopped, within(6.0));
  // Its last renewal may have been sent just before.
  EXPECT_EQ(one.wait(0.1), 79);
  signal_server(SIGCONT);
  ASSERT_TRUE(eventually(20, [this] { return run_now() == 0; }));
}

// Many waiters, the last of whom look at the lock most seldom.
class Queue : public Server {
 protected:
  static constexpr std::size_t kWaiters = 24;
  static constexpr double kTimeout = 5;

  void queue_up(const std::string& url) {
    for (std::size_t i = 0; i < kWaiters; ++i) {
      waiters_.emplace_back(run({"-w", "inf"}, "touch " + file("ran"), url),
                            file("words" + std::to_string(i)));
    }
    Session session(cluster_->url());
    ASSERT_TRUE(eventually(20, [&] {
      return session.one("SELECT count(*) FROM atmost.waiter WHERE lock = '" + lock_ + ".lock'") ==
             std::to_string(kWaiters);
    }));
  }
  void expect_told(double since) {
    for (std::size_t i = 0; i < kWaiters; ++i) {
      EXPECT_EQ(waiters_[i].wait(since + within(kTimeout + 1.3) - seconds_now()), 69)
          << "waiter " << i;
      const std::string words = contents(file("words" + std::to_string(i)));
      EXPECT_NE(words.find("no answer in time"), std::string::npos) << words;
      EXPECT_EQ(std::count(words.begin(), words.end(), '\n'), 1) << words;
    }
    EXPECT_FALSE(there("ran"));
  }

  std::vector<Job> waiters_;
};

TEST_F(Queue, IsToldOfAServerThatStandsStill) {
  Job one(run({"--ttl", "15s"}, stay()));
  ASSERT_TRUE(started());
  queue_up(cluster_->url());
  const double stopped = seconds_now();
  signal_server(SIGSTOP);
  expect_told(stopped);
  signal_server(SIGCONT);
  touch("go");
  EXPECT_EQ(one.wait(30), 0);
}

TEST_F(Queue, IsToldOfANetworkThatIsCutOff) {
  Job one(run({"--ttl", "15s"}, stay()));
  ASSERT_TRUE(started());
  Wire wire(directory_.path(), cluster_->socket());
  queue_up("postgres://postgres@/postgres?host=" + directory_.path());
  const double cut = seconds_now();
  wire.cut_off();
  expect_told(cut);
  touch("go");
  EXPECT_EQ(one.wait(30), 0);
}

TEST_F(Server, AnEndedSessionIsReplacedUnderTheSameTokenWithinTheLease) {
  Job one(run(kShort, stay()));
  ASSERT_TRUE(started());
  Job two(run({"-w", "inf"}, "echo second >>" + file("second")));
  Session session(cluster_->url());
  const auto waiting = [&] {
    return session.one("SELECT count(*), max(ticket) FROM atmost.waiter");
  };
  ASSERT_TRUE(eventually(10, [&] { return waiting().starts_with("1|"); }));
  const std::string place = waiting();
  const std::string token = holder(session);
  for (int i = 0; i < 5; ++i) {
    const std::string ended = session.one(
        "SELECT count(*) FROM (SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
        "application_name "
        "= "
        "'atmost') all_");
    EXPECT_EQ(ended, "2");
    const std::string before = session.one("SELECT max(expires) FROM atmost.holder");
    EXPECT_TRUE(eventually(
        3, [&] { return session.one("SELECT max(expires) FROM atmost.holder") > before; }));
    EXPECT_EQ(holder(session), token);
    EXPECT_TRUE(eventually(3, [&] {
      return session.one(
                 "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'atmost'") == "2";
    }));
  }
  EXPECT_EQ(waiting(), place);
  EXPECT_EQ(contents(file("token")), token + "\n");
  touch("go");
  EXPECT_EQ(one.wait(30), 0);
  EXPECT_EQ(two.wait(30), 0);
  EXPECT_EQ(contents(file("second")), "second\n");
}

TEST_F(Server, ALostCommandIsDeadBeforeItsLeaseEnds) {
  // It ignores all signals but KILL, and records until when it lived.
  Job one(run(kShort, "trap '' INT TERM; echo x >>" + file("token") +
                          "; while :; do date +%s.%N >" + file("alive") + ".new; mv " +
                          file("alive") + ".new " + file("alive") + "; done"));
  ASSERT_TRUE(started());
  Session session(cluster_->url());
  ASSERT_TRUE(eventually(5, [this] { return there("alive"); }));
  signal_server(SIGSTOP);
  EXPECT_EQ(one.wait(30), 79);
  signal_server(SIGCONT);
  const double expires = std::stod(session.one(
      "SELECT extract(epoch FROM expires) FROM atmost.holder WHERE lock = '" + lock_ + ".lock'"));
  EXPECT_LT(std::stod(contents(file("alive"))), expires);
}

TEST_F(Server, HoldersAndWaitersOutliveARestart) {
  Job one(run({"--ttl", "8s"}, stay()));
  ASSERT_TRUE(started());
  Job two(run({"-w", "inf", "--ttl", "8s"}, "echo second >>" + file("second")));
  {
    Session session(cluster_->url());
    ASSERT_TRUE(
        eventually(10, [&] { return session.one("SELECT count(*) FROM atmost.waiter") == "1"; }));
  }
  cluster_->stop();
  cluster_->start();
  Session session(cluster_->url());
  EXPECT_EQ(holder(session) + "\n", contents(file("token")));
  EXPECT_EQ(two.wait(0.2), std::nullopt);
  touch("go");
  EXPECT_EQ(one.wait(30), 0);
  EXPECT_EQ(two.wait(30), 0);
  EXPECT_EQ(contents(file("second")), "second\n");
}

TEST_F(Server, AWaiterThatDiesIsPassedOver) {
  Job one(run({}, stay()));
  ASSERT_TRUE(started());
  Session session(cluster_->url());
  const auto waiting = [&](const char* count) {
    return eventually(10, [&] {
      return session.one("SELECT count(*) FROM atmost.waiter WHERE lock = '" + lock_ + ".lock'") ==
             count;
    });
  };
  Job first(run({"-w", "inf"}, "true"));
  ASSERT_TRUE(waiting("1"));
  Job second(run({"-w", "inf"}, "true"));
  ASSERT_TRUE(waiting("2"));
  first.signal_group(SIGKILL);
  EXPECT_EQ(first.wait(30), 137);
  EXPECT_TRUE(waiting("2"));  // nobody has swept its place up yet
  const double freed = seconds_now();
  touch("go");
  EXPECT_EQ(second.wait(30), 0);
  EXPECT_LT(seconds_now() - freed, within(3.0));
}

// As the kernel sees it: a signal of this number would run a handler of that process.
bool handles(pid_t pid, int signal) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigCgt:"))
      return (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1) != 0;
  }
  return false;
}

TEST_F(Server, AnInterruptedWaiterGivesItsPlaceUp) {
  Job one(run({}, stay()));
  ASSERT_TRUE(started());
  Session session(cluster_->url());
  const auto waiting = [&](const char* count) {
    return eventually(10, [&] {
      return session.one("SELECT count(*) FROM atmost.waiter WHERE lock = '" + lock_ + ".lock'") ==
             count;
    });
  };
  Job waiter(run({"-w", "inf"}, "true"));
  ASSERT_TRUE(waiting("1"));
  // Its place is there before it has the server's answer. A waiter that ends in between leaves a
  // place that does not count any more.
  const std::string monitor = std::to_string(waiter.pid());
  pid_t supervisor = 0;
  ASSERT_TRUE(std::ifstream("/proc/" + monitor + "/task/" + monitor + "/children") >> supervisor);
  ASSERT_TRUE(eventually(10, [&] { return handles(supervisor, SIGTERM); }));
  kill(waiter.pid(), SIGTERM);
  EXPECT_EQ(waiter.wait(30), 128 + SIGTERM);
  EXPECT_TRUE(waiting("0"));
}

TEST_F(Server, AHostThatSleptIsFencedOffAndStopsItsCommand) {
  const auto fenced = [this](const char* times) {
    return Argv{atmost_program(),
                "run",
                "--store",
                cluster_->url(),
                "-w",
                "10",
                "--ttl",
                "3s",
                "--kill-grace",
                "100ms",
                lock_,
                "--",
                beside("fenced"),
                file("resource"),
                file("log"),
                times};
  };
  Job slept(fenced("1000"));
  ASSERT_TRUE(
      eventually(10, [this] { return contents(file("log")).find("ok") != std::string::npos; }));
  // It has renewed its lease, and the moment that it is to wake at is another one than at first.
  Session session(cluster_->url());
  const auto ends = [this, &session] {
    return std::stod(
        session.one("SELECT extract(epoch FROM max(expires)) FROM atmost.holder WHERE lock = '" +
                    lock_ + ".lock'"));
  };
  const double at_first = ends();
  ASSERT_TRUE(eventually(5, [&] { return ends() > at_first; }));
  // It has noticed that by now, and will not renew it again.
  const auto now = [&session] {
    return std::stod(session.one("SELECT extract(epoch FROM clock_timestamp())"));
  };
  ASSERT_TRUE(eventually(5, [&] { return ends() - now() > 2.5 && ends() - now() < 2.75; }));
  slept.signal_group(SIGSTOP);
  const double end = ends();
  Job second(fenced("100"));
  // The second begins when the lease of the first has ended, and not before.
  ASSERT_TRUE(eventually(10, [this] {
    const std::string log = contents(file("log"));
    return log.find("begin") != log.rfind("begin");
  }));
  EXPECT_LT(std::stod(session.one("SELECT extract(epoch FROM clock_timestamp())")), end + 1)
      << "renewed while it was stopped";
  const std::size_t second_begins = contents(file("log")).rfind("begin");
  slept.signal_group(SIGCONT);
  EXPECT_EQ(slept.wait(30), 79);
  EXPECT_EQ(second.wait(30), 0);
  // Every later attempt of the first was refused.
  const std::string first = "ok " + contents(file("log")).substr(6, 16) + " ";
  EXPECT_NE(contents(file("log")).find(first), std::string::npos);
  EXPECT_EQ(contents(file("log")).find(first, second_begins), std::string::npos);
}

TEST_F(Server, AFullServerIsNamed) {
  Cluster small("max_connections = 12");
  ASSERT_EQ(run_now(small.url()), 0);
  std::vector<std::unique_ptr<Session>> all;
  for (int i = 0; i < 12; ++i) all.push_back(std::make_unique<Session>(small.url()));
  EXPECT_EQ(run_now(small.url(), file("out")), 69);
  EXPECT_NE(contents(file("out")).find("too many clients"), std::string::npos)
      << contents(file("out"));
  all.clear();
  EXPECT_TRUE(eventually(10, [&] { return run_now(small.url()) == 0; }));
}

}  // namespace
}  // namespace postgres_kit
