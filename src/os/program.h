// For spawn.cc and its two platforms only: exec as a step that a new process can take.
#ifndef ATMOST_OS_PROGRAM_H
#define ATMOST_OS_PROGRAM_H

#include "spawn.h"

namespace atmost::os {

// become(), fit to run in a process that shares its parent's memory: no heap, no locks, little
// stack. Returns the errno value.
int execute(const Program& program);

// Gives back what execute() had to leave behind in memory shared with a child that is gone to its
// program.
void clean_up_after_execute();

}  // namespace atmost::os

#endif
