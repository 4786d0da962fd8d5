// The server stopped, killed, restarted, full or behind a proxy; and what becomes of commands that run, of those that
// wait and of newcomers. Real processes of atmost, watched through a session of our own.
#include <gtest/gtest.h>
#include <pwd.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "kit/cluster.h"
#include "kit/program.h"

namespace postgres_kit {
namespace {

class Server : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { cluster_ = std::make_unique<Cluster>(); }
  static void TearDownTestSuite() { cluster_.reset(); }

  Server() {
    char name[] = "/tmp/atmost-server-XXXXXX";
    EXPECT_NE(mkdtemp(name), nullptr);
    directory_ = name;
    setenv("ATMOST_DIR", name, 1);
    lock_ = "job" + std::to_string(++tests_);
  }
  ~Server() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  std::string file(const std::string& name) const { return directory_ + "/" + name; }
  bool there(const std::string& name) const { return std::filesystem::exists(file(name)); }
  void touch(const std::string& name) const { std::ofstream(file(name)) << "x"; }
  Argv run(const Argv& options, const std::string& script, const std::string& url = cluster_->url()) const {
    Argv argv = {atmost(), "run", "--store", url};
    argv.insert(argv.end(), options.begin(), options.end());
    for (const std::string& word :
         {lock_, std::string("--"), std::string("/bin/sh"), std::string("-c"), script}) {
      argv.push_back(word);
    }
    return argv;
  }
  // Writes its token and stays until file `go` is there.
  std::string stay() const {
    return "echo $ATMOST_TOKEN >>" + file("token") + "; while [ ! -e " + file("go") +
           " ]; do sleep 0.05; done";
  }
  bool started() const {
    return eventually(10, [this] { return contents(file("token")).ends_with("\n"); });
  }
  std::string holder(Session& session) const {
    return session.one("SELECT token FROM atmost.holder WHERE lock = '" + lock_ +
                       ".lock' AND expires > clock_timestamp()");
  }
  int run_now(const std::string& url = cluster_->url(), const std::string& output = "") const {
    return Program(run({}, "true", url), output).wait(20).value_or(-1);
  }
  void signal_server(int signal) const {
    for (pid_t pid : cluster_->processes()) kill(pid, signal);
  }

  static std::unique_ptr<Cluster> cluster_;
  static int tests_;
  std::string directory_;
  std::string lock_;
};
std::unique_ptr<Cluster> Server::cluster_;
int Server::tests_ = 0;

const Argv kShort = {"--ttl", "3s", "--kill-grace", "100ms"};

TEST_F(Server, AKilledBackendIsReplacedUnderTheSameToken) {
  Program one(run(kShort, stay()));
  ASSERT_TRUE(started());
  std::string expires;
  std::string token;
  {
    Session session(cluster_->url());
    token = holder(session);
    EXPECT_EQ(token + "\n", contents(file("token")));
    expires = session.one("SELECT expires FROM atmost.holder");
    // The server takes the death of one of its processes for a crash, and ends and restarts all of them.
    kill(std::stoi(session.one("SELECT pid FROM pg_stat_activity WHERE application_name = 'atmost'")),
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
    return session.one("SELECT clock_timestamp() > '" + expires + "'::timestamptz + interval '1 second'") ==
           "t";
  }));
  EXPECT_EQ(holder(session), token);
  EXPECT_EQ(run_now(), 75);
  touch("go");
  EXPECT_EQ(one.wait(10), 0);
}

TEST_F(Server, AStoppedServerIsReportedInTimeAndNoCommandOutlivesItsLease) {
  ASSERT_EQ(run_now(), 0);
  Program one(run(kShort, stay()));
  ASSERT_TRUE(started());
  const double stopped = seconds_now();
  signal_server(SIGSTOP);
  EXPECT_EQ(run_now(), 69);
  EXPECT_LT(seconds_now() - stopped, 6.0);
  // Its last renewal may have been sent just before.
  EXPECT_EQ(one.wait(0.1), 79);
  signal_server(SIGCONT);
  ASSERT_TRUE(eventually(20, [this] { return run_now() == 0; }));
}

TEST_F(Server, ALostCommandIsDeadBeforeItsLeaseEnds) {
  // Deaf to everything but KILL, and it says until when it lived.
  Program one(run(kShort, "trap '' INT TERM; echo x >>" + file("token") + "; while :; do date +%s.%N >" +
                              file("alive") + ".new; mv " + file("alive") + ".new " + file("alive") +
                              "; done"));
  ASSERT_TRUE(started());
  Session session(cluster_->url());
  ASSERT_TRUE(eventually(5, [this] { return there("alive"); }));
  signal_server(SIGSTOP);
  EXPECT_EQ(one.wait(10), 79);
  signal_server(SIGCONT);
  const double expires = std::stod(
      session.one("SELECT extract(epoch FROM expires) FROM atmost.holder WHERE lock = '" + lock_ + ".lock'"));
  EXPECT_LT(std::stod(contents(file("alive"))), expires);
}

