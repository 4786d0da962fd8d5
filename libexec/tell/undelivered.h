// A message that was not delivered becomes a line in the history.
#ifndef ATMOST_LIBEXEC_TELL_UNDELIVERED_H
#define ATMOST_LIBEXEC_TELL_UNDELIVERED_H

#include <string>

#include "tell_request.h"

namespace atmost::tell {

// Appends the event `undelivered` for the request's run, or reports it to who does that. `to`:
// notify or ping. `why` holds no address. Cannot fail visibly: nobody is left who could be told.
void log_undelivered(const TellRequest& request, const std::string& to, const std::string& why);

}  // namespace atmost::tell

#endif
