// Waits for a log to grow.
#ifndef ATMOST_LIBEXEC_HISTORY_FOLLOW_H
#define ATMOST_LIBEXEC_HISTORY_FOLLOW_H

#include <string>
#include <vector>

#include "os/fd.h"

namespace atmost::history {

// Watches the directories of the logs, so that rotations and new files are seen too.
class Growth {
 public:
  explicit Growth(const std::vector<std::string>& logs);
  // Returns when something in those directories changed, and after a second anyway: a hint. Blocks
  // that long.
  void wait();

 private:
  os::Fd inotify_;
};

}  // namespace atmost::history

#endif
