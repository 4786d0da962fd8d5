// A turn is used or passed: a waiter that does not take what it is owed holds nobody up.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "etcd/kit/cluster.h"
#include "fleet/job.h"
#include "process/temp_dir.h"
#include "store/etcd/wire.h"

namespace etcd_kit {
namespace {

using namespace fleet_kit;

constexpr double kPassed = 3;  // seconds, at most

class Turns : public ::testing::Test {
 protected:
  std::string file(const std::string& name) const { return directory_.file(name); }

  // Says its name, and goes on until end(name).
  Job caller(const std::string& name, const std::string& options,
             const std::string& ttl = "60s") const {
    mkfifo(file(name + ".end").c_str(), 0600);
    return Job({"sh", "-c",
                "exec " + atmost_program() + " run --no-history --ttl " + ttl + " --store " +
                    cluster_.url("/t") + " " + options + " lock -- sh -c 'echo " + name + " >>" +
                    file("log") + "; read x <" + file(name + ".end") + "; true'"});
  }
  void end(const std::string& name) const { std::ofstream(file(name + ".end")) << ""; }

  // The caller waits when this returns.
  Job waiter(const std::string& name, std::size_t place) const {
    Job made = caller(name, "-w inf");
    EXPECT_TRUE(eventually(30, [&] { return waiting() == place + 1; })) << name;
    return made;
  }
  std::size_t waiting() const { return cluster_.waiting("/t/lock"); }

  bool says(const std::string& names, double seconds) const {
    return eventually(seconds, [&] { return contents(file("log")) == names; });
  }

  // The values in etcd under a name of the queue's places, each once.
  std::set<std::string> shown(const std::string& name) const {
    using namespace atmost::etcd;
    const std::string queue = "/t/lock.lock/w/";
    const std::string query = "{\"key\":\"" + base64(queue) + "\",\"range_end\":\"" +
                              base64(end_of_prefix(queue)) + "\"}";
    const std::string answer = cluster_.fetch(0, "/v3/kv/range", query.c_str());
    const std::string before = "\"" + name + "\":\"";
    std::set<std::string> all;
    for (std::size_t at = 0; (at = answer.find(before, at)) != std::string::npos;) {
      at += before.size();
      all.insert(answer.substr(at, answer.find('"', at) - at));
    }
    return all;
  }

  // True if etcd shows a place whose caller has had its turn and did not use it.
  bool any_turn() const {
    const std::set<std::string> places = shown("value");
    return std::any_of(places.begin(), places.end(), [](const std::string& place) {
      const auto value = atmost::etcd::from_base64(place);
      return value && value->find("\"turn\":[0,0]") == std::string::npos;
    });
  }

