// Starting a program from inside another one's process, which must not notice it as a child.
#ifndef ATMOST_OS_UNSEEN_H
#define ATMOST_OS_UNSEEN_H

#include "spawn.h"

namespace atmost::os {

// Starts the program (spawn.h) as no child of ours: it becomes a child of init, or of the nearest
// process above us that adopts orphans. Our process gets no SIGCHLD, and no wait of another thread
// returns, whether or not SIGCHLD is ignored. The program begins with every signal blocked, with
// the signals ignored that we ignore, and with all of our descriptors that are not close-on-exec.
// 0 or an errno value: of the fork, or of the exec as from become(). Blocks until the program is
// executed. Any thread. PORTABLE: there is a child that ends at once, and its SIGCHLD.
int start_unseen(const Program& program);

}  // namespace atmost::os

#endif
