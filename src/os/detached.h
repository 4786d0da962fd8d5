// Starting a program that goes on when this process and all above it have ended.
#ifndef ATMOST_OS_DETACHED_H
#define ATMOST_OS_DETACHED_H

#include <cstddef>

#include "spawn.h"

namespace atmost::os {

// Starts the program (spawn.h) in a session of its own and as no child of ours: it becomes a child
// of init, or of the nearest process above us that adopts orphans. Its standard input is /dev/null,
// and if it is `silent` the other two streams are, too. Of all other descriptors it gets those that
// `program` names. 0 or an errno value: of the fork, or of the exec as from become(). Blocks until
// the program is executed. The caller may have other threads.
int start_detached(const Program& program, bool silent);

// Closes every descriptor from `first` on but those of `keep`.
void close_all_but(const int* keep, unsigned count, int first);

// Blocks until the other end of the pipe is closed, or `at_most_ms` are over.
void await_hangup(int fd, int at_most_ms);

// Fills `to` with random bytes. 0 or an errno value.
int random_bytes(void* to, std::size_t size);

}  // namespace atmost::os

#endif
