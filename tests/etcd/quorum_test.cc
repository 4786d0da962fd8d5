// A waiter learns that etcd has lost its majority: ATMOST_ETCD_TIMEOUT after a watch has broken,
// or, where members fall silent, after a renewal is overdue. The leader alone is not a majority,
// and its death is not a loss.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <fstream>
#include <functional>
#include <memory>
#include <vector>

#include "etcd/kit/cluster.h"
#include "etcd/kit/relay.h"
#include "etcd/kit/tested_channel.h"
#include "fleet/job.h"
#include "process/temp_dir.h"

namespace etcd_kit {
namespace {

using namespace fleet_kit;

constexpr double kRenewal = 8;    // 7 s from one to the next, and a second for its answer
constexpr double kMachine = 1.5;  // what the machine adds: starting processes, waking them
constexpr int kWaiters = 6;       // one at least watches each member

class Quorum : public ::testing::Test {
 protected:
  std::string file(const std::string& name) const { return directory_.file(name); }

  // Its output is in the file.
  Job asks(const std::string& said, const std::string& options, const std::string& command) const {
    return Job({"sh", "-c",
                "ATMOST_ETCD_TIMEOUT=" + std::to_string(timeout_) + "s exec " + atmost_program() +
                    " run --no-history --store " + cluster_.url("/t") + " " + options +
                    " lock -- sh -c '" + command + "' 2>" + file(said)});
  }

  std::size_t waiting() const { return cluster_.waiting("/t/lock"); }

  // A holder, waiters behind it, and then the loss; a caller that asks after that gets the answer,
  // too.
  void lose(const std::function<void()>& loss) {
    Job holder = asks("held", "--ttl 60s", "echo up >" + file("up") + "; sleep 60");
    ASSERT_EQ(await_contents(file("up"), 10), "up\n");
    std::vector<Job> all;
    for (int i = 0; i < kWaiters; ++i)
      all.push_back(asks("said" + std::to_string(i), "-w inf", "true"));
    const double patience = seconds_now() + 20;
    while (waiting() < kWaiters) ASSERT_LT(seconds_now(), patience);
    const double lost = seconds_now();
    loss();
    all.push_back(asks("said" + std::to_string(kWaiters), "-w inf", "true"));
    for (int i = 0; i <= kWaiters; ++i) {
      EXPECT_EQ(all[static_cast<std::size_t>(i)].wait(60), 69);
      const std::string said = contents(file("said" + std::to_string(i)));
      EXPECT_NE(said.find("half of its members or more are down, out of reach"), std::string::npos)
          << said;
      EXPECT_NE(said.find(" since "), std::string::npos) << said;
    }
    const double told = seconds_now() - lost;
    EXPECT_LT(told, timeout_ + kRenewal + within(kMachine));
    std::printf("all were told after %.2f s, timeout %d s\n%s", told, timeout_,
                contents(file("said0")).c_str());
  }

