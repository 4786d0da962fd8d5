// Which logs to read, for the locks asked for.
#ifndef ATMOST_LIBEXEC_READER_SOURCES_H
#define ATMOST_LIBEXEC_READER_SOURCES_H

#include <string>
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

// --log; or for each lock the history of its directory, of a path that of the user's lock directory
// (and before it, where there is one, that beside it); or without locks that of the lock directory.
// Throws Failure.
Sources find_sources(const Selection& selection);

}  // namespace atmost::history

#endif
