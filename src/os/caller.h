// The process whose end ends a run.
#ifndef ATMOST_OS_CALLER_H
#define ATMOST_OS_CALLER_H

#include <cstdint>

#include "core/monitor.h"
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

}  // namespace atmost::os

#endif
