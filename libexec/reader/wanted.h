// Which locks' lines are wanted.
#ifndef ATMOST_LIBEXEC_READER_WANTED_H
#define ATMOST_LIBEXEC_READER_WANTED_H

#include <string>
#include <vector>

#include "history/record.h"

namespace atmost::history {

// A lock that events are asked for: as the user calls it, and where it is (one file may have several paths).
struct WantedLock {
  std::string name;  // empty: its path alone counts
  std::vector<std::string> paths;
};

// Whether the line is about one of the locks; no locks: all are wanted.
bool is_wanted(const std::vector<WantedLock>& locks, const Record& record);

}  // namespace atmost::history

#endif
