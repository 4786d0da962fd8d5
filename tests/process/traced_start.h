// Starts a program under ptrace and counts what the start costs.
#ifndef ATMOST_TESTS_PROCESS_TRACED_START_H
#define ATMOST_TESTS_PROCESS_TRACED_START_H

#include <map>
#include <string>
#include <vector>

namespace witness {

using Calls = std::map<std::string, int>;
using Words = std::vector<std::string>;

// The calls of that process alone, until it ends or becomes something else. Not those that ask a
// clock: in most places no call is needed for it. `directory`: the program's ATMOST_DIR.
Calls calls_of(const Words& words, const std::string& directory);

// Page faults of the process and of those that it waited for, from the moment at which it has
// become the program until its end: the least of several tries.
long faults_of(const Words& words, const std::string& directory);

}  // namespace witness

#endif
