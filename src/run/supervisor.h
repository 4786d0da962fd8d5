// Supervises one command from its start to the end of its hold.
#ifndef ATMOST_RUN_SUPERVISOR_H
#define ATMOST_RUN_SUPERVISOR_H

#include <cstdint>

#include "os/signals.h"
#include "os/spawn.h"
#include "os/tree.h"
#include "run.h"
#include "silence.h"
#include "stages.h"

namespace atmost::run {

// Feeds signals, status changes of children and the clock as events into the table of stages.h, and
// executes its actions.
class Supervisor {
 public:
  Supervisor(const Task& task, SupervisionObserver& observer)
      : task_(task), observer_(observer), silence_(task.max_idle) {}
  RunReport run();

 private:
  bool start();
  void watch();

  void read_child_status(int at_most);
  void on_main(const os::ChildNews& news);
  void on_ready(unsigned which);
  bool is_told_to_stop(const os::Arrival& arrival);
  void end_of_main();
  void on_clock();
  void set_deadline(Duration max_runtime);
  void reach_deadline(std::int64_t now_ns);
  os::Activity look_at_tree(bool thorough);
  void watch_for_silence(std::int64_t now_ns);
  void watch_the_last_part(std::int64_t now_ns);
  Doing doing(std::int64_t now_ns);
  bool is_beat(const os::Arrival& arrival) const;
  void take_beat(Duration eta);
  void pass_on(const os::Arrival& arrival);
  void deliver(int signal, std::int64_t sender);
  void stop_with_command();
  void drop_terminal_signals();
  bool lost_monitor();
  void wake_monitor() const;  // REQUIRES: monitored_

  void on(Event event);
  void signal_tree(int signal);
  void note(int signal, const os::Sweep& sent);
  void kill_again();
  std::int64_t next_look() const;
  std::int64_t next_soft_look() const;

  const Task& task_;
  SupervisionObserver& observer_;
  os::SignalGate& gate_ = os::hold_signals();
  os::Adoption adoption_;
  RunReport report_;
  Stage stage_ = Stage::running;
  os::Tree tree_;
  bool hold_lost_ = false;  // the hold is lost or being taken over, and lasts until nothing of the
                            // tree is left
  int refused_ = 0;         // the last signal to the tree that a process refused; 0: none
  os::Sweep rest_;          // the last sweep with SIGKILL
  bool monitored_ = false;
  bool stopped_self_ = false;   // at least once
  bool more_news_ = false;      // there may be status changes to read
  bool end_announced_ = false;  // a SIGCHLD told us of the main process's end
  bool told_ = false;           // a signal that asks to end came, from whomever
  // When a taker's signal last went to the whole tree; 0: never. If the taker is killed, we finish
  // the stopping that it began.
  std::int64_t tree_signalled_ns_ = 0;

  int main_stopped_by_ = 0;   // the signal that stopped the main process; 0 while it runs
  int group_stopped_by_ = 0;  // a stop signal for us that the command has not yet answered
  // We have to stop, but a SIGCONT has to be read first: one from a shell cancels the stop, one
  // from our timer does not.
  bool stop_owed_ = false;
  bool continued_with_us_ = false;  // the main process was continued since we last saw a CONT

  std::int64_t started_ns_ = 0;
  std::int64_t settled_ns_ = Duration::kForever;  // when memory is released
  std::int64_t trim_ns_ = Duration::kForever;     // the observer's next trim_output()
  Duration max_runtime_{};
  // The maximal runtime, then the end of each pause.
  std::int64_t deadline_ns_ = Duration::kForever;
  std::int64_t check_ns_ = Duration::kForever;       // the observer's next check
  std::int64_t kill_again_ns_ = Duration::kForever;  // the next sweep, while killing
  std::int64_t kill_pause_ns_ = 0;
  Silence silence_;
  std::int64_t last_part_ns_ = Duration::kForever;  // of the maximal runtime, where it is watched
  Silence last_part_{Duration{}};
  bool looked_ = false;              // for silence
  std::int64_t orphans_cpu_ns_ = 0;  // of report_.usage, at the last look for silence
};

// The signals for the supervisor that are passed on to the command. Every signal that can be
// blocked arrives; none of them ends the supervisor itself.

enum class Passing : std::uint8_t {
  always,
  // Passed on, but not when the kernel sent it for the terminal and the command is in our process
  // group: then it went to the whole group and the command has it already. (A command that left the
  // group, as timeout(1) does, has not.)
  not_twice,
  stops,    // as not_twice; and when the command stops, so do we
  resumes,  // to a command that is stopped, or that was not continued together with us
  ours,     // never passed on
};

// | signal                                      | passing   |
// |---------------------------------------------|-----------|
// | HUP INT QUIT WINCH                          | not_twice |
// | TSTP TTIN TTOU                              | stops     |
// | CONT                                        | resumes   |
// | CHLD                                        | ours      |
// | all others: TERM USR1 USR2 ALRM PIPE XCPU … | always    |
//
// An alarm that was set before this program started (alarm(2) persists across exec) is meant for
// the command: it is among "others". Real-time signals are passed on without their value. KILL and
// STOP cannot be seen.
Passing passing_of(int signal);

// True if it is a signal that people and service managers use to end a program: HUP, INT, QUIT,
// TERM.
bool asks_to_end(int signal);

// The signal that stops us when `signal` stopped the command: the same one; for SIGSTOP, it is
// SIGTSTP, which the kernel ignores where no shell could continue us.
int own_stop_for(int signal);

}  // namespace atmost::run

#endif
