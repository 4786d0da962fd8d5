// The logs to read for the locks that are asked for, and what is in them.
#ifndef ATMOST_LIBEXEC_READER_SOURCES_H
#define ATMOST_LIBEXEC_READER_SOURCES_H

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reader/record.h"
#include "reader/selection.h"

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

// True if the line is about one of the locks; with no locks, all lines are wanted.
bool is_wanted(const std::vector<WantedLock>& locks, const Record& record);

// Reports that there is no such log, and whether its directory is missing, too.
void complain_of_missing(const std::string& log);

// Reports the locks that have neither a file nor a line, each with the name in its directory that
// may have been meant.
void warn_of_unknown(const std::vector<WantedLock>& locks);

struct ReadThrough {
  std::size_t lines = 0;    // that were wanted
  std::size_t skipped = 0;  // torn, not ours, or of a time that is not between 1970 and 2200
  Sources sources;
};

// Calls `take` with every wanted line of the selection's logs, log by log, each in its own order;
// the record is valid during the call only. Uses one buffer of bounded size, however long the logs
// are. Reports on standard error, unless quiet, which logs do not exist and how many lines were
// skipped. Throws Failure.
ReadThrough read_whole(const Selection& selection, const std::function<void(const Record&)>& take);

// "3 lines were skipped", with the reason.
std::string skipped_words(std::size_t lines);

}  // namespace atmost::history

#endif
