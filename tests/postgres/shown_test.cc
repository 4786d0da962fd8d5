// The view of a lock for people; and rows that say what is no longer so.
#include "server_kit.h"

namespace postgres_kit {
namespace {

class Shown : public Server {
 protected:
  std::string said(const Argv& argv, int code) const {
    std::filesystem::remove(file("out"));
    EXPECT_EQ(Job(argv, file("out")).wait(10), code);
    return contents(file("out"));
  }
  Argv on_lock(const std::string& subcommand, const Argv& options = {}) const {
    Argv argv = {atmost_program(), subcommand, "--store", cluster_->url()};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.push_back(lock_);
    return argv;
  }
};

TEST_F(Shown, DrainedSlotsAreInTheWayAndAreNamed) {
  const auto refusal = [this](const Argv& options) { return said(run(options, "true"), 75); };
  EXPECT_EQ(said(on_lock("drain", {"--create", "--slot", "1"}), 0), "");
  std::string words = refusal({"-n", "1"});
  EXPECT_NE(words.find("1 of 1 slots held or drained"), std::string::npos) << words;
  EXPECT_EQ(said(on_lock("drain", {"--slot", "7"}), 0), "");
  Job one(run({"-n", "3"}, stay()));
  ASSERT_TRUE(started());
  words = refusal({"-n", "3", "-k", "2"});
  EXPECT_NE(words.find("2 of 3 slots held or drained"), std::string::npos) << words;
  // A slot that is held is not counted twice.
  EXPECT_EQ(said(on_lock("drain", {"--slot", "2"}), 0), "");
  words = refusal({"-n", "2"});
  EXPECT_NE(words.find("2 of 2 slots held or drained"), std::string::npos) << words;
  EXPECT_EQ(said(on_lock("resume"), 0), "");
  words = refusal({"-n", "1"});
  EXPECT_NE(words.find("1 of 1 slots held"), std::string::npos) << words;
  EXPECT_EQ(words.find("drained"), std::string::npos) << words;
  touch("go");
  EXPECT_EQ(one.wait(30), 0);
}

TEST_F(Shown, AWaiterThatIsDeadIsNot) {
  Job one(run({}, stay()));
  ASSERT_TRUE(started());
  Job dies(run({"-w", "inf"}, "true"));
  Job lives(run({"-w", "inf"}, "true"));
  const auto waiting = [this] {
    const std::string list = said(on_lock("list"), 0);
    std::size_t count = 0;
    for (std::size_t at = list.find("\twaiting\t"); at != std::string::npos;
         at = list.find("\twaiting\t", at + 1))
      ++count;
    return count;
  };
  ASSERT_TRUE(eventually(10, [&] { return waiting() == 2; }));
  dies.signal_group(SIGKILL);
  EXPECT_EQ(dies.wait(30), 137);
  EXPECT_TRUE(eventually(5, [&] { return waiting() == 1; }));
  touch("go");
  EXPECT_EQ(lives.wait(30), 0);
  EXPECT_EQ(one.wait(30), 0);
}

// A caller that leaves takes them along.
TEST_F(Shown, APlaceThatEndedIsSweptUpWithoutAnotherWaiter) {
  Session session(cluster_->url());
  Job one(run({}, stay()));
  ASSERT_TRUE(started());
  const auto places = [&] {
    return session.one("SELECT count(*) FROM atmost.waiter WHERE lock = '" + lock_ + ".lock'");
  };
  Job dies(run({"-w", "inf"}, "true"));
  ASSERT_TRUE(eventually(10, [&] { return places() == "1"; }));
  dies.signal_group(SIGKILL);
  EXPECT_EQ(dies.wait(30), 137);
  session.ask(
      "UPDATE atmost.waiter SET expires = clock_timestamp() - interval '31 seconds' WHERE lock = "
      "'" +
      lock_ + ".lock'");
  touch("go");
  EXPECT_EQ(one.wait(30), 0);
  EXPECT_EQ(places(), "0");
}

}  // namespace
}  // namespace postgres_kit
