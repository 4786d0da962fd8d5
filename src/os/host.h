// Facts about the machine of a program: its user, its terminal, the names in a directory.
// Single-threaded callers. Independent of locks.
#ifndef ATMOST_OS_HOST_H
#define ATMOST_OS_HOST_H

#include <cstdint>
#include <span>
#include <string_view>

#include "core/result.h"
#include "core/text.h"
#include "core/time.h"
#include "self.h"
#include "terminal.h"

namespace atmost {

// The name of a user in the password file, or the number if it has none there. Users of directory
// services are shown by number: a query may block, and a static program cannot make one.
Text<32> user_name(std::uint32_t user);

// The columns and lines of the terminal behind `fd`; 0 if it is not a terminal, or its size is not
// known.
struct TerminalSize {
  unsigned columns = 0;
  unsigned lines = 0;
};
TerminalSize terminal_size(int fd);

// Writes all of the text. Blocks as the descriptor does, also while a pipe is full. Error::sys is
// the reason for a failure: EPIPE, the reader has gone (no SIGPIPE is raised); EBADF, it is closed;
// ENOSPC …
Status write_text(int fd, std::string_view text);

// Checks that `fd` is open for writing, and keeps it from programs that this process becomes or
// starts. The standard streams belong to those too, and stay inheritable.
Status claim_descriptor(int fd);

// Fills `to` with the smallest names in `directory` that end in `ending` and are greater than
// `after` (bytewise), ascending; returns how many. Call again with the last one for the next ones.
// No directory is an Error with ENOENT. Each call reads the whole directory.
Result<std::size_t> next_names(const char* directory, std::string_view ending,
                               std::string_view after, std::span<Text<255>> to);

// `path` with the working directory in front unless it is absolute, a leading "./" left out. False:
// it does not fit, or the working directory is not known.
bool absolute_path(std::string_view path, PathText& to);

// The directory of this program's file; empty if the system does not provide it.
PathText program_directory();

// Becomes the program argv[0], a path, with this process's environment. Returns only if it could
// not; Error::sys has the reason. `argv` ends with a null pointer.
Error become_program(char* const* argv);

// The words of a process's command line as it is now, each ended by a NUL; the part that does not
// fit into `room` is cut off. Empty when it cannot be seen (ended, hidden, no /proc, a kernel
// thread).
std::string_view command_line(std::int64_t pid, std::span<char> room);

// Between os::hold_signals() (or run_command()) and os::release_signals(), signals that could end,
// stop or resize us are held back. next_signal() waits for one for at most `span`; 0: none came.
// obey_signal() then gives the signal its effect: it stops this process and returns when continued,
// or ends it. SIGKILL and faults are not held.
int next_signal(Duration span);
void obey_signal(int signal);
// As os::release_signals(), at the end of one of several jobs. Returns the last signal that came
// meanwhile to end this process, 0: none. Stop signals take effect; those of a taker, meant
// for a hold that is over, do not.
int accept_signals();

}  // namespace atmost

#endif
