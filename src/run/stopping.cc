// The supervisor's actions: how the table's steps stop the command and everything below us.
#include <signal.h>

#include "os/clock.h"
#include "supervisor.h"

namespace atmost::run {
namespace {

// Between two attempts to kill: short at first, so that a tree of a few processes is gone within
// milliseconds.
constexpr std::int64_t kFirstKillPauseNs = 2'000'000;
// Up to this pause, each attempt is several sweeps.
constexpr std::int64_t kPauseOfSeveralNs = 32'000'000;
constexpr std::int64_t kLongestKillPauseNs = 500'000'000;
// Enough to reap the dead of one sweep before the next.
constexpr int kReapedBetweenSweeps = 4 * os::kDeadInASweep;

}  // namespace

void Supervisor::on(Event event) {
  const Step taken = step(stage_, event);
  const bool anew = taken.next != stage_;
  stage_ = taken.next;
  act(taken.action, anew);
}

void Supervisor::act(Action action, bool anew) {
  if (action == Action::none) return;
  switch (action) {
    case Action::none:
      break;
    case Action::interrupt:
      wake_monitor();
      observer_.stopping(SIGINT, report_.stopped);
      if (tree_signalled_ns_ == 0) signal_tree(SIGINT);
      break;
    case Action::terminate:
      observer_.stopping(SIGTERM, report_.stopped);
      signal_tree(SIGTERM);
      break;
    case Action::kill_others:
      observer_.stopping(SIGKILL, report_.stopped);
      [[fallthrough]];
    case Action::kill_all:
      if (!anew) break;  // processes that cannot be killed are not tried for ever
      kill_pause_ns_ = kFirstKillPauseNs;
      kill_again_ns_ = 0;
      break;
  }
  const bool last = action == Action::kill_all && task_.kill_grace.ns < os::kShortestKillNs;
  deadline_ns_ = plus(os::boot_ns(), last ? Duration{os::kShortestKillNs} : task_.kill_grace);
}

void Supervisor::signal_tree(int signal) {
  os::sweep(tree_, os::Members::stopped, SIGCONT);
  os::sweep(tree_, os::Members::all, signal);
}

void Supervisor::kill_again() {
  if (stage_ == Stage::killing) {
    const os::Sweep others = os::freeze_and_kill(tree_, os::Members::others, [this] {
      read_child_status(kReapedBetweenSweeps);
      return stage_ == Stage::killing;
    });
    if (others.nobody_left() || others.beyond_reach()) on(Event::others_gone);
  }
  if (stage_ == Stage::finishing) {
    // A process may fork and end faster than we look. The proof is that no child is left, not that
    // none was seen.
    os::Sweep all;
    int looks = kill_pause_ns_ <= kPauseOfSeveralNs ? os::kFreezeSweeps : 1;
    for (; stage_ == Stage::finishing && looks > 0; --looks) {
      all = os::sweep(tree_, os::Members::all, SIGKILL);
      read_child_status(kReapedBetweenSweeps);
    }
    // If the hold goes on only for its taker, processes that we may not signal (another user's) do
    // not keep it.
    if (tree_.main == 0 && !task_.own_tree && all.beyond_reach()) on(Event::time_up_free);
  }
  kill_again_ns_ = plus(os::boot_ns(), {kill_pause_ns_});
  kill_pause_ns_ =
      2 * kill_pause_ns_ < kLongestKillPauseNs ? 2 * kill_pause_ns_ : kLongestKillPauseNs;
}

}  // namespace atmost::run