TEST_F(Server, HoldersAndWaitersOutliveARestart) {
  Program one(run({"--ttl", "8s"}, stay()));
  ASSERT_TRUE(started());
  Program two(run({"-w", "inf", "--ttl", "8s"}, "echo second >>" + file("second")));
  {
    Session session(cluster_->url());
    ASSERT_TRUE(eventually(10, [&] { return session.one("SELECT count(*) FROM atmost.waiter") == "1"; }));
  }
  cluster_->stop();
  cluster_->start();
  Session session(cluster_->url());
  EXPECT_EQ(holder(session) + "\n", contents(file("token")));
  EXPECT_EQ(two.wait(0.2), std::nullopt);
  touch("go");
  EXPECT_EQ(one.wait(10), 0);
  EXPECT_EQ(two.wait(10), 0);
  EXPECT_EQ(contents(file("second")), "second\n");
}

TEST_F(Server, AWaiterThatDiesIsPassedOver) {
  Program one(run({}, stay()));
  ASSERT_TRUE(started());
  Session session(cluster_->url());
  const auto waiting = [&](const char* count) {
    return eventually(10, [&] {
      return session.one("SELECT count(*) FROM atmost.waiter WHERE lock = '" + lock_ + ".lock'") == count;
    });
  };
  Program first(run({"-w", "inf"}, "true"));
  ASSERT_TRUE(waiting("1"));
  Program second(run({"-w", "inf"}, "true"));
  ASSERT_TRUE(waiting("2"));
  first.signal_group(SIGKILL);
  EXPECT_EQ(first.wait(5), 137);
  EXPECT_TRUE(waiting("2"));  // nobody has swept its place up yet
  const double freed = seconds_now();
  touch("go");
  EXPECT_EQ(second.wait(10), 0);
  EXPECT_LT(seconds_now() - freed, 3.0);
}

TEST_F(Server, AnInterruptedWaiterGivesItsPlaceUp) {
  Program one(run({}, stay()));
  ASSERT_TRUE(started());
  Session session(cluster_->url());
  const auto waiting = [&](const char* count) {
    return eventually(10, [&] {
      return session.one("SELECT count(*) FROM atmost.waiter WHERE lock = '" + lock_ + ".lock'") == count;
    });
  };
  Program waiter(run({"-w", "inf"}, "true"));
  ASSERT_TRUE(waiting("1"));
  kill(waiter.pid(), SIGTERM);
  EXPECT_EQ(waiter.wait(5), 128 + SIGTERM);
  EXPECT_TRUE(waiting("0"));
}

TEST_F(Server, AnOverdueHolderIsAskedAndStopsItself) {
  Program one(run({"--kill-grace", "500ms"}, stay()));
  ASSERT_TRUE(started());
  const double start = seconds_now();
  Program two(run({"--expire-after", "0", "--kill-grace", "500ms"}, "echo second >>" + file("second")));
  EXPECT_EQ(two.wait(10), 0);
  EXPECT_LT(seconds_now() - start, 3.0);
  EXPECT_EQ(one.wait(5), 79);
  EXPECT_EQ(contents(file("second")), "second\n");
}

