// Facts about the machine of a program: its user, its terminal, the names in a directory.
// Single-threaded callers. Independent of locks.
#ifndef ATMOST_HOST_H
#define ATMOST_HOST_H

#include <cstdint>
#include <span>
#include <string_view>

#include "core/result.h"
#include "core/text.h"
#include "core/time.h"

namespace atmost {

// True if this process has rights that its caller lacks (set-user-id, set-group-id, file
// capabilities). If so, its environment and arguments come from another user.
bool has_raised_rights();

// The effective user, and the name of a user in the password file, or the number if it has none
// there. Users of directory services are shown by number: a query may block, and a static program
// cannot make one.
std::uint32_t user_id();
std::int64_t own_process();  // its number, as its own /proc shows it
Text<32> user_name(std::uint32_t user);

// The machine's own name (uname -n), at most 255 bytes, any bytes; empty if it has none. Asked once
// and kept: for one thread. The view is valid until the process ends.
std::string_view kept_host_name();

bool is_terminal(int fd);
// True if it is a terminal to which other jobs do not write now.
bool in_foreground(int fd);
// True if no other process of the session runs, this one's ancestors and children apart: nobody
// else writes to its terminal. False when that cannot be seen. Reads a file of each process.
bool alone_on_terminal();
// From keep_line_erasable() to forget_line(), a signal that ends this process by default first
// erases the line of the terminal behind standard error where the cursor is.
void keep_line_erasable();
void forget_line();
// True if this process keeps its locks on a file that it opens and closes once more: not where
// locks belong to the process (POSIX).
bool has_description_locks();
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

// Reserves the numbers of standard streams that are closed, so that no connection gets them and is
// written to by mistake. Reading or writing them still fails, and programs that this process starts
// find them closed.
void keep_standard_streams();

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

// True if a folder of $PATH (/bin:/usr/bin without one) has a file of that name, without a slash,
// that this process may execute.
bool is_program(std::string_view name);

// Between hold_signals() (or run_command()) and release_signals(), signals that could end, stop or
// resize us are held back. next_signal() waits for one for at most `span`; 0: none came.
// obey_signal() then gives the signal its effect: it stops this process and returns when continued,
// or ends it. SIGKILL and faults are not held.
void hold_signals();
int next_signal(Duration span);
void obey_signal(int signal);
void release_signals();
// The same at the end of one of several jobs. Returns the last signal that came meanwhile to end
// this process, 0: none. Stop signals take effect; those of a taker, meant for a hold that is over,
// do not.
int accept_signals();

// Ends this process at once.
[[noreturn]] void leave(int code);

}  // namespace atmost

#endif
