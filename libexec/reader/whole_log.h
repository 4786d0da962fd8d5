// Logs from their oldest line to their newest, for programs that read all of them once.
#ifndef ATMOST_LIBEXEC_READER_WHOLE_LOG_H
#define ATMOST_LIBEXEC_READER_WHOLE_LOG_H

#include <cstddef>
#include <functional>
#include <string>

#include "reader/record.h"
#include "reader/selection.h"
#include "reader/sources.h"

namespace atmost::history {

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
