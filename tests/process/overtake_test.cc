// A turn is used or passed: the first waiter is overtaken if it does not take a free slot within a
// second, and keeps its place. overtake_soak.cc has the long run.
#include <signal.h>
#include <unistd.h>

#include "freezer.h"
#include "paused_lanes.h"
#include "traps_stage.h"

namespace witness {
namespace {

constexpr Bound kPatience{60'000};

TEST(PausedAtTheHandover, Stopped) { expect_nobody_fails("stop", 8, 6, kPatience); }
TEST(PausedAtTheHandover, Frozen) { expect_nobody_fails("freeze", 8, 3, kPatience); }

// Paused long before its turn, by SIGSTOP or by a freezer.
class Overtaking : public Stage, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    if (freezes() && !freezer_.works()) GTEST_SKIP() << "no freezer can be had here";
  }
  void TearDown() override {
    wake();
    world_.kill_all();  // or the group cannot be removed
  }

  bool freezes() const { return std::string(GetParam()) == "freeze"; }

  // Not with the guard: then everybody waits for its holder, as documented.
  void pause(const std::vector<Tag>& tags) {
    const Probe probe(lock_);
    ASSERT_TRUE(eventually(kBound, [&] {
      pause_wherever_they_are(tags);
      if (HasFatalFailure() || !probe.first_locked(0, 8)) return true;
      wake();
      return false;
    }));
  }
  void wake() {
    if (freezer_.works()) freezer_.thaw();
    for (Tag tag : stopped_) world_.signal_descendant(pid_of(tag), SIGCONT);
    stopped_.clear();
  }

 private:
  void pause_wherever_they_are(const std::vector<Tag>& tags) {
    for (Tag tag : tags) {
      if (freezes()) {
        ASSERT_TRUE(freezer_.take(pid_of(tag)));
      } else {
        ASSERT_TRUE(world_.signal_descendant(pid_of(tag), SIGSTOP));
        ASSERT_TRUE(eventually(kBound, [&] { return state_of(pid_of(tag)) == 'T'; }));
        stopped_.push_back(tag);
      }
    }
    if (!freezes()) return;
    ASSERT_TRUE(freezer_.freeze());
    ASSERT_TRUE(eventually(kBound, [&] { return freezer_.frozen(); }));
  }

