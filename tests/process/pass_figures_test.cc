// The figures of "Adaptive Locks For Frequently Scheduled Tasks With Unpredictable Runtimes" (LISA
// '97), as they run. Time is passed in with --now; nothing waits for it to pass.
#include <gmock/gmock.h>

#include "pass_kit.h"

namespace witness {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kMinute = 60;
constexpr double kHour = 3600;
const char* const kSensible = "if_elapsed = '15m'\nexpire_after = '1h30m'\n";
// Never ends by itself.
const char* const kHangs = "exec tail -f /dev/null";

class PassFigures : public PassTest {};

// The schedule comes every hour; IfElapsed lies before it and ExpireAfter behind it.
TEST_F(PassFigures, Figure2OverlappingSchedule) {
  write("f", atom("job",
                  std::string("echo begin $$ >>$LOG; test -e $DIR/well || ") + kHangs +
                      "; echo end >>$LOG",
                  kSensible));
  const pid_t first = start(pass("f", 0));
  ASSERT_TRUE(comes("begin"));
  const pid_t hanging = pid_logged("begin");

  EXPECT_EQ(run(pass("f", 10 * kMinute)), 0);  // spam: too soon
  EXPECT_EQ(run(pass("f", kHour)), 0);         // its turn, but the old one runs and is not overdue
  EXPECT_THAT(words_logged(), ElementsAre("begin"));
  EXPECT_TRUE(alive(hanging));

  write("well", "");
  EXPECT_EQ(run(pass("f", 2 * kHour)), 0);  // overdue: stopped, and its place taken
  EXPECT_FALSE(alive(hanging));
  EXPECT_THAT(words_logged(), ElementsAre("begin", "begin", "end"));
  EXPECT_TRUE(world_.wait(first).has_value());

  EXPECT_EQ(run(pass("f", 2 * kHour + 14 * kMinute)), 0);  // too soon after that one
  EXPECT_THAT(words_logged(), ElementsAre("begin", "begin", "end"));
  EXPECT_EQ(run(pass("f", 3 * kHour)), 0);  // and so on
  EXPECT_THAT(words_logged(), ElementsAre("begin", "begin", "end", "begin", "end"));
  // Both report that, and nothing else.
  EXPECT_THAT(said(), AllOf(HasSubstr("job:it: stopped process "),
                            HasSubstr("its lock was taken over (process ")));
  EXPECT_EQ(said_lines(), 2);
}

// B starts the same pass: two flow through one another, and no third one starts.
TEST_F(PassFigures, Figure4APassThatStartsItself) {
  const std::string again =
      "echo B $$ >>$LOG; echo pass $$ >>$LOG; $PASS --now $NOW $DIR/f; echo endB >>$LOG";
  write("f", atom("a", "echo A >>$LOG", kSensible) + atom("b", again, kSensible) +
                 atom("c", "echo C >>$LOG", kSensible));
  Argv argv = pass("f", 0);
  setenv("NOW", argv[5].c_str(), 1);
  EXPECT_EQ(run(argv), 0) << said();
  // Process 1 runs A and B; process 2, inside B, finds A too soon and B busy, and runs C; process 1
  // finds C too soon.
  EXPECT_THAT(words_logged(), ElementsAre("A", "B", "pass", "C", "endB"));
  EXPECT_THAT(said(), IsEmpty());
}

// The same, counted from outside while C keeps the second one there.
TEST_F(PassFigures, Figure4StartsExactlyTwoProcesses) {
  const std::string stay = "echo C >>$LOG; until test -e $DIR/go; do sleep 0.01; done";
  write("f", atom("a", "echo A >>$LOG", kSensible) +
                 atom("b", "$PASS --now $NOW $DIR/f", kSensible) + atom("c", stay, kSensible));
  Argv argv = pass("f", 0);
  setenv("NOW", argv[5].c_str(), 1);
  const pid_t first = start(argv);
  ASSERT_TRUE(comes("C")) << said();
  unsigned passes = 0;
  for (const pid_t pid : world_.descendants()) passes += name_of(pid) == "atmost-pass" ? 1U : 0U;
  EXPECT_EQ(passes, 2U);
  write("go", "");
  EXPECT_EQ(world_.wait(first), std::optional<int>(0)) << said();
  EXPECT_THAT(words_logged(), ElementsAre("A", "C"));
}

// B hung in an old pass; after its expiry the next pass runs A, stops the old B, and runs B and C.
TEST_F(PassFigures, Figure5AHangingPassIsOvertaken) {
  write("f", atom("a", "echo A >>$LOG", kSensible) +
                 atom("b",
                      std::string("echo B $$ >>$LOG; test -e $DIR/well || ") + kHangs +
                          "; echo endB >>$LOG",
                      kSensible) +
                 atom("c", "echo C >>$LOG", kSensible));
  const pid_t old_pass = start(pass("f", 0));
  ASSERT_TRUE(comes("B"));
  const pid_t old_b = pid_logged("B");
  EXPECT_TRUE(alive(old_pass));

  write("well", "");
  EXPECT_EQ(run(pass("f", 2 * kHour)), 0);
  EXPECT_FALSE(alive(old_b));
  EXPECT_THAT(words_logged(), ElementsAre("A", "B", "A", "B", "endB", "C"));
  const std::optional<int> end = world_.wait(old_pass);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(words(*end),
            "signal 2");  // it was asked to end and went without C, which the new one ran
  // Both report that, and nothing else.
  EXPECT_THAT(said(), AllOf(HasSubstr("b:it: stopped process "),
                            HasSubstr("its lock was taken over (process ")));
  EXPECT_EQ(said_lines(), 2);
}

// Two threads wait for one another: the first makes Y when X is there, the second makes X when Y is
// there.
struct CircularWait : PassFigures {
  static std::string await(const char* what) {
    return std::string("echo wait") + what + " $$ >>$LOG; until test -e $DIR/" + what +
           "; do sleep 0.01; done";
  }
  static std::string create(const char* what) {
    return std::string("touch $DIR/") + what + "; echo made" + what + " >>$LOG";
  }
  bool exists(const char* what) const { return access(dir_.file(what).c_str(), F_OK) == 0; }
};

TEST_F(CircularWait, Figure6AsOneAtomRepeatsTheDeadlock) {
  write("1", atom("thread1", await("X") + "; " + create("Y"), kSensible));
  write("2", atom("thread2", await("Y") + "; " + create("X"), kSensible));
  start(pass("1", 0));
  start(pass("2", 0));
  ASSERT_TRUE(comes("waitX") && comes("waitY"));
  for (int round = 1; round <= 2; ++round) {
    const pid_t old_x = pid_logged("waitX", round);
    const pid_t old_y = pid_logged("waitY", round);
    start(pass("1", round * 2 * kHour));
    start(pass("2", round * 2 * kHour));
    ASSERT_TRUE(eventually(Bound(20'000), [&] {
      return pid_logged("waitX", round + 1) != 0 && pid_logged("waitY", round + 1) != 0;
    }));
    EXPECT_FALSE(alive(old_x) || alive(old_y));  // expired, and in the same trap again
    EXPECT_FALSE(exists("X") || exists("Y"));
  }
}

TEST_F(CircularWait, Figure6AsSeparateAtomsGetsOut) {
  // IfElapsed is greater than the hour between passes.
  const char* const locking = "if_elapsed = '90m'\nexpire_after = '3h'\n";
  write("1", atom("waitX", await("X"), locking) + atom("makeY", create("Y"), locking));
  write("2", atom("waitY", await("Y"), locking) + atom("makeX", create("X"), locking));
  const pid_t first = start(pass("1", 0));
  const pid_t second = start(pass("2", 0));
  ASSERT_TRUE(comes("waitX") && comes("waitY"));
  EXPECT_FALSE(exists("X") || exists("Y"));

  // The next pass hops over the waiting, for which it is too soon, and makes what the other waits
  // for.
  EXPECT_EQ(run(pass("1", kHour)), 0);
  EXPECT_TRUE(exists("Y"));
  EXPECT_EQ(world_.wait(second), std::optional<int>(0));
  EXPECT_TRUE(exists("X"));
  EXPECT_EQ(world_.wait(first), std::optional<int>(0));
  EXPECT_THAT(said(), IsEmpty());
}

}  // namespace
}  // namespace witness
