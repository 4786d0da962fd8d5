// The server accepts two connections more than there are holders, newcomers try again and again,
// and sessions end: the holders have to come back before them. ATMOST_SECONDS: the duration.
#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "server_kit.h"

namespace postgres_kit {
namespace {

constexpr int kHolders = 12;
constexpr int kNewcomers = 20;

class Limit : public Server {
 protected:
  Limit() {
    Session session(cluster_->url());
    EXPECT_EQ(run_now(), 0);  // makes the schema
    session.try_to("CREATE ROLE few LOGIN");
    for (const char* grant : {"GRANT USAGE ON SCHEMA atmost TO few",
                              "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA atmost "
                              "TO few",
                              "GRANT USAGE ON ALL SEQUENCES IN SCHEMA atmost TO few"}) {
      EXPECT_TRUE(session.try_to(grant)) << grant;
    }
    EXPECT_TRUE(session.try_to("ALTER ROLE few CONNECTION LIMIT " + std::to_string(kHolders + 2)));
  }

  std::string few() const {
    return "postgres://few@/postgres?host=" + cluster_->directory() +
           "&port=" + std::to_string(cluster_->port());
  }
  void hold() {
    for (int i = 0; i < kHolders; ++i) {
      jobs_.emplace_back(run({"-n", std::to_string(kHolders), "--ttl", "15s"}, stay(), few()),
                         file("holder" + std::to_string(i)));
      ASSERT_TRUE(eventually(20, [&] {
        const std::string tokens = contents(file("token"));
        return std::count(tokens.begin(), tokens.end(), '\n') == i + 1;
      }));
    }
  }
  void swarm() {
    const std::string line = atmost_program() + " run --store '" + few() + "' --no-history -n " +
                             std::to_string(kHolders) + " -w 5s " + lock_ + " -- true; echo $? >>" +
                             file("codes");
    for (int i = 0; i < kNewcomers; ++i) {
      newcomers_.emplace_back(
          Argv{"/bin/sh", "-c", "while [ ! -e " + file("over") + " ]; do " + line + "; done"});
    }
  }
  // Each holder still has its lease.
  bool all_there() const {
    Session session(cluster_->url());
    return session.one("SELECT count(*) FROM atmost.holder WHERE lock = '" + lock_ +
                       ".lock' AND expires > clock_timestamp()") == std::to_string(kHolders);
  }
  void expect_the_end() {
    touch("over");
    touch("go");
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      EXPECT_EQ(jobs_[i].wait(60), 0)
          << "holder " << i << ": " << contents(file("holder" + std::to_string(i)));
    }
    for (Job& one : newcomers_) EXPECT_EQ(one.wait(60), 0);
  }

  std::vector<Job> jobs_;
  std::vector<Job> newcomers_;
};

TEST_F(Limit, NewcomersLeaveTheConnectionsToHolders) {
  const char* const given = std::getenv("ATMOST_SECONDS");
  const double seconds = given != nullptr ? std::atof(given) : 40;
  hold();
  swarm();
  ASSERT_TRUE(eventually(30, [this] { return contents(file("codes")).size() > 20; }));
  std::mt19937 random(1);
  const double end = seconds_now() + seconds;
  while (seconds_now() < end) {
    if (random() % 2 == 0) {
      cluster_->stop();
      cluster_->start();
    } else {
      Session session(cluster_->url());
      session.ask(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'few' AND "
          "random() < 0.7");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 16'000));
    EXPECT_TRUE(all_there());
  }
  expect_the_end();
}

TEST_F(Limit, TheDoctorWarnsBeforeItIsReached) {
  const Argv doctor = {atmost_program(), "doctor", few()};
  EXPECT_EQ(Job(doctor, file("before")).wait(20), 0);
  EXPECT_NE(contents(file("before")).find("1 of 14 connections of role few"), std::string::npos)
      << contents(file("before"));
  hold();
  EXPECT_EQ(Job(doctor, file("then")).wait(20), 0);
  EXPECT_NE(contents(file("then")).find("warn  connections     13 of 14 connections of role few"),
            std::string::npos)
      << contents(file("then"));
  expect_the_end();
}

}  // namespace
}  // namespace postgres_kit
