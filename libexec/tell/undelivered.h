// Logs a message that was not delivered.
#ifndef ATMOST_LIBEXEC_TELL_UNDELIVERED_H
#define ATMOST_LIBEXEC_TELL_UNDELIVERED_H

#include <string>

#include "tell_request.h"

namespace atmost::tell {

// Appends the event `undelivered` for the request's run, or reports it to the process that does.
// `to`: notify or ping. `why` holds no address. A failure is not reported: no process is left that
// could report it.
void log_undelivered(const TellRequest& request, const std::string& to, const std::string& why);

}  // namespace atmost::tell

#endif