TEST_F(Server, AHostThatSleptIsFencedOffAndStopsItsCommand) {
  const auto fenced = [this](const char* times) {
    return Argv{atmost(),
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
  Program slept(fenced("1000"));
  ASSERT_TRUE(eventually(10, [this] { return contents(file("log")).find("ok") != std::string::npos; }));
  slept.signal_group(SIGSTOP);
  Program second(fenced("100"));
  // The second begins when the lease of the first has ended, and not before.
  ASSERT_TRUE(eventually(10, [this] {
    const std::string log = contents(file("log"));
    return log.find("begin") != log.rfind("begin");
  }));
  const std::size_t second_begins = contents(file("log")).rfind("begin");
  slept.signal_group(SIGCONT);
  EXPECT_EQ(slept.wait(5), 79);
  EXPECT_EQ(second.wait(10), 0);
  // Whatever the first still tried was refused.
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
  EXPECT_NE(contents(file("out")).find("too many clients"), std::string::npos) << contents(file("out"));
  all.clear();
  EXPECT_TRUE(eventually(10, [&] { return run_now(small.url()) == 0; }));
}

// pgbouncer, as the user that PostgreSQL runs as.
class Bouncer {
 public:
  Bouncer(const std::string& directory, const Cluster& cluster, const std::string& mode) {
    const std::string server = std::filesystem::path(cluster.socket()).parent_path();
    std::ofstream(directory + "/users") << "\"postgres\" \"\"\n";
    std::ofstream(directory + "/ini")
        << "[databases]\npostgres = host=" << server
        << " dbname=postgres\n[pgbouncer]\nlisten_addr =\nunix_socket_dir = " << directory
        << "\nlisten_port = 5432\nauth_type = trust\nauth_file = " << directory
        << "/users\npool_mode = " << mode << "\nignore_startup_parameters = extra_float_digits\n";
    Argv argv = {"/usr/sbin/pgbouncer", "-q", directory + "/ini"};
    if (geteuid() == 0) {
      const passwd* user = getpwnam("postgres");
      for (const char* name : {"", "/users", "/ini"}) {
        EXPECT_EQ(chown((directory + name).c_str(), user->pw_uid, user->pw_gid), 0);
      }
      argv = {"/usr/sbin/pgbouncer", "-q", "-u", "postgres", directory + "/ini"};
    }
    program_ = std::make_unique<Program>(argv, directory + "/bouncer.log");
    EXPECT_TRUE(eventually(10, [&] { return std::filesystem::exists(directory + "/.s.PGSQL.5432"); }))
        << contents(directory + "/bouncer.log");
    url_ = "postgres://postgres@/postgres?host=" + directory;
  }
  const std::string& url() const { return url_; }

 private:
  std::string url_;
  std::unique_ptr<Program> program_;
};

TEST_F(Server, AProxyThatPoolsTransactionsIsNamedAndRefused) {
  if (access("/usr/sbin/pgbouncer", X_OK) != 0) GTEST_SKIP() << "pgbouncer is not installed";
  const Bouncer bouncer(directory_, *cluster_, "transaction");
  EXPECT_EQ(run_now(bouncer.url(), file("out")), 69);
  EXPECT_NE(contents(file("out")).find("pgbouncer"), std::string::npos) << contents(file("out"));
  EXPECT_EQ(Program({atmost(), "doctor", bouncer.url()}, file("doctor")).wait(10), 69);
  EXPECT_NE(contents(file("doctor")).find("pool_mode=session"), std::string::npos)
      << contents(file("doctor"));
}

TEST_F(Server, AProxyThatLeavesSessionsAloneWillDo) {
  if (access("/usr/sbin/pgbouncer", X_OK) != 0) GTEST_SKIP() << "pgbouncer is not installed";
  const Bouncer bouncer(directory_, *cluster_, "session");
  EXPECT_EQ(run_now(bouncer.url(), file("out")), 0) << contents(file("out"));
  EXPECT_EQ(Program({atmost(), "doctor", bouncer.url()}, file("doctor")).wait(10), 0);
  EXPECT_NE(contents(file("doctor")).find("a proxy stands in between"), std::string::npos)
      << contents(file("doctor"));
}

TEST_F(Server, WhoMayNotCreateTheTablesIsToldWhoMay) {
  {
    Session session(cluster_->url());
    session.ask("CREATE DATABASE closed");
    session.ask("CREATE ROLE guest LOGIN");
  }
  std::string url = cluster_->url();
  url.replace(url.find("postgres@/postgres"), 18, "guest@/closed");
  EXPECT_EQ(run_now(url, file("out")), 77);
  EXPECT_NE(contents(file("out")).find("atmost schema postgres"), std::string::npos) << contents(file("out"));
  // The script does what the message promises.
  std::string owner = cluster_->url();
  owner.replace(owner.find("@/postgres"), 10, "@/closed");
  EXPECT_EQ(Program({atmost(), "schema", "postgres"}, file("sql")).wait(10), 0);
  Session session(owner);
  session.ask(contents(file("sql")));
  EXPECT_EQ(run_now(url), 77);
  session.ask("GRANT USAGE ON SCHEMA atmost TO guest");
  session.ask("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA atmost TO guest");
  session.ask("GRANT USAGE ON ALL SEQUENCES IN SCHEMA atmost TO guest");
  EXPECT_EQ(run_now(url), 0);
}

TEST_F(Server, APasswordComesFromAFileAndNotFromTheUrl) {
  EXPECT_EQ(run_now("postgres://postgres:secret@/postgres?host=/tmp", file("out")), 64);
  EXPECT_EQ(contents(file("out")).find("secret"), std::string::npos);
  EXPECT_EQ(run_now("postgres://postgres@/postgres?host=/tmp&password=secret", file("out")), 64);
  EXPECT_EQ(contents(file("out")).find("secret"), std::string::npos);
}

}  // namespace
}  // namespace postgres_kit
