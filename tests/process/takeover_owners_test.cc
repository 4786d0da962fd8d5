// A slot is taken within the graces, with every kind of holder, way of keeping and handling of
// signals.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <tuple>

#include "takeover_kit.h"

namespace witness {
namespace {

enum class Keeper { supervised, tree, exec, close, foreign, orphaned };
enum class Habit {
  stubborn,
  stopped_command,
  stopped_supervisor,
  both_stopped,
  hundred,
  session,
  daemon,
  closed_daemon
};

constexpr const char* kKeepers[] = {"Supervised",     "Tree",    "Exec",
                                    "ExecUntilClose", "Foreign", "Orphaned"};
constexpr const char* kHabits[] = {"ThatIgnoresSignals",
                                   "WithAStoppedCommand",
                                   "WithAStoppedSupervisor",
                                   "WithBothStopped",
                                   "WithAHundredChildren",
                                   "WithAChildInASessionOfItsOwn",
                                   "WithADaemon",
                                   "WithADaemonThatClosedEverything"};

class TakenFrom : public Takeover, public ::testing::WithParamInterface<std::tuple<Keeper, Habit>> {
 protected:
  Keeper keeper() const { return std::get<0>(GetParam()); }
  Habit habit() const { return std::get<1>(GetParam()); }

  Argv keeping() const {
    switch (keeper()) {
      case Keeper::supervised:
      case Keeper::orphaned:
        return run({});
      case Keeper::tree:
        return run({"--until=tree"});
      case Keeper::exec:
        return run({"--exec"});
      case Keeper::close:
        return run({"--exec", "--until=close"});
      case Keeper::foreign:
        break;
    }
    return stranger(1);
  }
  // Hears INT and TERM, and stays.
  Argv habits() const {
    const Argv stays = {hear("heard"), mark("tree"), "pause"};
    switch (habit()) {
      case Habit::hundred:
        return {hear("heard"), "fork=100", mark("tree"), "pause"};
      case Habit::session:
        return {hear("heard"), "fork=1", "session", mark("tree"), "pause"};
      case Habit::daemon:
        return join(join({"daemon"}, stays), join({"then"}, stays));
      case Habit::closed_daemon:
        return join({"daemon", "close", hear("heard"), mark("tree"), "pause", "then"}, stays);
      default:
        return stays;
    }
  }
  std::size_t processes() const {
    switch (habit()) {
      case Habit::hundred:
        return 100;  // it waits for them itself
      case Habit::daemon:
      case Habit::closed_daemon:
        return 2;
      default:
        return 1;
    }
  }
  // The machine is idle (`make soak`).
  static bool timed() { return getenv("ATMOST_TESTS_TIMED") != nullptr; }
  bool supervised() const { return keeper() == Keeper::supervised || keeper() == Keeper::tree; }
  // Neither a parent nor a descriptor with the lock connects these to the slot any more; the
  // environment does, which the original exectimes does not fill.
  bool has_left() const {
    if (supervised()) return false;
    if (habit() == Habit::closed_daemon) return true;
    return habit() == Habit::daemon && (keeper() == Keeper::close || keeper() == Keeper::foreign);
  }

  void clear_stage() {
    world_.kill_all();
    for (const char* name : {"heard", "tree", "history.jsonl"}) unlink(file(name).c_str());
  }
  // The processes of the tree; the first one is the command's main process unless there is a
  // daemon.
  std::vector<pid_t> set_stage() {
    const pid_t owner = world_.start(child(keeping(), habits()));
    std::vector<pid_t> tree = marked("tree", processes());
    EXPECT_TRUE(probe_.slot_held(1));
    const bool stop_command = habit() == Habit::stopped_command || habit() == Habit::both_stopped;
    const bool stop_owner = habit() == Habit::stopped_supervisor || habit() == Habit::both_stopped;
    if (keeper() == Keeper::orphaned) {
      EXPECT_TRUE(world_.signal_descendant(owner, SIGKILL, true));
    } else if (stop_owner) {
      EXPECT_TRUE(world_.signal_descendant(owner, SIGSTOP) && becomes(owner, 'T'));
    }
    if (stop_command) {
      EXPECT_TRUE(world_.signal_descendant(tree[0], SIGSTOP) && becomes(tree[0], 'T'));
    }
    return tree;
  }
  void expect_taken(const Answer& taken, const std::vector<pid_t>& tree) {
    EXPECT_EQ(taken.end, "exit 0") << taken.errors;
    EXPECT_EQ(events("\"event\":\"expired\""), 1u) << history();
    EXPECT_EQ(events("\"worked\":false"), 2u) << history();
    EXPECT_EQ(events("\"signal\":\"KILL\",\"worked\":true"), 1u) << history();
    expect_gone_or_named(taken, tree);
    if (processes() == 1 && habit() != Habit::session) {
      EXPECT_EQ(heard("heard"), "02 15");
      EXPECT_TRUE(heard_continue("heard"));
    }
  }
  void expect_gone_or_named(const Answer& taken, const std::vector<pid_t>& tree) {
    if (!has_left()) {
      EXPECT_TRUE(eventually(kLong, [&] { return gone(tree); }));
      // On a loaded machine a process that was killed ends later than the taker looks for it.
      const std::size_t late = taken.errors.find("atmost: warning: ");
      const bool named = taken.errors.find("but not all that it had started") > late;
      const std::string lines = named && !timed() ? taken.errors.substr(0, late) : taken.errors;
      EXPECT_TRUE(is_the_one_line(lines, "it ended by SIGKILL")) << taken.errors;
      return;
    }
    EXPECT_EQ(std::count_if(tree.begin(), tree.end(), alive), 1);
    if (keeper() == Keeper::foreign) return;
    const pid_t survivor = *std::find_if(tree.begin(), tree.end(), alive);
    EXPECT_NE(taken.errors.find("process " + std::to_string(survivor) + " (run_child)"),
              std::string::npos)
        << taken.errors;
  }
};

// No process is signalled early, under any load. The time beyond the graces depends on the load,
// and is bounded only on an idle machine.
TEST_P(TakenFrom, WithinTheGraces) {
  constexpr int kBoundMs = 3 * kGraceMs + 200;
  clear_stage();
  const std::vector<pid_t> tree = set_stage();
  if (HasFatalFailure()) return;
  const Answer taken = take();
  const auto took_ms = static_cast<int>(taken.took_ns / 1'000'000);
  std::printf("taken after %d ms; the graces are %d ms\n", took_ms, 3 * kGraceMs);
  expect_taken(taken, tree);
  EXPECT_GE(took_ms, 2 * kGraceMs);
  if (timed()) {
    EXPECT_LE(took_ms, kBoundMs);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, TakenFrom,
    ::testing::Combine(::testing::Values(Keeper::supervised, Keeper::tree, Keeper::exec,
                                         Keeper::close, Keeper::foreign, Keeper::orphaned),
                       ::testing::Values(Habit::stubborn, Habit::stopped_command,
                                         Habit::stopped_supervisor, Habit::both_stopped,
                                         Habit::hundred, Habit::session, Habit::daemon,
                                         Habit::closed_daemon)),
    [](const auto& tested) {
      return std::string(kKeepers[static_cast<int>(std::get<0>(tested.param))]) +
             kHabits[static_cast<int>(std::get<1>(tested.param))];
    });

}  // namespace
}  // namespace witness
