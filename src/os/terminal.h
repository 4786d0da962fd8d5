// The standard streams: what they lead to, and writing to them.
#ifndef ATMOST_OS_TERMINAL_H
#define ATMOST_OS_TERMINAL_H

#include <cstddef>

namespace atmost::os {

bool is_terminal(int fd);
// False if `fd` is not a terminal, or one without a known size.
bool terminal_size(int fd, unsigned& columns, unsigned& lines);

// True if this process may write to the terminal behind `fd` without disturbing another job: it is
// in the terminal's foreground.
bool in_foreground(int fd);

// True if no other process of this session runs beside this one, its ancestors and its children:
// then nobody else writes to the session's terminal, unless an ancestor does it instead of waiting
// for us. False when that cannot be seen (no /proc). Reads a file of each process.
bool alone_on_terminal();

// While kept, a signal that ends this process (HUP, INT, QUIT, TERM: at once if its action is the
// default one, else when a handler comes to die_of()) first erases the line that the cursor of the
// terminal behind standard error is in. REQUIRES: a single-threaded process.
void keep_line_erasable();
void forget_line();
void erase_kept_line();  // async-signal-safe

// write_all() of file.h without the SIGPIPE that a vanished reader raises: EPIPE comes back
// instead. A SIGPIPE that was pending before stays pending. REQUIRES: a single-threaded process.
int write_stream(int fd, const void* from, std::size_t size);

// 0 when `fd` is open for writing; else EBADF.
int check_writable(int fd);
int make_private(int fd);  // close-on-exec

}  // namespace atmost::os

#endif
