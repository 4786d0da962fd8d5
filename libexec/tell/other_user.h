// Notifications as the command's user, if that is another user (atmost pass as root).
#ifndef ATMOST_LIBEXEC_TELL_OTHER_USER_H
#define ATMOST_LIBEXEC_TELL_OTHER_USER_H

#include <string>

#include "tell_request.h"

namespace atmost::tell {

// Starts this program again behind the words `run_as` (core/tell.h), and logs what it reports. This
// process keeps its user, runs nothing of the other one's, and believes only two short texts.
// Blocks until that program has ended, at most until the deadline.
void tell_as(const std::string& run_as, Clock::time_point deadline);

}  // namespace atmost::tell

#endif
