// Intervals end on time, and never early, however often the cluster's leader changes.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <sstream>
#include <thread>

#include "etcd/kit/cluster.h"
#include "fleet/job.h"
#include "process/temp_dir.h"

namespace etcd_kit {
namespace {

using namespace fleet_kit;

constexpr double kInterval = 20;
constexpr double kLate = 2;     // a second between two callers, and one for etcd's whole seconds
constexpr double kRead = 0.02;  // /proc/uptime counts hundredths

// "…" after "NAME":" in an answer.
std::string field(const std::string& answer, const std::string& name) {
  const std::size_t at = answer.find("\"" + name + "\":\"");
  if (at == std::string::npos) return "";
  const std::size_t from = at + name.size() + 4;
  return answer.substr(from, answer.find('"', from) - from);
}

// Makes another member the leader, every three seconds, as long as it lives.
class Unrest {
 public:
  explicit Unrest(const Cluster& cluster) : cluster_(cluster), thread_([this] { go_on(); }) {}
  Unrest(const Unrest&) = delete;
  Unrest& operator=(const Unrest&) = delete;
  ~Unrest() {
    ending_ = true;
    thread_.join();
  }
  int changes() const { return changes_; }

 private:
  void go_on() {
    double next = seconds_now();
    while (!ending_) {
      if (seconds_now() < next) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        continue;
      }
      next += 3;
      const int leader = cluster_.leader();
      if (leader < 0) continue;
      const unsigned other = (static_cast<unsigned>(leader) + 1) % cluster_.count();
      const std::string status = cluster_.fetch(other, "/v3/maintenance/status", "{}");
      const std::string body = "{\"targetID\":\"" + field(status, "member_id") + "\"}";
      cluster_.fetch(static_cast<unsigned>(leader), "/v3/maintenance/transfer-leadership",
                     body.c_str());
      if (cluster_.leader() == static_cast<int>(other)) ++changes_;
    }
  }

  const Cluster& cluster_;
  std::atomic<bool> ending_ = false;
  std::atomic<int> changes_ = 0;
  std::thread thread_;
};

class Intervals : public ::testing::Test {
 protected:
  // When commands were started.
  std::vector<double> starts(const std::string& lock) const {
    std::istringstream all(contents(directory_.file(lock)));
    std::vector<double> moments;
    for (double moment; all >> moment;) moments.push_back(moment);
    return moments;
  }

  // One caller of that machine, with nothing to remember the last one by.
  Said call(const std::string& host, const std::string& lock) const {
    return shell("cd " + directory_.path() + " && exec " ATMOST_AS_HOST " " + host + " " +
                 atmost_program() + " run --no-history -q --if-elapsed " +
                 std::to_string(static_cast<int>(kInterval)) + "s --store " + cluster_.url("/t") +
                 " " + lock + " -- sh -c 'cut -d\" \" -f1 /proc/uptime >>" + directory_.file(lock) +
                 "'");
  }

  // Callers of `later`, one a second, until the second admission or too late.
  void expect_due_in_time(const std::string& first, const std::string& later,
                          const std::string& lock) const {
    ASSERT_EQ(call(first, lock).code, 0);
    ASSERT_EQ(starts(lock).size(), 1u);
    const double begun = starts(lock)[0];
    int refused = 0;
    while (starts(lock).size() < 2 && seconds_now() < begun + kInterval + within(kLate + 4)) {
      const double next = seconds_now() + 1;
      const Said said = call(later, lock);
      EXPECT_TRUE(said.code == 0 || said.code == 76) << said.code << ": " << said.words;
      refused += said.code == 76 ? 1 : 0;
      while (seconds_now() < next) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    const std::vector<double> all = starts(lock);
    ASSERT_EQ(all.size(), 2u) << refused << " callers were refused";
    EXPECT_GE(all[1] - all[0], kInterval - kRead);
    EXPECT_LE(all[1] - all[0], kInterval + within(kLate));
    std::printf("%s: %d refused, then admitted after %.2f s\n", lock.c_str(), refused,
                all[1] - all[0]);
  }

  Cluster cluster_;
  witness::TempDir directory_;
};

TEST_F(Intervals, TheyEndThoughLeadersChangeAllTheTime) {
  Unrest unrest(cluster_);
  std::thread same([this] { expect_due_in_time("one", "one", "same"); });
  std::thread other([this] { expect_due_in_time("one", "two", "other"); });
  same.join();
  other.join();
  EXPECT_GE(unrest.changes(), 4);
}

}  // namespace
}  // namespace etcd_kit
