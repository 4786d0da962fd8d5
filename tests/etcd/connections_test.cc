// The cost of callers for the members: connections, and requests.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "etcd/kit/cluster.h"
#include "etcd/kit/relay.h"
#include "fleet/job.h"
#include "process/temp_dir.h"

namespace etcd_kit {
namespace {

using namespace fleet_kit;

class Connections : public ::testing::Test {
 protected:
  std::string file(const std::string& name) const { return directory_.file(name); }

  // Holds until end(); notes that it was started.
  std::string holding() const {
    return "echo up >>" + file("started") + "; read x <" + file("end") + "; true";
  }
  void SetUp() override { ASSERT_EQ(mkfifo(file("end").c_str(), 0600), 0); }
  void end() const { std::ofstream(file("end")) << ""; }

  std::size_t started() const {
    const std::string all = contents(file("started"));
    return static_cast<std::size_t>(std::count(all.begin(), all.end(), '\n'));
  }

  witness::TempDir directory_;
};

// The connections that the kernel shows.
std::size_t sockets_of(pid_t pid) {
  std::size_t count = 0;
  for (const auto& each :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(each, gone).string().starts_with("socket:")) ++count;
  }
  return count;
}

TEST_F(Connections, AHolderAndAWaiterHaveOneEach) {
  constexpr std::size_t kEach = 12;
  Cluster cluster(1);
  const auto stays_at_most = [&](std::size_t most) {
    // A renewal of a waiter has a connection of its own, for a moment.
    for (int looks = 0; looks < 20; ++looks) {
      if (!eventually(3, [&] { return sockets_of(cluster.pid(0)) <= most; })) return false;
      usleep(50'000);
    }
    return true;
  };
  const std::size_t before = sockets_of(cluster.pid(0));
  std::vector<Job> all;
  for (std::size_t i = 0; i < kEach; ++i)
    all.emplace_back(run_line(cluster.url("/t"), {"-n", std::to_string(kEach)}, holding()));
  ASSERT_TRUE(eventually(60, [&] { return started() == kEach; }));
  EXPECT_TRUE(stays_at_most(before + kEach))
      << sockets_of(cluster.pid(0)) << " sockets, " << before << " before";
  for (std::size_t i = 0; i < kEach; ++i)
    all.emplace_back(
        run_line(cluster.url("/t"), {"-n", std::to_string(kEach), "-w", "inf"}, "true"));
  ASSERT_TRUE(eventually(60, [&] { return cluster.waiting("/t/lock") == kEach; }));
  EXPECT_TRUE(stays_at_most(before + 2 * kEach))
      << sockets_of(cluster.pid(0)) << " sockets, " << before << " before";
  end();
  for (Job& each : all) EXPECT_EQ(each.wait(60), 0);
}

// Members with room for 150 connections each (etcd keeps 150 descriptors for itself): every started
// caller goes on.
TEST_F(Connections, NobodyIsStoppedForWantOfThem) {
  constexpr std::size_t kFirst = 100, kMore = 80;
  Ground ground;
  ground.enter = [](unsigned) {
    const rlimit few = {300, 300};
    setrlimit(RLIMIT_NOFILE, &few);
  };
  Cluster cluster(3, {}, {}, ground);
  std::vector<Job> all;
  const auto holder = [&] {
    return Job(run_line(cluster.url("/t"), {"-n", "200", "--ttl", "15s"}, holding()));
  };
  for (std::size_t i = 0; i < kFirst; ++i) all.push_back(holder());
  ASSERT_TRUE(eventually(120, [&] { return started() == kFirst; })) << started();
  for (std::size_t i = 0; i < kMore; ++i) all.push_back(holder());
  const auto ended = [&] {
    return std::count_if(all.begin(), all.end(),
                         [](Job& each) { return each.wait(0).has_value(); });
  };
  const auto settled = [&] {
    return started() + static_cast<std::size_t>(ended()) >= kFirst + kMore;
  };
  ASSERT_TRUE(eventually(120, settled)) << started() << " were started, " << ended() << " ended";
  // Every lease would end in that time.
  std::this_thread::sleep_for(std::chrono::seconds(16));
  const std::size_t running = started();
  std::size_t went_on = 0;
  end();
  for (Job& each : all) {
    const std::optional<int> code = each.wait(60);
    EXPECT_TRUE(code == 0 || code == 69) << code.value_or(-1);
    went_on += code == 0 ? 1 : 0;
  }
  EXPECT_EQ(went_on, running);
  EXPECT_GE(running, kFirst);
  std::printf("%zu of %zu were admitted\n", running, kFirst + kMore);
}

// Requests of one kind, as a relay saw them.
int asked(Relay& relay, const char* path) {
  return relay.seen("POST /v3/" + std::string(path) + " ");
}

// A new request has to be named here.
TEST_F(Connections, ARunOfAFreeLockAsksFiveTimes) {
  Cluster cluster(1);
  // The first admission of all makes a lease that all later ones share.
  ASSERT_EQ(Job(run_line(cluster.url("/t"), {"-w", "inf"}, "true")).wait(30), 0);
  Relay relay(cluster.host(0));
  const std::string url = "etcd://" + relay.host() + "/t";
  Job job(run_line(url, {"-w", "inf"}, holding()));
  ASSERT_TRUE(eventually(30, [&] { return started() == 1; }));
  EXPECT_EQ(relay.seen("POST "), 4) << "before its command";
  EXPECT_EQ(asked(relay, "lease/grant"), 1);
  EXPECT_EQ(asked(relay, "kv/txn"), 2) << "it looks, and takes the slot";
  EXPECT_EQ(asked(relay, "lease/keepalive"), 1) << "no command starts unless that succeeds";
  end();
  EXPECT_EQ(job.wait(30), 0);
  EXPECT_EQ(relay.seen("POST "), 5);
  EXPECT_EQ(asked(relay, "kv/txn"), 3) << "the slot is given back";
  EXPECT_EQ(asked(relay, "lease/revoke"), 0)
      << "nothing lies under its lease, which ends by itself";
  EXPECT_EQ(relay.connections(), 1);
}

TEST_F(Connections, AWaiterIsStoppedByEverything) {
  Cluster cluster(1);
  const std::string url = cluster.url("/t"), two = cluster.url("/two");
  const auto waits = [](const std::string& at) {
    return Job(run_line(at, {"-w", "300ms"}, "true")).wait(30);
  };
  const auto say = [&](const char* word) {
    return Job({atmost_program(), word, "--store", url, "lock"}).wait(30);
  };
  ASSERT_EQ(Job({atmost_program(), "drain", "--create", "--store", url, "lock"}).wait(30), 0);
  EXPECT_EQ(waits(url), 75);
  ASSERT_EQ(say("resume"), 0);
  EXPECT_EQ(waits(url), 0);
  // The second slot of a caller that has another limit.
  ASSERT_EQ(mkfifo(file("first").c_str(), 0600), 0);
  Job first(run_line(two, {"-n", "2"},
                     "echo up >>" + file("started") + "; read x <" + file("first") + "; true"));
  ASSERT_TRUE(eventually(30, [&] { return started() == 1; }));
  Job second(run_line(two, {"-n", "2"}, holding()));
  ASSERT_TRUE(eventually(30, [&] { return started() == 2; }));
  std::ofstream(file("first")) << "";
  ASSERT_EQ(first.wait(30), 0);
  EXPECT_EQ(waits(two), 75);
  end();
  ASSERT_EQ(second.wait(30), 0);
  // A lock with a rate remembers every admission.
  const std::string rated = cluster.url("/rated");
  ASSERT_EQ(Job(run_line(rated, {"--rate", "2/1h"}, "true")).wait(30), 0);
  ASSERT_EQ(Job(run_line(rated, {"-w", "1s"}, "true")).wait(30), 0);
  EXPECT_EQ(Job(run_line(rated, {"--rate", "2/1h"}, "true")).wait(30), 76);
}

TEST_F(Connections, ACallerThatDoesNotWaitLooksFirst) {
  Cluster cluster(1);
  Relay relay(cluster.host(0));
  const std::string url = "etcd://" + relay.host() + "/t";
  Job holder(run_line(cluster.url("/t"), {}, holding()));
  ASSERT_TRUE(eventually(30, [&] { return started() == 1; }));
  EXPECT_EQ(Job(run_line(url, {}, "true")).wait(30), 75);
  EXPECT_EQ(asked(relay, "kv/txn"), 2) << "it looks, and its message names the holder";
  EXPECT_EQ(relay.seen("POST "), 2) << "a refusal writes nothing";
  end();
  EXPECT_EQ(holder.wait(30), 0);
}

TEST_F(Connections, AWaiterDrawsItsPlaceAtOnce) {
  Cluster cluster(1);
  Relay relay(cluster.host(0));
  Job holder(run_line(cluster.url("/t"), {}, holding()));
  ASSERT_TRUE(eventually(30, [&] { return started() == 1; }));
  Job waiter(run_line("etcd://" + relay.host() + "/t", {"-w", "inf"}, "true"));
  ASSERT_TRUE(eventually(30, [&] { return asked(relay, "watch") == 1; }));
  EXPECT_EQ(cluster.waiting("/t/lock"), 1u);
  EXPECT_EQ(asked(relay, "lease/grant"), 1);
  EXPECT_EQ(asked(relay, "kv/txn"), 2) << "it looks, and draws";
  end();
  EXPECT_EQ(holder.wait(30), 0);
  EXPECT_EQ(waiter.wait(30), 0);
}

// When the waiter before it has taken the slot, it knows by its watch that there is no room.
TEST_F(Connections, AWaiterLooksWhenItMayBeNext) {
  Cluster cluster(1);
  Relay relay(cluster.host(0));
  Job holder(run_line(cluster.url("/t"), {}, holding()));
  ASSERT_TRUE(eventually(30, [&] { return started() == 1; }));
  Job first(run_line(cluster.url("/t"), {"-w", "inf"}, holding()));
  ASSERT_TRUE(eventually(30, [&] { return cluster.waiting("/t/lock") == 1; }));
  Job second(run_line("etcd://" + relay.host() + "/t", {"-w", "inf"}, "true"));
  ASSERT_TRUE(eventually(30, [&] { return asked(relay, "watch") == 1; }));
  end();
  ASSERT_TRUE(eventually(30, [&] { return started() == 2; }));
  ASSERT_TRUE(eventually(30, [&] { return holder.wait(0).has_value(); }));
  end();
  EXPECT_EQ(first.wait(30), 0);
  EXPECT_EQ(second.wait(30), 0);
  EXPECT_EQ(asked(relay, "kv/txn"), 5)
      << "it looks, draws its place, looks when the slot is free, takes it and gives it back";
  EXPECT_EQ(asked(relay, "watch"), 1);
}

// Etcd reports changes from before the beginning of a watch a tenth of a second late, which would
// delay each waiter that has moved up.
TEST_F(Connections, AWaiterThatHasMovedUpWatchesFromNowOn) {
  constexpr std::size_t kBefore = 30;
  Cluster cluster(1);
  Relay relay(cluster.host(0));
  Job holder(run_line(cluster.url("/t"), {}, holding()));
  ASSERT_TRUE(eventually(30, [&] { return started() == 1; }));
  std::vector<Job> before;
  for (std::size_t i = 0; i < kBefore; ++i)
    before.emplace_back(run_line(cluster.url("/t"), {"-w", "inf"}, "true"));
  ASSERT_TRUE(eventually(60, [&] { return cluster.waiting("/t/lock") == kBefore; }));
  Job last(run_line("etcd://" + relay.host() + "/t", {"-w", "inf"}, "true"));
  const auto from_the_past = [&] { return relay.seen("start_revision"); };
  ASSERT_TRUE(eventually(30, [&] { return from_the_past() == 2; }))
      << "far behind, it watches its own place and one that is a few before it";
  end();
  EXPECT_EQ(holder.wait(60), 0);
  for (Job& each : before) EXPECT_EQ(each.wait(60), 0);
  EXPECT_EQ(last.wait(60), 0);
  EXPECT_GE(asked(relay, "watch"), 2);
  EXPECT_EQ(from_the_past(), 2);
}

TEST_F(Connections, AParkedWaiterAsksTwelveTimesAMinute) {
  constexpr int kPerMinute = 12;
  constexpr int kSeconds = 30;
  Cluster cluster(1);
  Relay relay(cluster.host(0));
  Job holder(run_line(cluster.url("/t"), {}, holding()));
  ASSERT_TRUE(eventually(30, [&] { return started() == 1; }));
  // A waiter that is the next, and one behind it.
  std::vector<Job> waiters;
  for (std::size_t i = 1; i <= 2; ++i) {
    waiters.emplace_back(run_line("etcd://" + relay.host() + "/t", {"-w", "inf"}, "true"));
    ASSERT_TRUE(eventually(30, [&] { return cluster.waiting("/t/lock") == i; }));
    const int watches = static_cast<int>(i);
    ASSERT_TRUE(eventually(30, [&] { return relay.seen("/v3/watch") == watches; }));
  }
  const int before = relay.seen("POST ");
  std::this_thread::sleep_for(std::chrono::seconds(kSeconds));
  const int asked = relay.seen("POST ") - before;
  EXPECT_LE(asked, 2 * kPerMinute * kSeconds / 60);
  EXPECT_GE(asked, 2) << "their leases are not renewed";
  std::printf("two waiters asked %d times in %d s\n", asked, kSeconds);
  end();
  EXPECT_EQ(holder.wait(30), 0);
  for (Job& each : waiters) EXPECT_EQ(each.wait(30), 0);
}

}  // namespace
}  // namespace etcd_kit
