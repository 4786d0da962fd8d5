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
  stage_ = taken.next;
  switch (taken.action) {
    case Action::none:
      return;
    case Action::interrupt:
      if (monitored_) wake_monitor();
      observer_.stopping(SIGINT, report_.stopped);
      if (tree_signalled_ns_ == 0) signal_tree(SIGINT);
      break;
    case Action::terminate:
      observer_.stopping(SIGTERM, report_.stopped);
      signal_tree(SIGTERM);
      break;
    case Action::kill:
      observer_.stopping(SIGKILL, report_.stopped);
      kill_pause_ns_ = kFirstKillPauseNs;
      kill_again_ns_ = 0;
      deadline_ns_ = plus(os::boot_ns(), {os::kShortestKillNs});
      return;
    case Action::name_rest:
      observer_.left(rest_.reached, rest_.refused != 0);
      return;
  }
  deadline_ns_ = plus(os::boot_ns(), task_.kill_grace);
}

// While the command is being stopped, processes that the main process leaves behind keep the hold:
// a process that cannot be signalled is not gone.
void Supervisor::end_of_main() {
  // If we had other children before, we cannot recognise the command's orphans.
  const bool just_asked =
      tree_signalled_ns_ != 0 && os::boot_ns() <= plus(tree_signalled_ns_, task_.kill_grace);
  const bool stop_rest =
      !tree_.mixed && (hold_lost_ || stopping(stage_) || observer_.rest_is_lost(report_.status) ||
                       (told_ && (just_asked || observer_.taken(0))));
  const bool hold_over = !task_.own_tree && !stop_rest;
  observer_.main_ended(report_.status, hold_over);
  on(hold_over ? Event::hold_ended : Event::main_ended);
  if (stop_rest && stage_ == Stage::draining) on(Event::stop);
}

void Supervisor::signal_tree(int signal) {
  note(SIGCONT, os::sweep(tree_, os::Members::stopped, SIGCONT));
  note(signal, os::sweep(tree_, os::Members::all, signal));
}

void Supervisor::note(int signal, const os::Sweep& sent) {
  if (sent.sent > 0 && !report_.reached) observer_.reached();
  report_.reached = report_.reached || sent.sent > 0;
  if (sent.refused != 0 && signal != refused_) observer_.refused(signal, sent.refused);
  if (sent.refused != 0) refused_ = signal;
}

// A process may fork and end faster than we look. The proof is that no child is left, not that none
// was seen.
void Supervisor::kill_again() {
  int sweeps = kill_pause_ns_ <= kPauseOfSeveralNs ? os::kSweepsAtOnce : 1;
  for (; stage_ == Stage::killing && sweeps > 0; --sweeps) {
    rest_ = os::sweep(tree_, os::Members::all, SIGKILL);
    note(SIGKILL, rest_);
    read_child_status(kReapedBetweenSweeps);
  }
  kill_again_ns_ = plus(os::boot_ns(), {kill_pause_ns_});
  kill_pause_ns_ =
      2 * kill_pause_ns_ < kLongestKillPauseNs ? 2 * kill_pause_ns_ : kLongestKillPauseNs;
}

}  // namespace atmost::run
