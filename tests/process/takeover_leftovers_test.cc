// Processes that the main process of an overdue holder leaves behind: each goes with it where
// atmost supervises, and is named where it does not.
#include <unistd.h>

#include "takeover_kit.h"

namespace witness {
namespace {

class TakeoverLeftovers : public Takeover {
 protected:
  // A command that ends at the first signal, and whose child stays and notes signals.
  Argv leaves_a_child() const {
    return {helper("run_child"), mark("main"), "fork=1", hear("heard"), mark("child"), "pause"};
  }

  void expect_named(const Answer& taken, pid_t pid) {
    EXPECT_EQ(taken.end, "exit 0") << taken.errors;
    EXPECT_NE(taken.errors.find("not all that it had started: process " + std::to_string(pid) +
                                " (run_child)\n"),
              std::string::npos)
        << taken.errors;
    EXPECT_TRUE(alive(pid));
  }
};

// The commonest job that hangs: one that waits for its child. All of it ends before the new one
// starts.
TEST_F(TakeoverLeftovers, OfASupervisedTreeNothingIsLeft) {
  for (const char* until : {"--until=main", "--until=tree"}) {
    world_.start(join(run({until}), leaves_a_child()));
    const std::vector<pid_t> child = marked("child");
    const std::vector<pid_t> parent = marked("main");
    const Argv look = {"/bin/sh", "-c",
                       "kill -0 " + std::to_string(child[0]) + " 2>/dev/null && echo both"};
    const Answer taken = ask(
        join(run({"--expire-after", "0", "--kill-grace", std::to_string(kGraceMs) + "ms"}), look),
        kLong);
    EXPECT_EQ(taken.output, "");
    EXPECT_TRUE(is_the_one_line(taken.errors, "it ended by SIGKILL")) << taken.errors;
    EXPECT_TRUE(gone(parent) && gone(child));
    EXPECT_EQ(heard("heard"), "02 15");  // after every signal, and by KILL in the end
    world_.kill_all();
    for (const char* name : {"heard", "child", "main"}) unlink(file(name).c_str());
  }
}

// A shell that does not end by INT as long as its child runs: the child gets it as well, and one
// signal is enough.
TEST_F(TakeoverLeftovers, TheFirstSignalReachesTheWholeTree) {
  const std::string script = "trap : INT; \"$0\" \"$@\"; exit 5";
  const pid_t owner = world_.start(join(run({}), {"/bin/sh", "-c", script, helper("run_child"),
                                                  "default=2", mark("child"), "pause"}));
  const std::vector<pid_t> child = marked("child");
  const Answer taken = take({"--expire-after", "0", "--kill-grace", "1m"});
  EXPECT_EQ(taken.end, "exit 0") << taken.errors;
  EXPECT_TRUE(gone(child));
  EXPECT_EQ(words(world_.wait(owner, kLong).value_or(-1)), "exit 79");
  EXPECT_EQ(events("\"exit\":5,\"stopped\":\"taken_over\""), 1u) << history();
  EXPECT_EQ(events("\"signal\":\"INT\",\"worked\":true"), 1u) << history();
  EXPECT_EQ(events("\"event\":\"lost\""), 1u)
      << history();  // though it ended by itself, it got a signal to end
}

// A signal to a run that is not taken over is passed to the command alone, as always.
TEST_F(TakeoverLeftovers, WithoutATakerTheChildIsLetBe) {
  const pid_t owner = world_.start(join(run({}), leaves_a_child()));
  const std::vector<pid_t> child = marked("child");
  marked("main");
  ASSERT_TRUE(world_.signal_descendant(owner, SIGINT));
  EXPECT_TRUE(world_.wait(owner, kLong).has_value());
  EXPECT_TRUE(alive(child[0]));
  EXPECT_EQ(lines("heard").size(), 0u);
}

// The taker is killed after it has ended the main process: the supervisor finishes its work.
TEST_F(TakeoverLeftovers, ATakerThatIsKilledLeavesNothingHalfDone) {
  world_.start(join(run({"--kill-grace", "1"}), leaves_a_child()));
  const std::vector<pid_t> child = marked("child");
  const std::vector<pid_t> parent = marked("main");
  const pid_t taker =
      world_.start(join(run({"--expire-after", "0", "--kill-grace", "1h"}), {"/bin/true"}));
  ASSERT_TRUE(eventually(kLong, [&] { return gone(parent); }));
  ASSERT_TRUE(world_.signal_descendant(taker, SIGKILL, true));
  EXPECT_TRUE(eventually(kLong, [&] { return gone(child); }));
  EXPECT_TRUE(eventually(kLong, [&] { return !probe_.slot_held(1); }));
}

TEST_F(TakeoverLeftovers, OfAForeignHolderTheyAreNamed) {
  world_.start(join(stranger(1), leaves_a_child()));
  const std::vector<pid_t> child = marked("child");
  marked("main");
  expect_named(take(), child[0]);
  EXPECT_EQ(lines("heard").size(), 0u);
}

// It is recognized by the environment that it was started with, if nothing else is left.
TEST_F(TakeoverLeftovers, OfACommandThatRanAloneTheyAreNamed) {
  world_.start(child(run({"--exec"}), {"daemon", "close", hear("heard"), mark("daemon"), "pause",
                                       "then", mark("main"), "pause"}));
  const std::vector<pid_t> daemon = marked("daemon");
  marked("main");
  expect_named(take(), daemon[0]);
  const Answer again = take();  // it has nothing to do with the next one
  EXPECT_EQ(again.end + again.errors, "exit 0");
}

}  // namespace
}  // namespace witness
