// Processes that hold slot 1 of a lock, and a pid namespace of their own for them.
#ifndef ATMOST_TESTS_PROCESS_TAKEOVER_NAMESPACE_H
#define ATMOST_TESTS_PROCESS_TAKEOVER_NAMESPACE_H

#include <sys/types.h>

#include <functional>
#include <string>

namespace witness {

std::string text_of(const std::string& path);

// A child that does `first` and then stays until it is killed; it ends with its parent. No signal
// but KILL reaches it: the others stay pending.
pid_t stay(const std::function<void()>& first);

// F_SETLK or F_OFD_SETLK on slot 1, with F_WRLCK or F_UNLCK.
bool lock_slot(int fd, int command, short type);
// Holds slot 1 of the lock file at `path` from now on; ends the process if it cannot.
void take_slot(const std::string& path, int command);

// Runs `body` as a grandchild of the first process of a new pid namespace with a /proc of its own;
// its parent there did `before`. Its results: "well" becomes "", and kNoNamespace if there can be
// none.
std::string in_namespace(const std::function<void()>& before,
                         const std::function<std::string()>& body);

}  // namespace witness

#endif
