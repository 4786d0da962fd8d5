// The pings of --ping, in the protocol of healthchecks.io: URL/start and URL/CODE, each with the
// run's id as the parameter rid; the end of the output is the body of the second one.
#ifndef ATMOST_LIBEXEC_TELL_PING_H
#define ATMOST_LIBEXEC_TELL_PING_H

#include <string>

#include "tell_request.h"

namespace atmost::tell {

// Sends it: http and https only, certificates are verified, at most three redirects and none to
// http. A server that does not answer, or answers with an error of its own, gets the request again
// until the deadline. Blocks until then at most. Returns the reason why it was not delivered; empty
// if it was. The text never holds a part of the URL. REQUIRES: request.ping.
std::string send_ping(const TellRequest& request, Clock::time_point deadline);

}  // namespace atmost::tell

#endif
