// One connection dies without a word, as behind a firewall that has forgotten it, while new ones
// can be made; and a whole host vanishes. Each host is a network namespace; needs root.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "fleet/job.h"
#include "fleet/network.h"
#include "kit/cluster.h"
#include "process/temp_dir.h"

namespace postgres_kit {
namespace {

using fleet_kit::Argv;
using fleet_kit::contents;
using fleet_kit::eventually;
using fleet_kit::Job;
using fleet_kit::seconds_now;

constexpr unsigned kServer = 0;
constexpr unsigned kClients = 1;
constexpr unsigned kOthers = 2;

class Silence : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    network_ = std::make_unique<fleet_kit::Network>(3);
    cluster_ = std::make_unique<Cluster>(
        "", Ground{network_->address(kServer), [] { network_->entrance(kServer)(); }});
  }
  static void TearDownTestSuite() {
    cluster_.reset();
    network_.reset();
  }
  Silence() : lock_("silent" + std::to_string(++tests_)), session_(cluster_->url()) {
    setenv("ATMOST_DIR", directory_.path().c_str(), 1);
  }

  std::string file(const std::string& name) const { return directory_.file(name); }
  void touch(const std::string& name) const { fclose(fopen(file(name).c_str(), "w")); }
  // Its output is in the file NAME.
  Job start(unsigned host, const std::string& name, const Argv& options,
            const std::string& script) const {
    Argv argv = {fleet_kit::atmost_program(), "run",  "--store",
                 cluster_->remote_url(),      "--id", name};
    argv.insert(argv.end(), options.begin(), options.end());
    for (const std::string& word : {lock_, std::string("--"), std::string("/bin/sh"),
                                    std::string("-c"), "exec 2>&1 >>" + file(name) + "; " + script})
      argv.push_back(word);
    return Job(argv, network_->entrance(host));
  }
  std::string stay() const {
    return "echo x; while [ ! -e " + file("go") + " ]; do sleep 0.05; done";
  }
  bool started(const std::string& name) const {
    return eventually(10, [&] { return contents(file(name)) == "x\n"; });
  }
  bool waiting(int count) {
    return eventually(10, [&] { return tickets().size() == static_cast<std::size_t>(count); });
  }
  std::vector<std::string> tickets() {
    return session_.ask("SELECT ticket FROM atmost.waiter WHERE lock = '" + lock_ +
                        ".lock' ORDER BY 1");
  }
  // The ports of all connections of one host, the youngest last.
  std::vector<unsigned> ports(unsigned host) {
    std::vector<unsigned> ports;
    for (const std::string& port :
         session_.ask("SELECT client_port FROM pg_stat_activity WHERE client_addr = '" +
                      network_->address(host) + "' ORDER BY backend_start"))
      ports.push_back(static_cast<unsigned>(std::stoul(port)));
    return ports;
  }

  static std::unique_ptr<fleet_kit::Network> network_;
  static std::unique_ptr<Cluster> cluster_;
  static int tests_;
  witness::TempDir directory_;
  std::string lock_;
  Session session_;
};
std::unique_ptr<fleet_kit::Network> Silence::network_;
std::unique_ptr<Cluster> Silence::cluster_;
int Silence::tests_ = 0;

TEST_F(Silence, AWaiterWhoseConnectionDiesMakesAnotherAndKeepsItsPlace) {
  Job holder = start(kOthers, "holder", {}, stay());
  ASSERT_TRUE(started("holder"));
  Job first = start(kClients, "first", {"-w", "inf"}, "echo x; echo first >>" + file("order"));
  ASSERT_TRUE(waiting(1));
  Job second = start(kOthers, "second", {"-w", "inf"}, "echo x; echo second >>" + file("order"));
  ASSERT_TRUE(waiting(2));
  const std::vector<std::string> before = tickets();
  const std::vector<unsigned> old = ports(kClients);
  ASSERT_EQ(old.size(), 1u);
  network_->cut_connection(kClients, old[0], kServer);
  // Another connection, and the first end of what the old one had left behind.
  EXPECT_TRUE(eventually(20, [&] {
    const std::vector<unsigned> now = ports(kClients);
    return !now.empty() && now.back() != old[0];
  }));
  EXPECT_EQ(first.wait(2), std::nullopt);
  EXPECT_EQ(tickets(), before);
  // Its old session goes, too, and the place is still its own.
  EXPECT_TRUE(eventually(40, [&] {
    const std::vector<unsigned> now = ports(kClients);
    return now.size() == 1 && now[0] != old[0];
  }));
  touch("go");
  EXPECT_EQ(holder.wait(30), 0);
  EXPECT_EQ(first.wait(30), 0);
  EXPECT_EQ(second.wait(30), 0);
  EXPECT_EQ(contents(file("order")), "first\nsecond\n");
}

TEST_F(Silence, AWaiterWhoseHostVanishesIsOvertaken) {
  Job holder = start(kOthers, "holder", {}, stay());
  ASSERT_TRUE(started("holder"));
  Job first = start(kClients, "first", {"-w", "inf", "--ttl", "60s"}, "true");
  ASSERT_TRUE(waiting(1));
  Job second = start(kOthers, "second", {"-w", "inf"}, "true");
  ASSERT_TRUE(waiting(2));
  network_->cut(kClients, kServer);
  network_->cut(kServer, kClients);
  const double freed = seconds_now();
  touch("go");
  EXPECT_EQ(holder.wait(30), 0);
  EXPECT_EQ(second.wait(60), 0);
  EXPECT_LT(seconds_now() - freed, fleet_kit::within(3.5));
  EXPECT_EQ(first.wait(30), 69);
  network_->mend(kClients, kServer);
  network_->mend(kServer, kClients);
}

}  // namespace
}  // namespace postgres_kit
