// The locks whose lines are wanted.
#ifndef ATMOST_LIBEXEC_READER_WANTED_H
#define ATMOST_LIBEXEC_READER_WANTED_H

#include <string>
#include <vector>

#include "reader/record.h"

namespace atmost::history {

// A lock whose events are wanted: its name from the user, and its path (one file may have several
// paths).
struct WantedLock {
  std::string name;  // empty: its path alone counts
  std::vector<std::string> paths;
  std::string asked;          // as the user wrote it
  bool used = true;           // its file exists
  mutable bool seen = false;  // a line is about it
};

// True if the line is about one of the locks; with no locks, all lines are wanted.
bool is_wanted(const std::vector<WantedLock>& locks, const Record& record);

// Reports the locks that have neither a file nor a line, each with the name in its directory that
// may have been meant.
void warn_of_unknown(const std::vector<WantedLock>& locks);

}  // namespace atmost::history

#endif
