// Starts the command and sees it to its end. Knows nothing of locks, stores or history.
#ifndef ATMOST_RUN_RUN_H
#define ATMOST_RUN_RUN_H

#include <cstdint>

#include "core/outcome.h"
#include "core/stats.h"
#include "core/time.h"

namespace atmost::run {

// The command to be run. All pointers are borrowed for the call.
struct Task {
  char* const* argv = nullptr;   // as execvp takes it; NULL-terminated, at least one
  char* const* envp = nullptr;   // the command's whole environment; its PATH is searched
  const int* inherit = nullptr;  // lock descriptors (close-on-exec) that the command shall inherit
  unsigned inherit_count = 0;
  bool inherit_apart = false;  // the command gets them as in os::Program::apart
  int output = -1;             // the command's standard output and standard error; -1: ours
  // The signal that the kernel sends the main process if this process dies; 0: nothing.
  int signal_at_our_death = 0;
  std::int64_t monitor = 0;       // our parent, if it is a supervisor of ours; 0: it is not
  bool may_lose_monitor = false;  // if the monitor dies, the command goes on
  // The command is a supervisor: we stop with it only if it stopped itself.
  bool is_monitor = false;
  // The command is a monitor in a session of its own, whose supervisor is in our process group: we
  // stop on a signal to us alone, independently of that monitor.
  bool is_front = false;
  // We are that monitor: no shell waits for us to stop.
  bool in_own_session = false;
  // Descriptors (two at most); the observer is called when they become readable.
  const int* watched = nullptr;
  unsigned watched_count = 0;
  bool childless = false;  // it is known that we have no children
  bool own_tree = false;   // the hold ends with the command's whole tree, not with its main process
  Duration max_runtime{};  // from the start on the boot clock (suspended and stopped time counts);
                           // 0: no limit
  bool asks_again = false;  // what is reached of these two limits was learned (limit_reached())
  // The command is stopped when its tree has been silent for so long (silence.h); 0: no limit.
  // REQUIRES: os::counts_activity().
  Duration max_idle{};  // 0: none; for ever: none, but beats are heard, for takers
  Duration kill_grace = Duration::seconds(2);  // pause after each of INT, TERM and KILL
};

// The meaning of a watched descriptor.
enum class Ready : std::uint8_t {
  nothing,
  over,  // the run is over: the command is left to itself
  // The command is to be stopped, with all below us. A monitored command, which is a supervisor, is
  // continued and gets the order to do that itself: SIGTERM with kStopCommand.
  stop,
};
// Arrival::relayed_for of that signal.
inline constexpr std::int64_t kStopCommand = -1;

// Is notified while the command runs. May print and release locks; must not change signals or wait
// for children.
class SupervisionObserver {
 public:
  // The command runs, since then (boot clock). For work that should not delay its start. Signals
  // are passed on only after this.
  virtual void started(std::int64_t) {}
  // The main process has ended; called at once, even if its descendants still run. True: the
  // hold has ended, too; otherwise it ends with supervise().
  virtual void main_ended(const ExitStatus&, bool) {}
  // True if the hold is being taken over right now. Asked when HUP, INT, QUIT or TERM came for us
  // from that process (0: not visible from here), and when the main process has ended after
  // that (0).
  virtual bool taken(std::int64_t) { return false; }
  // True to stop the processes that the main process left behind. Asked when it has ended.
  virtual bool rest_is_lost(const ExitStatus&) { return false; }
  // We have begun to stop the command's tree, or gone on to the next signal: SIGINT, SIGTERM,
  // SIGKILL; and why.
  virtual void stopping(int, Stopped) {}
  // The task's max_runtime was reached, or its max_idle (why: idle); what the command did by then
  // was seen. Returns the limit that holds now: if it is longer, the command goes on. Only of a
  // task that asks again.
  virtual Duration limit_reached(Stopped, Duration reached, Doing) { return reached; }
  // A signal of ours has reached a process of the tree; called once.
  virtual void reached() {}
  // The process of the tree may not be signalled (another user's); called once for each signal.
  virtual void refused(int, std::int64_t) {}
  // Two seconds after SIGKILL the process is still there (0: one that is not visible), and keeps
  // the hold until it ends. `refused`: it may not be signalled; else it hangs in the kernel.
  virtual void left(std::int64_t, bool) {}
  // The task's watched descriptor of this number became readable. Ready::over: `ended` is set.
  virtual Ready ready(unsigned, ExitStatus&) { return Ready::nothing; }
  // We woke up, and the main process runs. For checks that are not worth a wake-up of their own.
  virtual void woken() {}
  // Returns when to call it next (boot clock); kForever: never. Called when the command runs, and
  // about the moment that it last returned, until the hold is over. A stopped process is not
  // continued for it.
  virtual std::int64_t trim_output(std::int64_t) { return Duration::kForever; }
  // Returns when to call it next (boot clock); kForever: never. Called at the start, at the moment
  // it last returned, and after each SIGCHLD. A moment that has passed already means that the hold
  // is lost: the command is stopped, with the kill_grace that the task then has.
  virtual std::int64_t check(std::int64_t) { return Duration::kForever; }

