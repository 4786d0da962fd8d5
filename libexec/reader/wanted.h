// Which locks' lines are wanted.
#ifndef ATMOST_LIBEXEC_READER_WANTED_H
#define ATMOST_LIBEXEC_READER_WANTED_H

#include <string>
#include <vector>

#include "reader/record.h"

namespace atmost::history {

// A lock whose events are wanted: as the user names it, and where it is (one file may have several
// paths).
struct WantedLock {
  std::string name;  // empty: its path alone counts
  std::vector<std::string> paths;
  std::string asked;          // as the user wrote it
  bool used = true;           // its file exists
  mutable bool seen = false;  // a line is about it
};

// Whether the line is about one of the locks; no locks: all are wanted.
bool is_wanted(const std::vector<WantedLock>& locks, const Record& record);

// Reports which of the locks have neither a file nor a line, and which name of their directory may
// have been meant.
void warn_of_unknown(const std::vector<WantedLock>& locks);

}  // namespace atmost::history

#endif
