// A stopped process is continued or killed by somebody, always: a process that stops a command may
// itself be interrupted or killed after every signal that it sends, and nothing is left stopped.
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <cstdlib>
#include <string>

#include "disturbed_end.h"
#include "takeover_kit.h"

namespace witness {
namespace {

// Signal 0 only asks whether there is such a process.
bool sends(const Returned& call) {
  return call.second != 0 && (call.number == SYS_kill || call.number == SYS_pidfd_send_signal ||
                              call.number == SYS_rt_sigqueueinfo || call.number == SYS_tgkill);
}

class StopperEnds : public Takeover {
 protected:
  enum class Holder { supervised, by_exec, orphaned };

  // A holder of the slot with four processes that ignore INT and TERM.
  void hold(Holder how) {
    const Argv exec = how == Holder::by_exec ? Argv{"--exec"} : Argv{};
    const pid_t holder = world_.start(
        child(run(exec), {"ignore=2", "ignore=15", "fork=3", mark("holder"), "pause"}));
    marked("holder", 3);
    if (how != Holder::orphaned) return;
    ASSERT_TRUE(world_.signal_descendant(holder, SIGKILL, true));
  }
  // Nothing of this trial is left for the next one.
  void clear() {
    world_.kill_all();
    unlink(file("holder").c_str());
    ASSERT_TRUE(eventually(kLong, [&] { return !probe_.slot_held(1); }));
  }
  bool nobody_is_stopped() {
    return eventually(Bound(2'000), [&] {
      for (const pid_t pid : world_.descendants()) {
        if (state_of(pid) == 'T') return false;
      }
      return true;
    });
  }
  // Signal `signal` arrives when `stopper` has sent its `number`th signal; false: it sends fewer.
  bool disturb(const Argv& stopper, int number, int signal) {
    int sent = 0;
    const auto enough = [&](const Returned& call) { return sends(call) && ++sent == number; };
    return disturb_end(stopper, {enough, 0, {signal}}, file("output")).arrived;
  }

  // Trials of each kind, from the first signal on, each `step`th one.
  static unsigned trials() {
    const char* const text = getenv("ATMOST_TESTS_TRIES");
    return text != nullptr ? static_cast<unsigned>(atoi(text)) : 9;
  }
  static int step() { return getenv("ATMOST_TESTS_TRIES") != nullptr ? 1 : 3; }

  static constexpr int kSignals[] = {SIGKILL, SIGINT, SIGTERM};
};

TEST_F(StopperEnds, TakersAndKills) {
  const Argv taker =
      join(run({"--no-history", "--kill-grace", "5ms", "--expire-after", "0"}), {"/bin/true"});
  const Argv killer = {under_test("atmost"), "kill", "--kill-grace", "5ms", lock_};
  for (const Holder how : {Holder::supervised, Holder::by_exec, Holder::orphaned}) {
    for (const Argv& stopper : {taker, killer}) {
      int number = 1;
      for (unsigned trial = 0; trial < trials(); ++trial) {
        const int signal = kSignals[trial % 3];
        SCOPED_TRACE(::testing::Message() << "holder " << static_cast<int>(how) << ", signal "
                                          << signal << " after " << number);
        hold(how);
        const bool arrived = disturb(stopper, number, signal);
        ASSERT_TRUE(nobody_is_stopped());
        clear();
        number = arrived ? number + (trial % 3 == 2 ? step() : 0) : 1;
      }
    }
  }
}

TEST_F(StopperEnds, Supervisors) {
  int number = 1;
  for (unsigned trial = 0; trial < 2 * trials(); ++trial) {
    const int signal = kSignals[trial % 3];
    SCOPED_TRACE(::testing::Message() << "signal " << signal << " after " << number);
    const Argv limited = run({"--no-history", "--kill-grace", "5ms", "--max-runtime", "50ms"});
    const bool arrived =
        disturb(child(limited, {"ignore=2", "ignore=15", "fork=3", mark("holder"), "pause"}),
                number, signal);
    ASSERT_TRUE(nobody_is_stopped());
    clear();
    number = arrived ? number + (trial % 3 == 2 ? step() : 0) : 1;
  }
}

// A command that only looks signals no process, in every state of a stop.
TEST_F(StopperEnds, ReadersSignalNobody) {
  const Argv readers[] = {{under_test("atmost"), "list", lock_},
                          {under_test("atmost"), "check", lock_},
                          {under_test("atmost"), "check", "-n", "1", lock_},
                          {under_test("atmost"), "explain", lock_}};
  for (const Holder how : {Holder::supervised, Holder::by_exec, Holder::orphaned}) {
    hold(how);
    const std::vector<pid_t> stopped = marked("holder", 3);
    for (const pid_t pid : stopped) ASSERT_TRUE(world_.signal_descendant(pid, SIGSTOP));
    for (const pid_t pid : stopped) ASSERT_TRUE(becomes(pid, 'T'));
    for (const Argv& reader : readers) {
      int sent = 0;
      const auto count = [&](const Returned& call) {
        sent += sends(call);
        return false;
      };
      disturb_end(reader, {count, 0, {}}, file("output"));
      EXPECT_EQ(sent, 0) << reader[1];
    }
    for (const pid_t pid : stopped) EXPECT_EQ(state_of(pid), 'T');
    clear();
  }
}

}  // namespace
}  // namespace witness
