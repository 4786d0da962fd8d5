// The processes above a run: the one whose end ends it, and its monitor.
#ifndef ATMOST_OS_MONITOR_H
#define ATMOST_OS_MONITOR_H

#include <cstddef>
#include <cstdint>

#include "core/monitor.h"
#include "core/text.h"
#include "process.h"

namespace atmost::os {

// Opens the process that `caller` names, which is checked again once the handle exists: so the
// handle cannot mean a later process of the same number. 0; ESRCH: it has ended (also if it cannot
// be waited for any more, or has another start time, or if this process is now the child of a
// process that adopts orphans); EINVAL: the number of a thread; EACCES: its start time cannot be
// read; ENOSYS or EPERM: there are no such handles here.
//
// A parent in another session that is not ours either (this process does not lead its session) is
// taken for such an adopter: a process and its parent have their session in common unless one of
// them began a new one. An adopter of our own session cannot be distinguished from a parent.
int open_caller(const Caller& caller, ProcessHandle& to);

// Takes over a handle of a process, or the writing end of a pipe, that our parent has passed on:
// close-on-exec. False, without any effect, if the descriptor is something else.
bool accept_handle(int descriptor);
bool accept_pipe(int descriptor);

// A process's end on its way through a pipe, in two bytes. Sending raises no SIGPIPE; a reader that
// is gone gets nothing. read_end() blocks; false: the writer has gone without it.
struct SentEnd {
  unsigned char code;
  unsigned char signal;
};
void send_end(int pipe, SentEnd end);
bool read_end(int pipe, SentEnd& to);

// Begins a session of this process's own, without a terminal. Its children stay in theirs.
void leave_session();
// Standard input, output and error become /dev/null.
void silence_streams();

// The report of a monitored process to its monitor, in advance, in case it is killed: the state of
// its command, and the name of its lease.

enum class Word : char { none = '-', running = 'r', ended = 'e' };

// The last report.
struct MonitorReport {
  Word word = Word::none;
  Text<80> lease;  // empty: there is none
};

// A pipe for reports, of which the monitored process has both ends: a process that is itself a
// reader of the pipe gets no SIGPIPE when the monitor has died. And a pipe that carries no data:
// its hangup shows the end of the monitored process. Nothing blocks.
class MonitorLine {
 public:
  // The monitor's side: 0 or an errno value. All ends are close-on-exec, for the monitored process
  // to inherit.
  int open();
  // Called once the monitored process has inherited its ends. From then on, when it ends, the
  // kernel continues this process if it is stopped.
  void started();
  // The monitored process's side: takes over its three ends, which processes that it starts do not
  // get. False, without any effect, if they are not pipes.
  bool accept(int reader, int writer, int life);

  // For a monitored process that must not begin before the monitor allows it: both call this, the
  // one blocks until the other has done.
  void wait_for_monitor() const;
  void let_begin() const;

  int reader() const { return reader_; }
  int writer() const { return writer_; }
  int life() const { return life_; }
  // The monitor's end of the pipe without data.
  int life_over() const { return life_over_; }

  // REQUIRES: accept() was true.
  void say(Word word);
  void say_lease(std::string_view lease);
  // The last report. Removes it from the pipe: call it once, after the monitored process has died.
  MonitorReport last_report() const;

 private:
  void send();

  // Open until the process ends.
  int reader_ = -1;
  int writer_ = -1;
  int life_ = -1;       // the monitored process's end of the pipe without data
  int life_over_ = -1;  // the monitor's end
  MonitorReport report_;
  std::size_t in_pipe_ = 0;  // bytes that were written and not taken out again
};

}  // namespace atmost::os

#endif