 protected:
  ~SupervisionObserver() = default;
};

struct RunReport {
  int fork_error = 0;  // no process could be made; nothing ran
  // The command could not be executed; nothing ran. exec_code() has the exit code.
  int exec_error = 0;
  ExitStatus status;  // of the main process
  // The reason for which we began to stop the command, if we did; `status` still has its end. Only
  // Stopped::lost if no signal of ours reached it: then it ended by itself.
  Stopped stopped = Stopped::no;
  bool reached = false;  // a signal of ours, but for those that we passed on, reached a process
  // The last HUP, INT, QUIT or TERM that came for us, and not from the command itself.
  int termination_signal = 0;
  Usage usage;     // of the main process, its awaited children and the orphans that ended while we
                   // were there
  Duration ran{};  // until the main process ended; own_tree: until the hold did
  bool nothing_left = false;  // no child is left of ours, and so nothing of the command's tree
};

// Starts the command in our process group, session and terminal, with the signal mask and
// dispositions that we have now, and returns when the hold is over: the main process has ended
// (own_tree: and no process is left below it). Blocks all that time. Signals that come after that
// wait in the process's gate, so that the caller can finish its report, until
// os::release_signals(), or for ever if the process ends before. Signals for us are passed on
// (supervisor.h has the table); if the terminal stops the command, we stop, too. Orphans of the
// command become our children and are reaped.
//
// When the hold is being taken over, a signal that asks us to end goes to the whole tree, and
// processes that the main process leaves behind are stopped before the hold is over: the taker
// needs all of the old run gone.
//
// At max_runtime, after max_idle of silence, or when the observer reports that the hold is lost,
// the whole tree is stopped: CONT and INT, a pause, CONT and TERM, a pause, then KILL again and
// again; a pause ends early when nothing is left. The hold then lasts until nothing is left.
// Processes that cannot be signalled (another user's) or do not end (they hang in the kernel) are
// not gone: the observer is called, and we stay with them.
//
// When the monitor is seen to be gone, the tree is stopped as at max_runtime, unless
// may_lose_monitor. A stopped monitor is continued when we begin to stop the tree, so that it can
// end when we do.
//
// If this process is killed, the command goes on with the descriptors it inherited, unless
// signal_at_our_death ends it. REQUIRES: single-threaded, and no child the caller wants to wait for
// itself; children we have already (from a shell's exec) are reaped too, are never signalled, and
// with own_tree are waited for. PORTABLE: orphans are init's, a tree cannot be seen, and own_tree
// ends with our children.
RunReport supervise(const Task& task, SupervisionObserver& observer);

// 127 when the command was not found, 126 when it could not be executed (POSIX, "Exit status for
// commands").
constexpr Code exec_code(int error) {
  constexpr int kNoEntry = 2;  // ENOENT, the same number on every Unix
  return error == kNoEntry ? Code::not_found : Code::not_executable;
}

}  // namespace atmost::run

#endif