  Cluster cluster_{1};
  witness::TempDir directory_;
};

TEST_F(Turns, AKilledWaiterIsOvertaken) {
  // The first of all has drawn no place, so those behind it count from none.
  Job holder = caller("holder", "");
  ASSERT_TRUE(says("holder\n", 30));
  Job first = waiter("first", 0);
  Job second = waiter("second", 1);
  Job third = waiter("third", 2);
  first.signal_group(SIGKILL);
  ASSERT_TRUE(first.wait(10).has_value());
  end("holder");
  ASSERT_TRUE(says("holder\nsecond\n", kPassed)) << contents(file("log"));
  // Nobody waits for it twice.
  const double freed = seconds_now();
  end("second");
  ASSERT_TRUE(says("holder\nsecond\nthird\n", kPassed)) << contents(file("log"));
  std::printf("the third followed after %.2f s\n", seconds_now() - freed);
  end("third");
  EXPECT_EQ(third.wait(30), 0);
}

TEST_F(Turns, SeveralThatWereKilledAreOvertaken) {
  Job holder = caller("holder", "-n 2");
  ASSERT_TRUE(says("holder\n", 30));
  Job other = caller("other", "-n 2");
  ASSERT_TRUE(says("holder\nother\n", 30));
  std::vector<Job> dead;
  for (std::size_t i = 0; i < 3; ++i) {
    dead.push_back(caller("dead" + std::to_string(i), "-n 2 -w inf"));
    ASSERT_TRUE(eventually(30, [&] { return waiting() == i + 1; }));
  }
  Job alive = caller("alive", "-n 2 -w inf");
  ASSERT_TRUE(eventually(30, [&] { return waiting() == 4; }));
  for (Job& each : dead) each.signal_group(SIGKILL);
  for (Job& each : dead) ASSERT_TRUE(each.wait(10).has_value());
  end("other");
  // A second for each.
  EXPECT_TRUE(says("holder\nother\nalive\n", 2 + kPassed)) << contents(file("log"));
  end("alive");
  EXPECT_EQ(alive.wait(30), 0);
  end("holder");
}

TEST_F(Turns, AStoppedWaiterIsOvertakenAndKeepsItsPlace) {
  Job holder = caller("holder", "");
  ASSERT_TRUE(says("holder\n", 30));
  Job first = waiter("first", 0);
  Job second = waiter("second", 1);
  Job third = waiter("third", 2);
  first.signal_group(SIGSTOP);
  end("holder");
  ASSERT_TRUE(says("holder\nsecond\n", kPassed)) << contents(file("log"));
  EXPECT_TRUE(any_turn());
  first.signal_group(SIGCONT);
  ASSERT_TRUE(eventually(10, [this] { return !any_turn(); }));
  end("second");
  ASSERT_TRUE(says("holder\nsecond\nfirst\n", 10)) << contents(file("log"));
  end("first");
  ASSERT_TRUE(says("holder\nsecond\nfirst\nthird\n", 10)) << contents(file("log"));
  end("third");
  for (Job* each : {&holder, &first, &second, &third}) EXPECT_EQ(each->wait(10), 0);
}

// A place that was lost is drawn anew behind those who came meanwhile, and what is seen from there
// is not what was seen from the first place.
TEST_F(Turns, AFirstWaiterThatLosesItsPlaceComesAfterTheOthers) {
  constexpr std::size_t kOthers = 7;  // more than a waiter sees of its queue
  Job holder = caller("holder", "");
  ASSERT_TRUE(says("holder\n", 30));
  Job first = caller("first", "-w inf --kill-grace 500ms", "4s");
  ASSERT_TRUE(eventually(30, [&] { return waiting() == 1; }));
  std::vector<Job> others;
  std::string log = "holder\n";
  for (std::size_t i = 0; i < kOthers; ++i) {
    others.push_back(waiter(std::to_string(i), 1 + i));
    log += std::to_string(i) + "\n";
  }
  first.signal_group(SIGSTOP);
  end("holder");
  ASSERT_TRUE(says("holder\n0\n", kPassed)) << contents(file("log"));
  ASSERT_TRUE(eventually(30, [&] { return waiting() == kOthers - 1; }));
  first.signal_group(SIGCONT);
  ASSERT_TRUE(eventually(30, [&] { return waiting() == kOthers; }));
  for (std::size_t i = 0; i < kOthers; ++i) {
    const std::string last = "\n" + std::to_string(i) + "\n";
    ASSERT_TRUE(eventually(10, [&] { return contents(file("log")).ends_with(last); }))
        << contents(file("log"));
    end(std::to_string(i));
  }
  ASSERT_TRUE(says(log + "first\n", 20)) << contents(file("log"));
  end("first");
  for (Job& each : others) EXPECT_EQ(each.wait(30), 0);
  EXPECT_EQ(first.wait(30), 0);
}

// Etcd's leader may have ended it too early: one that was stopped, or stuck, and another leads
// (etcd #15247).
TEST_F(Turns, AWaiterWhoseLeaseWasEndedDrawsAgain) {
  Job holder = caller("holder", "");
  ASSERT_TRUE(says("holder\n", 30));
  Job first = waiter("first", 0);
  const std::set<std::string> others = shown("lease");
  Job second = waiter("second", 1);
  for (const std::string& lease : shown("lease")) {
    if (others.contains(lease)) continue;
    cluster_.fetch(0, "/v3/lease/revoke", ("{\"ID\":\"" + lease + "\"}").c_str());
  }
  ASSERT_EQ(waiting(), 1u);
  kill(first.pid(), SIGTERM);
  ASSERT_EQ(first.wait(10), 128 + SIGTERM);
  ASSERT_TRUE(eventually(10, [&] { return waiting() == 1; }));
  end("holder");
  ASSERT_TRUE(says("holder\nsecond\n", 10)) << contents(file("log"));
  end("second");
  EXPECT_EQ(second.wait(30), 0);
}

// A caller that does not wait has no second to watch for; but whose lease is not renewed is dead.
TEST_F(Turns, ANewcomerIsAdmittedBesideTheDead) {
  Job holder = caller("holder", "");
  ASSERT_TRUE(says("holder\n", 30));
  Job first = waiter("first", 0);
  first.signal_group(SIGKILL);
  ASSERT_TRUE(first.wait(10).has_value());
  const double killed = seconds_now();
  end("holder");
  ASSERT_EQ(holder.wait(10), 0);
  const std::string once =
      atmost_program() + " run --no-history -q --store " + cluster_.url("/t") + " lock -- true";
  EXPECT_TRUE(eventually(20, [&] { return shell(once).code == 0; }));
  std::printf("a newcomer was admitted after %.2f s\n", seconds_now() - killed);
}

}  // namespace
}  // namespace etcd_kit
