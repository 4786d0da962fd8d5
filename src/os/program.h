// For spawn.cc and its two platforms only: the exec of a new process.
#ifndef ATMOST_OS_PROGRAM_H
#define ATMOST_OS_PROGRAM_H

#include "spawn.h"

namespace atmost::os {

// become(), fit to run in a process that shares its parent's memory: no heap, no locks, little
// stack. Returns the errno value.
int execute(const Program& program);

// Frees what execute() left in memory shared with a child that has since started its program.
void clean_up_after_execute();

}  // namespace atmost::os

#endif
