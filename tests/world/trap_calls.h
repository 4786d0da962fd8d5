// A filter that stops system calls past the product's table (seccomp(2)).
#ifndef ATMOST_TESTS_WORLD_TRAP_CALLS_H
#define ATMOST_TESTS_WORLD_TRAP_CALLS_H

namespace world {

// From now on, for the life of this process, each system call but the few that the world itself
// makes for a process is not made: `trapped` runs instead, with the number of the call. False: this
// system has no such filters.
bool trap_calls(void (*trapped)(int number));

}  // namespace world

#endif
