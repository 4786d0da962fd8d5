// The cost of callers for the server: connections, round trips, statements.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "fleet/job.h"
#include "kit/cluster.h"
#include "kit/wire.h"
#include "process/temp_dir.h"

namespace postgres_kit {
namespace {

using namespace fleet_kit;

class Requests : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    cluster_ = new Cluster;
    // The first caller of all makes the tables.
    ASSERT_EQ(Job(run_line(cluster_->url(), {}, "true")).wait(30), 0);
  }
  static void TearDownTestSuite() { delete cluster_; }

  std::string file(const std::string& name) const { return directory_.file(name); }
  std::string url() const { return "postgres://postgres@/postgres?host=" + directory_.path(); }
  // Holds until end(); notes that it was started.
  std::string holding() const { return "echo up >" + file("up") + "; read x <" + file("end"); }
  void SetUp() override { ASSERT_EQ(mkfifo(file("end").c_str(), 0600), 0); }
  bool started() const {
    return eventually(30, [this] { return contents(file("up")) == "up\n"; });
  }
  void end() const { std::ofstream(file("end")) << "\n"; }

  static Cluster* cluster_;
  witness::TempDir directory_;
  Wire wire_{directory_.path(), cluster_->socket()};
};
Cluster* Requests::cluster_ = nullptr;

// A new round trip or statement has to be named here.
TEST_F(Requests, ARunOfAFreeLock) {
  for (const Argv& waits : {Argv(), Argv{"-w", "inf"}}) {
    wire_.spoil(Spoil::nothing, 0);
    Job job(run_line(url(), waits, holding()));
    ASSERT_TRUE(started());
    EXPECT_EQ(wire_.connections(), 1);
    EXPECT_EQ(wire_.batches(), 4) << "settings; connections left; the look; the admission";
    EXPECT_EQ(wire_.statements(), 4 + 1 + 4 + 5);
    end();
    EXPECT_EQ(job.wait(30), 0);
    EXPECT_EQ(wire_.batches(), 6) << "the look at the end; the slot is given back";
    EXPECT_EQ(wire_.connections(), 1);
    std::filesystem::remove(file("up"));
  }
}

TEST_F(Requests, ARefusal) {
  Job holder(run_line(cluster_->url(), {}, holding()));
  ASSERT_TRUE(started());
  EXPECT_EQ(Job(run_line(url(), {}, "true")).wait(30), 75);
  EXPECT_EQ(wire_.connections(), 1);
  EXPECT_EQ(wire_.batches(), 5)
      << "settings; connections left; the look; its end; the holders, for the message";
  end();
  EXPECT_EQ(holder.wait(30), 0);
}

}  // namespace
}  // namespace postgres_kit
