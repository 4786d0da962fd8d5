// A PostgreSQL server and 200 clients of one lock: the server is killed, stopped and loses
// sessions, its processes and those of clients are killed and stopped, hosts of clients cut off
// from it, and wall clocks set, all in one run. No slot is used twice, no old token is accepted,
// and when all is calm everybody finishes.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <ctime>

#include "fleet/storm.h"
#include "postgres/kit/cluster.h"

namespace fleet_kit {
namespace {

using postgres_kit::Cluster;
using postgres_kit::Session;

class Server {
 public:
  explicit Server(Storm& storm)
      : storm_(storm),
        clock_(storm.directory() + "/server-clock"),
        cluster_("max_connections = 450\n", {storm.network().address(host()), [this] {
                                               storm_.network().entrance(host())();
                                               clock_.enter();
                                             }}) {}

  std::string url() const { return cluster_.remote_url(); }

  void expect_a_wrong_clock() {
    Session session(cluster_.url());
    for (const long shift : {3600L, -3600L, 0L}) {
      clock_.set(shift);
      const double seen =
          strtod(session.one("SELECT extract(epoch FROM clock_timestamp())").c_str(), nullptr);
      EXPECT_NEAR(seen - static_cast<double>(time(nullptr)), static_cast<double>(shift), 2);
    }
  }

  int waiting() {
    Session session(cluster_.url());
    if (session.one("SELECT to_regclass('atmost.waiter') IS NULL") == "t") return 0;
    return atoi(session.one("SELECT count(*) FROM atmost.waiter").c_str());
  }
  void set_clock_forward(long seconds) { clock_.set(clock_.seconds() + seconds); }

  // `steps`: its clock is set while leases run, too.
  void add_strikes(bool steps) {
    Nemesis& nemesis = storm_.nemesis();
    const std::string one_at_a_time = "server";
    const auto end_a_session = [this]() -> Nemesis::Undo {
      end_session();
      return {};
    };
    nemesis.add("session ended", 4, 0, 0, end_a_session, one_at_a_time);
    const auto stop = [this]() -> Nemesis::Undo {
      const std::vector<pid_t> all = cluster_.processes();
      for (pid_t pid : all) kill(pid, SIGSTOP);
      return [all] {
        for (pid_t pid : all) kill(pid, SIGCONT);
      };
    };
    nemesis.add("server stopped", 2, 0.2, 3, stop, one_at_a_time);
    const auto crash = [this]() -> Nemesis::Undo {
      cluster_.stop();
      return [this] { cluster_.start(); };
    };
    nemesis.add("server killed", 1, 0.1, 1, crash, one_at_a_time);
    const auto kill_one = [this]() -> Nemesis::Undo {
      const std::vector<pid_t> all = cluster_.processes();
      if (all.size() > 1)
        kill(all[1 + storm_.nemesis().pick(static_cast<unsigned>(all.size() - 1))], SIGKILL);
      return {};
    };
    nemesis.add("one of its processes killed", 1, 0, 0, kill_one, one_at_a_time);
    const auto cut = [this] { return storm_.part(storm_.nemesis().pick(kGroups), {host()}); };
    nemesis.add("clients cut off", 2, 2, kTtl + 5, cut, "clients");
    const auto set_clock = [this]() -> Nemesis::Undo {
      set_clock_forward(10 + storm_.nemesis().pick(3600));
      return {};
    };
    if (steps) nemesis.add("server's clock set forward", 4, 0, 0, set_clock);
  }

 private:
  static unsigned host() { return Storm::server(0); }
  void end_session() {
    PGconn* connection = PQconnectdb((cluster_.url() + "&connect_timeout=2").c_str());
    PQclear(PQexec(connection,
                   "SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity WHERE "
                   "application_name = "
                   "'atmost' ORDER BY random() LIMIT 1) one"));
    PQfinish(connection);
  }

  Storm& storm_;
  SharedClock clock_;
  Cluster cluster_;
};

TEST(Nemesis, OfLocksInPostgres) {
  Storm storm("postgres", 1);
  Server server(storm);
  server.expect_a_wrong_clock();
  server.add_strikes(false);
  storm.run(server.url());
}

// The row is still the command's own when its time is over by a clock that was set forward. A
// waiter for its slot asks it first, and goes on waiting.
TEST(ServerClock, SetForwardEndsNoCommand) {
  Storm storm("postgres_alone", 1);
  Server server(storm);
  const Recipe one = storm.client(0, server.url());
  const std::string began = storm.directory() + "/began", ended = storm.directory() + "/ended";
  const auto line = [&](const std::string& script) {
    return Argv{one.line[0], "run",   "--no-history", "--store",      server.url(), "-w",
                "inf",       "--ttl", "5s",           "--kill-grace", "500ms",      "lock",
                "--",        "sh",    "-c",           script};
  };
  Job holder(line("echo yes >" + began + "; sleep 4; echo yes >" + ended), one.before);
  ASSERT_EQ(await_contents(began, 10), "yes\n");
  Job waiter(line("test -e " + ended), one.before);
  while (server.waiting() == 0) usleep(5000);
  server.set_clock_forward(3600);
  EXPECT_EQ(holder.wait(15), 0);
  EXPECT_EQ(waiter.wait(15), 0) << "it was admitted before the other had ended";
}

// When a holder cannot be asked at the moment at which the clock is set forward, its lease ends
// early, and whoever waits is admitted while a command still runs. The rest then is what tokens
// are for: of what the resource accepted, nothing was done by a command after a later one of its
// slot had begun.
TEST(Nemesis, OfLocksInPostgresWhoseClockIsSetForward) {
  Storm storm("postgres_clock", 1);
  Server server(storm);
  server.add_strikes(true);
  storm.only_what_was_accepted();
  storm.run(server.url());
}

}  // namespace
}  // namespace fleet_kit
