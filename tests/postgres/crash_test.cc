// The answers to callers are still true when all processes of the server are killed.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "fleet/job.h"
#include "kit/cluster.h"
#include "process/temp_dir.h"

namespace postgres_kit {
namespace {

using namespace fleet_kit;

constexpr int kRounds = 5;
// By itself the server writes late.
constexpr const char* kLate = "wal_writer_delay = 10s\nwal_writer_flush_after = 1GB";

TEST(Crash, AnAdmissionIsThereWhenTheCommandStarts) {
  const witness::TempDir directory;
  Cluster cluster(kLate);
  const std::string end = directory.file("end"), up = directory.file("up");
  ASSERT_EQ(mkfifo(end.c_str(), 0600), 0);
  for (int i = 0; i < kRounds; ++i) {
    std::filesystem::remove(up);
    Job holder(run_line(cluster.url(), {"-w", "inf"}, "echo up >" + up + "; read x <" + end));
    ASSERT_TRUE(eventually(30, [&] { return contents(up) == "up\n"; }));
    cluster.crash();
    cluster.start();
    EXPECT_EQ(Session(cluster.url()).one("SELECT count(*) FROM atmost.holder"), "1") << i;
    std::ofstream(end) << "\n";
    EXPECT_EQ(holder.wait(60), 0) << i;
  }
}

TEST(Crash, AReleaseIsThereWhenTheCallerHasEnded) {
  Cluster cluster(kLate);
  for (int i = 0; i < kRounds; ++i) {
    ASSERT_EQ(Job(run_line(cluster.url(), {"-w", "inf"}, "true")).wait(30), 0);
    const std::string last = "SELECT last_success FROM atmost.lock";
    const std::string before = Session(cluster.url()).one(last);
    cluster.crash();
    cluster.start();
    Session session(cluster.url());
    EXPECT_EQ(session.one("SELECT count(*) FROM atmost.holder"), "0") << i;
    EXPECT_EQ(session.one(last), before) << i;
  }
}

}  // namespace
}  // namespace postgres_kit
