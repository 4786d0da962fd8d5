// Finding processes by a variable in the environment they were started with, or by an open file.
#ifndef ATMOST_OS_ENVIRONMENT_MARK_H
#define ATMOST_OS_ENVIRONMENT_MARK_H

#include <cstdint>

#include "core/text.h"

namespace atmost::os {

// A mark by which processes are found whose parents have gone: a variable in the environment they
// were started with. Its value is a list of process ids with colons between.

// True if the environment that `pid` was started with has `pid_in_mark` in the list of variable
// `name`. False as well when that cannot be seen: another user's process, one that has overwritten
// its environment, no /proc.
bool is_marked(std::int64_t pid, const char* name, std::int64_t pid_in_mark);
// The value of variable `name` in that environment. False when there is none or it cannot be seen,
// as above.
bool started_with(std::int64_t pid, const char* name, PathText& to);
// True if a descriptor of `pid` between 3 and 9 is open on `/proc/OPENED/limits`, opened while
// `opened` ran: so a process is found that was forked and has started no program since, as the
// subshells of a script are. False as well when that cannot be seen.
bool has_open(std::int64_t pid, std::int64_t opened);
// Makes this process's own environment, as others see it, one without that variable.
void hide_mark(const char* name);

}  // namespace atmost::os

#endif
