#include "supervisor.h"

#include <signal.h>

#include "os/clock.h"
#include "os/process.h"
#include "os/self.h"

namespace atmost::run {
namespace {

using Change = os::ChildNews::Change;

// So many status changes are read before we look at the clock and at signals again.
constexpr int kNewsAtOnce = 64;
// A command that has run this long is likely to run on: from then on we keep as little memory as
// possible.
constexpr std::int64_t kSettledNs = 500'000'000;

}  // namespace

RunReport Supervisor::run() {
  if (start()) {
    watch();
    if (!end_announced_) drop_terminal_signals();
    if (monitored_) wake_monitor();  // it may have been about to stop when we last looked
    if (task_.own_tree) report_.ran = {os::boot_ns() - started_ns_};
    // An end that none of our signals can have caused does not count as a stop.
    if (!report_.reached && report_.stopped != Stopped::lost) report_.stopped = Stopped::no;
  }
  gate_.rest();
  return report_;
}

bool Supervisor::start() {
  monitored_ = task_.monitor != 0;
  tree_.mixed = !task_.childless && os::has_children();
  started_ns_ = os::boot_ns();
  if (!task_.max_runtime.is_zero()) set_deadline(task_.max_runtime);
  check_ns_ = observer_.check(started_ns_);
  gate_.continue_at(next_look());  // the command may stop its whole group, and us with it, as its
                                   // first act
  const os::Started started = os::spawn({.argv = task_.argv,
                                         .envp = task_.envp,
                                         .inherit = task_.inherit,
                                         .inherit_count = task_.inherit_count,
                                         .apart = task_.inherit_apart,
                                         .output = task_.output,
                                         .signal_at_our_death = task_.signal_at_our_death});
  report_.fork_error = started.fork_error;
  report_.exec_error = started.exec_error;
  if (started.pid == 0) return false;
  tree_.main = started.pid;
  if (os::kShedsMemory) settled_ns_ = started_ns_ + kSettledNs;
  if (silence_.wanted()) silence_.begin(started_ns_);
  observer_.started(started_ns_);
  trim_ns_ = observer_.trim_output(started_ns_);
  if (task_.watched_count > 0) gate_.watch(task_.watched, task_.watched_count);
  return true;
}

void Supervisor::watch() {
  if (next_look() != Duration::kForever) on_clock();
  std::int64_t known_ns = started_ns_;
  while (stage_ != Stage::done) {
    const os::Arrival arrival =
        gate_.next(next_look(), more_news_ ? 0 : next_soft_look(), known_ns);
    known_ns = 0;
    if (arrival.signal == SIGCHLD) {
      more_news_ = true;
      end_announced_ = end_announced_ || arrival.sender == tree_.main;
      if (check_ns_ != Duration::kForever) check_ns_ = 0;
    } else if (arrival.ready != 0) {
      on_ready(arrival.ready - 1);
    } else if (lost_monitor()) {
      report_.termination_signal = SIGTERM;
      hold_lost_ = true;
      on(Event::stop);
    } else if (arrival.signal != 0) {
      pass_on(arrival);
    }
    if (more_news_) read_child_status(kNewsAtOnce);
    on_clock();
    if (stage_ == Stage::running) observer_.woken();
    if (stop_owed_) stop_with_command();
  }
}

// Reads status changes until there are no more, the hold is over, or `at_most` are read, because
// children may end faster than we read. If there were some, other signals get their turn before the
// next SIGCHLD.
void Supervisor::read_child_status(int at_most) {
  for (int count = 0; stage_ != Stage::done && count < at_most; ++count) {
    os::ChildNews news;
    if (os::child_news(news) != 0) {
      report_.nothing_left = os::kAdoptsOrphans;
      on(Event::tree_gone);
      return;
    }
    if (news.pid == 0) {
      more_news_ = count > 0;
      return;
    }
    if (news.change == Change::ended) {
      report_.usage.cpu_ns += news.cpu_ns;
      if (news.peak_kib > report_.usage.peak_kib) report_.usage.peak_kib = news.peak_kib;
    }
    if (news.pid == tree_.main) on_main(news);
  }
}

void Supervisor::on_main(const os::ChildNews& news) {
  switch (news.change) {
    case Change::stopped:
      main_stopped_by_ = news.stopped_by;
      tree_.main_stopped = true;
      // A supervisor stops itself when its command stops; a SIGSTOP comes from another process.
      if (!task_.is_monitor || main_stopped_by_ != SIGSTOP) stop_with_command();
      break;
    case Change::continued:
      main_stopped_by_ = 0;
      tree_.main_stopped = false;
      continued_with_us_ = true;
      break;
    case Change::ended:
      report_.status = news.end;
      report_.ran = {os::boot_ns() - started_ns_};
      tree_.main = 0;
      end_of_main();
      break;
  }
}

void Supervisor::on_ready(unsigned which) {
  switch (observer_.ready(which, report_.status)) {
    case Ready::nothing:
      break;
    case Ready::over:
      stage_ = Stage::done;
      break;
    case Ready::stop:
      if (tree_.main == 0) {
        on(Event::stop);
      } else {
        os::relay_signal(tree_.main, SIGTERM, kStopCommand);
        os::signal_child(tree_.main, SIGCONT);
      }
  }
}

void Supervisor::on_clock() {
  const std::int64_t first_ns = next_look() < next_soft_look() ? next_look() : next_soft_look();
  if (stage_ == Stage::done || first_ns == Duration::kForever) return;
  const std::int64_t now_ns = os::boot_ns();
  if (now_ns < first_ns) return;
  if (now_ns >= check_ns_) {
    check_ns_ = observer_.check(now_ns);
    if (check_ns_ <= now_ns) {
      check_ns_ = Duration::kForever;
      hold_lost_ = true;
      if (!stopping(stage_)) report_.stopped = Stopped::lost;
      on(Event::stop);
    }
  }
  if (now_ns >= settled_ns_) {
    settled_ns_ = Duration::kForever;
    os::shed_memory();
  }
  if (now_ns >= trim_ns_) trim_ns_ = observer_.trim_output(now_ns);
  if (now_ns >= deadline_ns_) {
    reach_deadline(now_ns);
  } else if (now_ns >= last_part_ns_) {
    watch_the_last_part(now_ns);
  }
  if (now_ns >= silence_.next_ns()) watch_for_silence(now_ns);
  if (stage_ != Stage::done && now_ns >= kill_again_ns_) kill_again();
}

std::int64_t Supervisor::next_look() const {
  const std::int64_t next = deadline_ns_ < check_ns_ ? deadline_ns_ : check_ns_;
  return next < kill_again_ns_ ? next : kill_again_ns_;
}

// Looks that can wait: they do not continue us when we are stopped.
std::int64_t Supervisor::next_soft_look() const {
  std::int64_t next = settled_ns_ < trim_ns_ ? settled_ns_ : trim_ns_;
  if (last_part_ns_ < next) next = last_part_ns_;
  return next < silence_.next_ns() ? next : silence_.next_ns();
}

RunReport supervise(const Task& task, SupervisionObserver& observer) {
  return Supervisor(task, observer).run();
}

// The supervisor's actions: how the table's steps stop the command and everything below us.

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
