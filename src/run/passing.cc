// Signals that arrive for the supervisor, and its relation to the monitor above it.

#include <signal.h>

#include "os/clock.h"
#include "os/process.h"
#include "os/self.h"
#include "supervisor.h"

namespace atmost::run {

Passing passing_of(int signal) {
  switch (signal) {
    case SIGHUP:
    case SIGINT:
    case SIGQUIT:
    case SIGWINCH:
      return Passing::not_twice;
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
      return Passing::stops;
    case SIGCONT:
      return Passing::resumes;
    case SIGCHLD:
      return Passing::ours;
    default:
      return Passing::always;
  }
}

bool asks_to_end(int signal) {
  return signal == SIGHUP || signal == SIGINT || signal == SIGQUIT || signal == SIGTERM;
}

int own_stop_for(int signal) { return signal == SIGSTOP ? SIGTSTP : signal; }

// The caller has ended, as our monitor says (Ready::stop).
bool Supervisor::is_told_to_stop(const os::Arrival& arrival) {
  if (arrival.relayed_for != kStopCommand || !monitored_ || arrival.sender != task_.monitor ||
      arrival.signal != SIGTERM)
    return false;
  if (stage_ == Stage::running || stage_ == Stage::draining) {
    report_.stopped = Stopped::caller_gone;
    on(Event::stop);
  }
  return true;
}

void Supervisor::pass_on(const os::Arrival& arrival) {
  if (is_told_to_stop(arrival)) return;
  if (is_beat(arrival)) return take_beat(Duration::millis(arrival.relayed_for - 1));
  const int signal = arrival.signal;
  const Passing passing = passing_of(signal);
  bool pass = passing != Passing::ours;
  if (passing == Passing::not_twice || passing == Passing::stops) {
    // The terminal sends signals to a process group, not to a process.
    pass = arrival.source == os::Source::process ||
           (tree_.main != 0 && !task_.is_front &&
            os::process_group(tree_.main) != os::process_group(os::process_id()));
  } else if (passing == Passing::resumes) {
    pass = main_stopped_by_ != 0 || !continued_with_us_;
    continued_with_us_ = false;
    group_stopped_by_ = 0;
    stop_owed_ = false;
  }
  // A signal from the command to its own group also reaches us and our monitor; it must not be
  // passed back to the command.
  const std::int64_t sender =
      monitored_ && arrival.sender == task_.monitor ? arrival.relayed_for : arrival.sender;
  const bool from_command = sender != 0 && sender == tree_.main;
  if (from_command) pass = false;
  const bool told = !from_command && asks_to_end(signal);
  told_ = told_ || told;
  if (told) report_.termination_signal = signal;
  if (pass && told && arrival.source == os::Source::process && observer_.taken(sender)) {
    tree_signalled_ns_ = os::boot_ns();
    signal_tree(signal);
  } else if (pass) {
    deliver(signal, sender);
  }
  if (passing == Passing::stops) {
    group_stopped_by_ = signal;
    if (task_.is_front) {
      os::stop_self(own_stop_for(signal));
    } else {
      stop_with_command();
    }
  }
}

// Sends a signal to the main process; if only its tree is left, to the whole tree.
void Supervisor::deliver(int signal, std::int64_t sender) {
  if (tree_.main != 0 && task_.is_monitor) {
    os::relay_signal(tree_.main, signal, sender);
  } else if (tree_.main != 0) {
    // EPERM: the command runs as another user. A shell's kill would fail, too, so it is not
    // reported.
    os::signal_child(tree_.main, signal);
  } else {
    os::sweep(tree_, os::Members::all, signal);
  }
}

// Stops us when the command has stopped and a shell should see that: a stop signal came to us, too
// (from the terminal or from another process), or we lead a job and the command stopped by itself.
// If only the command was stopped, inside a script or a service, we go on watching it.
void Supervisor::stop_with_command() {
  stop_owed_ = false;
  if (stopping(stage_) || stage_ == Stage::done || task_.in_own_session) return;
  const int command_by = tree_.main != 0 ? main_stopped_by_ : group_stopped_by_;
  const std::int64_t group = os::process_group(os::process_id());
  const bool leads_job = group == os::process_id() || (monitored_ && group == task_.monitor);
  if (command_by == 0 || (group_stopped_by_ == 0 && !leads_job)) return;
  // A monitored process may go on and end before its monitor has stopped with it; then no process
  // would continue the monitor.
  stop_owed_ = !os::stop_self(own_stop_for(command_by), task_.is_monitor ? tree_.main : 0);
  if (stop_owed_) return;
  stopped_self_ = true;
  group_stopped_by_ = 0;
  if (monitored_) wake_monitor();  // the signal that continued us may have been for us alone
}

// If we read the command's end before a ^C that had come to its whole group while it ran, the
// command has answered that ^C already, and so have we: the report names it, and it does not arrive
// later. Not needed for an end that was announced to us: all such signals had been read by then.
void Supervisor::drop_terminal_signals() {
  while (const int signal = os::take_terminal_signal()) report_.termination_signal = signal;
}

// True once: our monitor has died, and the command must not run on without it.
bool Supervisor::lost_monitor() {
  if (!monitored_ || os::parent_id() == task_.monitor) return false;
  monitored_ = false;
  return !task_.may_lose_monitor;
}

void Supervisor::wake_monitor() const {
  os::ProcessHandle monitor;
  os::ProcessFacts facts;
  if (monitor.open(task_.monitor) != 0 || os::parent_id() != task_.monitor) return;
  const bool may_stop_yet = stopped_self_ && stage_ != Stage::running;  // with us, a moment ago
  if (may_stop_yet || (os::process_facts(task_.monitor, facts) == 0 && facts.state == 'T'))
    monitor.send(SIGCONT);
}

}  // namespace atmost::run