  Freezer freezer_;
  std::vector<Tag> stopped_;
};

const Argv kWait{"-w", "inf"};
const Argv kFiveSeconds{"-w", "5s"};

TEST_P(Overtaking, ByTheOneBehindAndItsPlaceIsKept) {
  const Tag holder = hold(run({}));
  const Tag first = queue(run(kWait));
  const Tag second = queue(run(kFiveSeconds));
  const Tag third = queue(run(kWait));
  pause({first});
  let_go(holder);
  ASSERT_TRUE(comes_inside(second)) << end_of(second);
  wake();
  // First in the queue again, as soon as it runs: it gives its slot to nobody who came later.
  EXPECT_TRUE(stays(Bound(1500), [&] { return !inside(first) && !inside(third); }));
  let_go(second);
  ASSERT_TRUE(comes_inside(first));
  EXPECT_FALSE(inside(third));
  let_go(first);
  EXPECT_TRUE(comes_inside(third));
}

TEST_P(Overtaking, SeveralInARowCostLittleMoreThanOne) {
  const Tag holder = hold(run({}));
  std::vector<Tag> paused;
  for (int i = 0; i < 12; ++i) paused.push_back(queue(run(kWait)));
  const Tag last = queue(run(kFiveSeconds));
  pause(paused);
  let_go(holder);
  EXPECT_TRUE(comes_inside(last)) << end_of(last);
  // Once overtaken, they delay nobody any more.
  const Tag next = queue(run(kWait));
  let_go(last);
  EXPECT_TRUE(comes_inside(next, Bound(5000)));
  let_go(next);
  EXPECT_EQ(end_of(next), "exit 0");
  EXPECT_EQ(try_run({}).end, "exit 0");
}

TEST_P(Overtaking, ByNewcomersThatWillNotWait) {
  const Tag holder = hold(run({}));
  const Tag first = queue(run(kWait));
  pause({first});
  let_go(holder);
  EXPECT_EQ(end_of(holder), "exit 0");
  EXPECT_EQ(try_run({}).end, "exit 75") << "its turn has only begun";
  EXPECT_TRUE(eventually(Bound(5000), [&] { return try_run({}).end == "exit 0"; }));
  EXPECT_EQ(try_run({}).end, "exit 0");
  EXPECT_EQ(ask({under_test("atmost"), "check", "-n", "1", lock_}).end, "exit 0");
  EXPECT_EQ(ask({under_test("atmost"), "wait", "-n", "1", "-w", "5s", lock_}).end, "exit 0");
}

TEST_P(Overtaking, NobodyInTheQueueIsTakenForAHolder) {
  const Tag holder = hold(run({}));
  const Tag first = queue(run(kWait));
  pause({first});
  let_go(holder);
  EXPECT_EQ(end_of(holder), "exit 0");
  EXPECT_EQ(ask({under_test("atmost"), "check", lock_}).output, "0\n");
  EXPECT_EQ(ask({under_test("atmost"), "kill", lock_}).end, "exit 0");
  EXPECT_TRUE(eventually(Bound(5000), [&] {
    return try_run({"--expire-after", "0"}).end == "exit 0";
  }));
  EXPECT_TRUE(alive(pid_of(first)));
}

TEST_P(Overtaking, OfOneThatWantsTwoSlots) {
  const Tag one = hold(run({"-n", "2"}));
  const Tag other = hold(run({"-n", "2"}));
  const Tag first = queue(run({"-n", "2", "-k", "2", "-w", "inf"}));
  const Tag second = queue(run({"-n", "2", "-w", "inf"}));
  const Tag third = queue(run({"-n", "2", "-w", "inf"}));
  pause({first});
  let_go(one);
  // It could not have come in: nobody's turn is over.
  EXPECT_TRUE(stays(Bound(1500), [&] { return !inside(second); }));
  let_go(other);
  EXPECT_TRUE(comes_inside(second));
  EXPECT_TRUE(comes_inside(third));
}

TEST_P(Overtaking, OfAWriterByReadersAndPlainCallers) {
  const Tag holder = hold(run({"--exclusive"}));
  const Tag writer = queue(run({"--exclusive", "-w", "inf"}));
  const Tag reader = queue(run({"--shared", "-w", "5s"}));
  pause({writer});
  let_go(holder);
  EXPECT_TRUE(comes_inside(reader));
  EXPECT_EQ(try_run({"--shared"}).end, "exit 0");
  EXPECT_EQ(try_run({"-n", "2"}).end, "exit 0");
  let_go(reader);
  EXPECT_EQ(end_of(reader), "exit 0");
  EXPECT_EQ(try_run({"--exclusive"}).end, "exit 0");
}

TEST_P(Overtaking, OnOneOfSeveralLocks) {
  const std::string also = directory_.file("also");
  const Tag holder = hold(run({}));
  const Tag first = queue(run({"--also", also, "-w", "inf"}));
  const Tag second = queue(run({"--also", also, "-w", "5s"}));
  pause({first});
  let_go(holder);
  EXPECT_TRUE(comes_inside(second)) << end_of(second);
}

// While it is paused it does not run once more for the others: another caller has to.
TEST_P(Overtaking, OfTheOneThatWouldRunOnceMore) {
  const Argv join{"--on-busy=join"};
  const Tag holder = hold(run({}));
  const Tag first = queue(run(join));
  pause({first});
  let_go(holder);
  EXPECT_EQ(end_of(holder), "exit 0");
  EXPECT_TRUE(eventually(Bound(5000), [&] { return try_run({}).end == "exit 0"; }));
  const Tag busy = hold(run({}));
  const Tag second = queue(run(join));
  EXPECT_EQ(try_run(join).end, "exit 0");
  let_go(busy);
  EXPECT_TRUE(comes_inside(second));
}

INSTANTIATE_TEST_SUITE_P(, Overtaking, ::testing::Values("stop", "freeze"),
                         [](const auto& how) { return std::string(how.param); });

}  // namespace
}  // namespace witness
