// A slot stays free for two turns at most, however many waiters are dead and whoever leads; the
// slot of a dead holder comes free however often leaders change; and a rate holds for starts, not
// for decisions alone.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <list>
#include <sstream>
#include <thread>
#include <vector>

#include "etcd/kit/cluster.h"
#include "etcd/kit/relay.h"
#include "fleet/job.h"
#include "process/temp_dir.h"
#include "store/etcd/wire.h"

namespace etcd_kit {
namespace {

using namespace fleet_kit;

class Liveness : public ::testing::Test {
 protected:
  std::string file(const std::string& name) const { return directory_.file(name); }

  Job caller(const std::string& url, const std::string& options, const std::string& script,
             const std::string& variables = "") const {
    return Job({"sh", "-c",
                "exec env " + variables + " " + atmost_program() + " run --no-history --store " +
                    url + " " + options + " lock -- sh -c '" + script + "'"});
  }
  // Leaves the slot held, until file `go` is there, and waiters behind it.
  Job hold(const std::string& ttl) const {
    Job holder = caller(
        cluster_.url("/t"), "--ttl " + ttl,
        "echo up >" + file("up") + "; while [ ! -e " + file("go") + " ]; do sleep 0.1; done");
    EXPECT_EQ(await_contents(file("up"), 20), "up\n");
    return holder;
  }
  std::list<Job> queue_up(std::size_t count, const std::string& ttl,
                          const std::string& variables = "") const {
    std::list<Job> all;
    const auto waiter = [&] {
      return caller(cluster_.url("/t"), "-w inf --ttl " + ttl, "true", variables);
    };
    EXPECT_TRUE(eventually(60, [&] {
      // On a busy machine one may find no answer in time.
      all.remove_if([](Job& each) { return each.wait(0).has_value(); });
      while (all.size() < count) all.push_back(waiter());
      return cluster_.waiting("/t/lock") == count;
    }));
    return all;
  }
  void let_go(Job& holder) const {
    shell("touch " + file("go"));
    EXPECT_EQ(holder.wait(30), 0);
  }
  // Each supervisor with its monitor: their tickets stay until the leases end.
  static void kill_all(std::list<Job>& waiters) {
    for (Job& each : waiters) each.signal_group(SIGKILL);
  }
  // The time that a waiting newcomer needs; the limit if it was not admitted in that time.
  double time_to_start(double limit) const {
    const double begun = seconds_now();
    Job newcomer = caller(cluster_.url("/t"), "-w inf --ttl 30s", "true");
    (void)newcomer.wait(limit);
    return seconds_now() - begun;
  }
  void move_leader() const {
    const int leads = cluster_.leader();
    if (leads < 0) return;
    const unsigned next = (static_cast<unsigned>(leads) + 1) % cluster_.count();
    const std::string status = cluster_.fetch(next, "/v3/maintenance/status", "{}");
    const auto reply = atmost::etcd::parse_status(status);
    if (!reply) return;
    char id[32];
    std::snprintf(id, sizeof id, "%llx", static_cast<unsigned long long>(reply->member));
    shell(cluster_.etcdctl(static_cast<unsigned>(leads)) + " move-leader " + id);
  }
  // Moves the leader every 6 s until the condition holds: how long that took.
  double while_leaders_move(double limit, const std::function<bool()>& condition) const {
    const double begun = seconds_now();
    while (seconds_now() - begun < limit) {
      move_leader();
      if (eventually(6, condition)) break;
    }
    return seconds_now() - begun;
  }

  Cluster cluster_{3};
  witness::TempDir directory_;
};

// Two of three members stand still for 11 s: all waiters end with 69, and cannot withdraw.
class AfterAnOutage : public Liveness, public ::testing::WithParamInterface<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Of, AfterAnOutage, ::testing::Values(3, 5, 8, 40));

TEST_P(AfterAnOutage, DeadWaitersDelayNobodyForATtl) {
  Job holder = hold("60s");
  std::list<Job> waiters = queue_up(GetParam(), "60s", "ATMOST_ETCD_TIMEOUT=2s");
  for (const unsigned each : {0u, 1u}) cluster_.signal(each, SIGSTOP);
  std::this_thread::sleep_for(std::chrono::seconds(11));
  for (Job& each : waiters) EXPECT_EQ(each.wait(30), 69);
  for (const unsigned each : {0u, 1u}) cluster_.signal(each, SIGCONT);
  cluster_.wait_healthy(2);
  let_go(holder);
  // Two turns of a second, and what a busy machine adds; a ttl is a minute.
  EXPECT_LT(time_to_start(60), 8);
}

TEST_F(Liveness, DeadTicketsAreOvertakenThoughLeadersMove) {
  Job holder = hold("60s");
  std::list<Job> dead = queue_up(5, "15s");
  Job alive = caller(cluster_.url("/t"), "-w inf --ttl 15s", "echo in >" + file("in"));
  ASSERT_TRUE(eventually(20, [&] { return cluster_.waiting("/t/lock") == 6; }));
  kill_all(dead);
  let_go(holder);
  const auto served = [&] { return !contents(file("in")).empty(); };
  EXPECT_LT(while_leaders_move(60, served), 20);
}

TEST_F(Liveness, ADeadHoldersSlotIsFreeThoughLeadersMove) {
  Job holder = hold("10s");
  holder.signal_group(SIGKILL);
  Job next = caller(cluster_.url("/t"), "-w inf --ttl 10s", "echo in >" + file("in"));
  const auto served = [&] { return !contents(file("in")).empty(); };
  EXPECT_LT(while_leaders_move(60, served), 30);
}

// An admission whose answer comes 1.2 s late starts its command then, and counts from then on.
TEST_F(Liveness, ARateHoldsForStarts) {
  // The lease of hints is there from then on: an admission is one transaction.
  ASSERT_EQ(shell(atmost_program() + " run --store " + cluster_.url("/t") + " other true").code, 0);
  Relay relay(cluster_.host(0));
  relay.hold_writes_back(1200);
  const std::string options = "-n 9 --rate 3/2s --on-too-soon=wait -w 30s --ttl 15s";
  const std::string say = "date +%s.%N >>" + file("starts");
  std::vector<Job> all;
  all.push_back(caller("etcd://" + relay.host() + "/t", options, say));
  ASSERT_TRUE(eventually(20, [&] { return relay.held_back() > 0; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  for (int i = 0; i < 4; ++i) all.push_back(caller(cluster_.url("/t"), options, say));
  for (Job& each : all) EXPECT_EQ(each.wait(60), 0);
  std::vector<double> starts;
  std::istringstream lines(contents(file("starts")));
  for (double moment; lines >> moment;) starts.push_back(moment);
  ASSERT_EQ(starts.size(), 5u);
  std::sort(starts.begin(), starts.end());
  // A start may be 250 ms late without counting from then on.
  for (std::size_t i = 3; i < starts.size(); ++i) EXPECT_GT(starts[i] - starts[i - 3], 1.7) << i;
}

}  // namespace
}  // namespace etcd_kit