  Cluster cluster_;
  witness::TempDir directory_;
  int timeout_ = 2;  // seconds
};

TEST_F(Quorum, TheFollowersWereKilled) {
  const int leader = cluster_.leader();
  ASSERT_GE(leader, 0);
  timeout_ = 5;  // the default
  // It goes on leading, and renewing leases, for a second or two.
  lose([&] {
    for (unsigned i = 0; i < 3; ++i) {
      if (static_cast<int>(i) != leader) cluster_.kill(i);
    }
  });
}

TEST_F(Quorum, TheLeaderAndAnotherWereKilled) {
  const int leader = cluster_.leader();
  ASSERT_GE(leader, 0);
  lose([&] {
    cluster_.kill(static_cast<unsigned>(leader));
    cluster_.kill(static_cast<unsigned>(leader + 1) % 3);
  });
}

TEST_F(Quorum, TwoWereStoppedAndSayNothing) {
  const int leader = cluster_.leader();
  ASSERT_GE(leader, 0);
  lose([&] {
    cluster_.signal(static_cast<unsigned>(leader), SIGSTOP);
    cluster_.signal(static_cast<unsigned>(leader + 1) % 3, SIGSTOP);
  });
  for (unsigned i = 0; i < 3; ++i) cluster_.signal(i, SIGCONT);
}

TEST_F(Quorum, AllWereStopped) {
  lose([&] {
    for (unsigned i = 0; i < 3; ++i) cluster_.signal(i, SIGSTOP);
  });
  for (unsigned i = 0; i < 3; ++i) cluster_.signal(i, SIGCONT);
}

TEST_F(Quorum, OneStoppedMemberIsNoLoss) {
  Job holder =
      asks("held", "--ttl 60s",
           "echo up >" + file("up") + "; until test -e " + file("end") + "; do sleep 0.05; done");
  ASSERT_EQ(await_contents(file("up"), 10), "up\n");
  std::vector<Job> all;
  for (int i = 0; i < kWaiters; ++i)
    all.push_back(asks("said" + std::to_string(i), "-w inf", "true"));
  const double patience = seconds_now() + 20;
  while (waiting() < kWaiters) ASSERT_LT(seconds_now(), patience);
  const int leader = cluster_.leader();
  ASSERT_GE(leader, 0);
  const unsigned follower = static_cast<unsigned>(leader + 1) % 3;
  cluster_.signal(follower, SIGSTOP);
  // Longer than a waiter would need to report a loss.
  EXPECT_EQ(all[0].wait(timeout_ + kRenewal + kMachine), std::nullopt);
  std::ofstream(file("end")) << "now";
  for (Job& each : all) EXPECT_EQ(each.wait(30), 0);
  EXPECT_EQ(holder.wait(30), 0);
  cluster_.signal(follower, SIGCONT);
}

// A waiter whose member ended watches another one, and learns of the silence of that. The member
// stays away until then: a waiter that is late to notice would find it again. Should the release be
// lost with the stopped member, the holder's short lease ends soon.
TEST_F(Quorum, TheMemberThatAWaiterWentToIsStopped) {
  if (etcd_kit::tested_channel() == etcd_kit::Channel::tls)
    GTEST_SKIP() << "a relay cannot read what is encrypted";
  std::vector<std::unique_ptr<Relay>> relays;
  std::string store = "etcd://";
  for (unsigned i = 0; i < 3; ++i) {
    relays.push_back(std::make_unique<Relay>(cluster_.host(i)));
    store += (i > 0 ? "," : "") + relays.back()->host();
  }
  const auto watches = [&](unsigned member) { return relays[member]->seen("/v3/watch") > 0; };
  Job holder =
      asks("held", "--ttl 15s",
           "echo up >" + file("up") + "; until test -e " + file("end") + "; do sleep 0.05; done");
  ASSERT_EQ(await_contents(file("up"), 10), "up\n");
  Job waiter(run_line(store + "/t", {"-w", "inf"}, "true"));
  unsigned first = 0;
  ASSERT_TRUE(eventually(20, [&] {
    first = watches(0) ? 0 : watches(1) ? 1 : 2;
    return watches(first) && waiting() == 1;
  }));
  cluster_.kill(first);
  unsigned next = 0;
  ASSERT_TRUE(eventually(20, [&] {
    next = (first + (watches((first + 1) % 3) ? 1 : 2)) % 3;
    return watches(next);
  }));
  cluster_.start(first);
  cluster_.wait_healthy(first);
  cluster_.signal(next, SIGSTOP);
  std::ofstream(file("end")) << "now";
  // Less than the minute after which a waiter looks of itself.
  EXPECT_EQ(waiter.wait(kRenewal + 45), 0);
  cluster_.signal(next, SIGCONT);
  EXPECT_EQ(holder.wait(30), 0);
}

}  // namespace
}  // namespace etcd_kit
