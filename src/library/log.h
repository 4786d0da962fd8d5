// The C library's part of the history: one log for all locks of the process.
#ifndef ATMOST_LIBRARY_LOG_H
#define ATMOST_LIBRARY_LOG_H

#include "history/log.h"

namespace atmost::limiter {

// Appends the event. The log stays open for the next event, so the program has one descriptor of
// it, however many locks it holds. Any thread and a forked child may call it; no call waits for
// another thread.
Status append_to_kept_log(const history::LogPlace& place, const Event& event);

}  // namespace atmost::limiter

#endif
