// The logs to read for the locks that are asked for.
#ifndef ATMOST_LIBEXEC_READER_SOURCES_H
#define ATMOST_LIBEXEC_READER_SOURCES_H

#include <string>
#include <string_view>
#include <vector>

#include "reader/selection.h"
#include "reader/wanted.h"

namespace atmost::history {

struct Sources {
  std::vector<std::string> logs;  // paths, each once; their old generations are not listed
  std::vector<WantedLock> locks;
  std::string directory;  // that of named locks, whose history it is; empty: others were asked for
  std::string host;
};

// The log of --log. Without it: for each named lock the history of its directory; for a path the
// history of the user's lock directory, and before it the one beside the lock file if there is one;
// without locks the history of the lock directory. Throws Failure.
Sources find_sources(const Selection& selection);

// The value of a variable, borrowed from the environment; empty if it is not set.
std::string_view variable(const char* name);

}  // namespace atmost::history

#endif
