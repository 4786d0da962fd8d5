// A standby is promoted while the old primary goes on: two servers take writes, and the URL names
// both. Locks of the old one have to end.
#include "server_kit.h"

namespace postgres_kit {
namespace {

class TwoPrimaries : public Server {
 protected:
  TwoPrimaries() : standby_(Cluster::standby_of(primary_)) {}

  static std::string url_of(const Cluster& first, const Cluster& second) {
    return "postgres://postgres@/postgres?host=" + first.directory() + "," + second.directory() +
           "&port=" + std::to_string(first.port()) + "," + std::to_string(second.port());
  }
  std::string old_first() const { return url_of(primary_, *standby_); }
  std::string new_first() const { return url_of(*standby_, primary_); }
  std::string live(const std::string& name) const {
    return "touch " + file(name) + "; while [ ! -e " + file("go") + " ]; do sleep 0.05; done";
  }
  int doctor(const std::string& url) const {
    std::filesystem::remove(file("doctor"));
    return Job({atmost_program(), "doctor", url}, file("doctor")).wait(20).value_or(-1);
  }
  bool doctor_says(const std::string& words) const {
    return contents(file("doctor")).find(words) != std::string::npos;
  }
  // Waits until its lease was renewed so often from now on.
  static bool renews(const Cluster& server, int times) {
    Session session(server.url());
    const auto expires = [&] { return session.one("SELECT max(expires) FROM atmost.holder"); };
    for (int i = 0; i < times; ++i) {
      const std::string before = expires();
      if (!eventually(10, [&] { return expires() > before; })) return false;
    }
    return true;
  }

  Cluster primary_;
  std::unique_ptr<Cluster> standby_;
};

TEST_F(TwoPrimaries, TheOlderOneKeepsNoLocks) {
  Job one(run(kShort, live("one"), old_first()));
  ASSERT_TRUE(eventually(10, [this] { return there("one"); }));
  ASSERT_TRUE(renews(primary_, 2));
  EXPECT_EQ(doctor(old_first()), 0) << contents(file("doctor"));
  EXPECT_TRUE(doctor_says(" is a standby, on timeline 1"));
  standby_->promote();
  EXPECT_EQ(one.wait(30), 79);
  // The later timeline counts.
  Job other(run({"-w", "30s", "--ttl", "3s", "--kill-grace", "100ms"}, live("other"), new_first()));
  ASSERT_TRUE(eventually(30, [this] { return there("other"); }));
  EXPECT_EQ(Job(run(kShort, live("late"), old_first())).wait(30), 79);
  for (const std::string& url : {old_first(), new_first()}) {
    EXPECT_EQ(doctor(url), 69) << contents(file("doctor"));
    EXPECT_TRUE(doctor_says(" takes writes, too")) << contents(file("doctor"));
  }
  EXPECT_TRUE(renews(*standby_, 3));
  EXPECT_EQ(other.wait(0), std::nullopt);
  primary_.stop();
  EXPECT_EQ(doctor(new_first()), 0) << contents(file("doctor"));
  touch("go");
  EXPECT_EQ(other.wait(30), 0);
}

// The new primary itself is not in the URL, but a standby that follows it.
TEST_F(TwoPrimaries, AStandbyKnowsOfALaterTimeline) {
  const std::unique_ptr<Cluster> follower = Cluster::standby_of(*standby_);
  const std::string url = url_of(primary_, *follower);
  Job one(run(kShort, live("one"), url));
  ASSERT_TRUE(eventually(10, [this] { return there("one"); }));
  standby_->promote();
  EXPECT_EQ(one.wait(60), 79);
  EXPECT_EQ(doctor(url), 69);
  EXPECT_TRUE(doctor_says(" follows a later primary")) << contents(file("doctor"));
}

TEST_F(TwoPrimaries, AHostThatIsGoneOrNamedTwiceStopsNobody) {
  Job one(run(kShort, live("one"), old_first()));
  lock_ = "other";
  Job two(run(kShort, live("two"), url_of(primary_, primary_)));
  ASSERT_TRUE(eventually(10, [this] { return there("one") && there("two"); }));
  EXPECT_EQ(doctor(url_of(primary_, primary_)), 0) << contents(file("doctor"));
  standby_->crash();
  EXPECT_TRUE(renews(primary_, 3));
  primary_.stop();
  primary_.start();
  EXPECT_TRUE(renews(primary_, 3));
  touch("go");
  EXPECT_EQ(one.wait(30), 0);
  EXPECT_EQ(two.wait(30), 0);
}

}  // namespace
}  // namespace postgres_kit
