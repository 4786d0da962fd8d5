// In place of ping.cc, where there is no libcurl.
#include "ping.h"

namespace atmost::tell {

std::string send_ping(const TellRequest&, Clock::time_point) {
  return "this atmost was built without libcurl";
}

}  // namespace atmost::tell
