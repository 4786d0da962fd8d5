#include "cli/report.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "arguments.h"

namespace atmost::cli {
namespace {

Outcome busy(Why why, std::uint32_t held = 0) {
  Outcome outcome;
  outcome.kind = Outcome::Kind::refused;
  outcome.decision.verdict = Verdict::busy;
  outcome.decision.why = why;
  outcome.decision.held = held;
  return outcome;
}

Outcome too_soon(Duration retry_in) {
  Outcome outcome;
  outcome.kind = Outcome::Kind::refused;
  outcome.decision.verdict = Verdict::too_soon;
  outcome.decision.retry_in = retry_in;
  return outcome;
}

Outcome ran(int code, int signal = 0, Stopped stopped = Stopped::no) {
  Outcome outcome;
  outcome.kind = Outcome::Kind::ran;
  outcome.status = {code, signal, false};
  outcome.stopped = stopped;
  return outcome;
}

Outcome failed(Code code, std::string_view message) {
  Outcome outcome;
  outcome.error = error_of(code, 0, message);
  return outcome;
}

class Named : public Line {
 public:
  explicit Named(std::vector<std::string> words, unsigned subcommand = kRun)
      : Line(std::move(words), subcommand) {
    request().locks[0].name = "build";
  }
  std::string words(const Outcome& outcome, std::string_view holders = {}) {
    return std::string(sentence_of(outcome, *it, holders).view());
  }
  std::string json(const Outcome& outcome, std::string_view kind = {}) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    {
      Output to(ends[1]);
      write_outcome(to, outcome, *it, kind);
      to.flush();
    }
    close(ends[1]);
    char text[4096];
    const ssize_t size = read(ends[0], text, sizeof text);
    close(ends[0]);
    return std::string(text, static_cast<std::size_t>(size));
  }
};

TEST(ExitCode, IsTheTableOfTheManual) {
  Line plain({"x"});
  const Invocation& it = *plain.it;
  EXPECT_EQ(exit_code(ran(0), it), 0);
  EXPECT_EQ(exit_code(ran(75), it), 75) << "the command's own";
  EXPECT_EQ(exit_code(ran(255), it), 255);
  EXPECT_EQ(exit_code(ran(0, 15), it), 143);
  EXPECT_EQ(exit_code(ran(0, 15, Stopped::max_runtime), it), 124);
  EXPECT_EQ(exit_code(ran(0, 0, Stopped::max_runtime), it), 124);
  EXPECT_EQ(exit_code(ran(0, 15, Stopped::lost), it), 79);
  EXPECT_EQ(exit_code(ran(0, 15, Stopped::taken_over), it), 79);
  EXPECT_EQ(exit_code(ran(0, 0, Stopped::killed), it), 79);
  for (int why = 1; why <= static_cast<int>(Why::flock); ++why) {
    if (static_cast<Why>(why) == Why::joined) continue;
    EXPECT_EQ(exit_code(busy(static_cast<Why>(why)), it), 75) << why;
  }
  EXPECT_EQ(exit_code(busy(Why::joined), it), 0);
  EXPECT_EQ(exit_code(too_soon({}), it), 76);
  for (Code code : {Code::usage, Code::unavailable, Code::internal, Code::cannot_create, Code::io,
                    Code::not_permitted, Code::not_executable, Code::not_found}) {
    EXPECT_EQ(exit_code(failed(code, "x"), it), static_cast<int>(code));
  }
}

TEST(ExitCode, FollowsTheCallersWishes) {
  Line skip({"--on-busy=skip", "--on-too-soon=skip", "x"});
  EXPECT_EQ(exit_code(busy(Why::no_slot), *skip.it), 0);
  EXPECT_EQ(exit_code(too_soon({}), *skip.it), 0);
  EXPECT_EQ(exit_code(failed(Code::io, "x"), *skip.it), 74) << "skip is for refusals";
  Line other({"--busy-exit-code=1", "x"});
  EXPECT_EQ(exit_code(busy(Why::drained), *other.it), 1);
  EXPECT_EQ(exit_code(too_soon({}), *other.it), 76);
  EXPECT_EQ(exit_code(failed(Code::busy, "x"), *other.it), 1);
  EXPECT_EQ(exit_code(ran(75), *other.it), 75);
}

TEST(Words, SayWhyItWasRefused) {
  Named line({"-n4", "-k2", "x"});
  EXPECT_EQ(line.words(busy(Why::no_slot, 3), " (by 12 make)"),
            "busy: build: 3 of 4 slots held (by 12 make), 2 wanted");
  EXPECT_EQ(line.words(busy(Why::no_slot, 9)), "busy: build: 9 slots held, 4 allowed, 2 wanted");
  EXPECT_EQ(line.words(busy(Why::no_slot, 4 + kCountedAbove)),
            "busy: build: at least 20 slots held, 4 allowed, 2 wanted");
  Named alone({"--exclusive", "x"});
  EXPECT_EQ(alone.words(busy(Why::no_slot, 3), " (by 12 make)"),
            "busy: build: 3 slots held (by 12 make), and --exclusive needs all of them free");
  Outcome writer = busy(Why::no_slot, 1);
  writer.decision.writer_inside = true;
  EXPECT_EQ(line.words(writer, " (by 12 make)"), "busy: build: held exclusively (by 12 make)");
  Named one({"x"});
  Outcome waited = busy(Why::no_slot, 1);
  waited.waited = Duration::millis(5500);
  EXPECT_EQ(one.words(waited), "busy: build: 1 of 1 slots held; waited 5s");
  Outcome guard = busy(Why::guard);
  guard.decision.culprit = 77;
  EXPECT_EQ(
      one.words(guard),
      "busy: build: the lock file's guard is not released by process 77: is that process stopped?");
  EXPECT_EQ(one.words(busy(Why::ancestor)),
            "busy: build: you hold it yourself: this command runs under it already");
  for (int why = 0; why <= static_cast<int>(Why::flock); ++why) {
    EXPECT_GT(one.words(busy(static_cast<Why>(why))).size(), 18u) << why;
  }
}

TEST(Words, NameWhoMayNotBeStopped) {
  Named one({"--expire-after=1h", "x"});
  Outcome immune = busy(Why::immune);
  immune.decision.culprit = 77;
  EXPECT_EQ(
      one.words(immune),
      "busy: build: its holder is overdue, and may not be stopped: process 77 has not agreed to it "
      "(atmost_may_be_killed() of the library)");
}

TEST(Words, SayWhenToComeBack) {
  Named line({"--if-elapsed=1h", "x"});
  EXPECT_EQ(line.words(too_soon({1'000'000'001})),
            "too soon: build: the last run started less than 1h ago: come back in 2s");
  Named once({"--if-elapsed=inf", "--elapsed-from=success", "x"});
  EXPECT_EQ(
      once.words(too_soon(Duration::forever())),
      "too soon: build: the last run succeeded already, and --if-elapsed inf allows one only");
}

TEST(Words, SayWhyTheCommandWasStopped) {
  Named line({"--max-runtime=3s", "x"});
  Outcome outcome = ran(0, 15, Stopped::max_runtime);
  outcome.ran = Duration::millis(3009);
  EXPECT_EQ(line.words(outcome), "build: the command was stopped after 3s, as --max-runtime says");
  outcome.ran = Duration::seconds(5);
  EXPECT_EQ(line.words(outcome),
            "build: the command was stopped after 3s (it ended after 5s), as --max-runtime says");
  outcome.stopped = Stopped::lost;
  EXPECT_EQ(line.words(outcome), "build: the command was stopped after 5s: the lock was lost");
  outcome.stopped = Stopped::taken_over;
  EXPECT_EQ(line.words(outcome), "build: the command was stopped after 5s: taken over");
  outcome.stopped_by = 42;
  EXPECT_EQ(line.words(outcome),
            "build: the command was stopped after 5s: taken over by process 42");
  outcome.stopped = Stopped::killed;
  EXPECT_EQ(line.words(outcome),
            "build: the command was stopped after 5s: killed by atmost kill, process 42");
  EXPECT_EQ(line.words(failed(Code::io, "/x: Input/output error")), "/x: Input/output error");
}

// A number that is not the caller's is never shown as if it were the limit.
TEST(StoppedHolders, HaveTheLimitAndHowLongTheyHeld) {
  LockSpec lock;
  StoppedHolder holder;
  holder.who.pid = 42;
  holder.slot = 1;
  holder.last = SignalStep::interrupt;
  holder.limit = Duration::seconds(1);
  holder.held = Duration::millis(1900);
  EXPECT_EQ(stopped_words(lock, holder).view(),
            "stopped process 42, which had held slot 1 for longer than 1s (--expire-after): it "
            "ended by SIGINT");
  holder.held = Duration::seconds(2);
  EXPECT_EQ(stopped_words(lock, holder).view(),
            "stopped process 42, which had held slot 1 for 2s, longer than 1s (--expire-after): it "
            "ended by SIGINT");
  holder.reason = StopReason::replace;
  EXPECT_EQ(stopped_words(lock, holder).view(),
            "stopped process 42, which had held slot 1 for 2s, as --on-busy=replace says: it ended "
            "by SIGINT");
  holder.noted = true;  // it may run on
  EXPECT_EQ(stopped_words(lock, holder).view(),
            "ended the hold of process 42, which had held slot 1 for 2s, as --on-busy=replace "
            "says: it released the lock when asked to");
  holder.noted = false;
  holder.reason = StopReason::overdue;
  holder.held = Duration::forever();
  EXPECT_EQ(stopped_words(lock, holder).view(),
            "stopped process 42, which had held slot 1 for longer than 1s (--expire-after): it "
            "ended by SIGINT");
}

TEST(Json, HasAllNamesAlways) {
  Named line({"-n4", "x"});
  Outcome outcome = busy(Why::no_slot, 4);
  outcome.decision.retry_in = Duration::millis(1500);
  outcome.waited = Duration::millis(250);
  EXPECT_EQ(line.json(outcome),
            "{\"kind\":\"busy\",\"code\":75,\"lock\":\"build\",\"slot\":null,\"token\":null,"
            "\"waited_s\":0.25,"
            "\"ran_s\":null,\"status\":null,\"signal\":null,\"retry_in_s\":1.5,\"held\":4,"
            "\"reason\":\"no_slot\"}"
            "\n");
  Outcome killed = ran(0, 9);
  killed.slot = 3;
  killed.token = 1700000000000000;
  killed.ran = Duration::seconds(2);
  EXPECT_EQ(
      line.json(killed),
      "{\"kind\":\"ran\",\"code\":137,\"lock\":\"build\",\"slot\":3,\"token\":1700000000000000,"
      "\"waited_s\":0,"
      "\"ran_s\":2,\"status\":null,\"signal\":9,\"retry_in_s\":null,\"held\":null,\"reason\":null}"
      "\n");
  EXPECT_NE(line.json(failed(Code::io, "/\x1b\"x\": bad")).find("\"kind\":\"failed\",\"code\":74"),
            std::string::npos);
  EXPECT_NE(
      line.json(failed(Code::io, "/\x1b\"x\": bad")).find("\"reason\":\"/\\u001b\\\"x\\\": bad\""),
      std::string::npos);
  EXPECT_NE(line.json(too_soon(Duration::forever())).find("\"retry_in_s\":null"),
            std::string::npos);
  EXPECT_NE(line.json(busy(Why::no_slot), "waiting").find("{\"kind\":\"waiting\",\"code\":null"),
            std::string::npos);
  Named question({"-n4", "x"}, kCheck);
  EXPECT_NE(question.json(ran(0)).find("{\"kind\":\"admitted\",\"code\":0"), std::string::npos);
}

}  // namespace
}  // namespace atmost::cli
