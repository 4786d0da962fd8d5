#include "machine.h"

#include <sys/utsname.h>

namespace atmost::os {

namespace {

Text<255> ask_host_name() {
  struct utsname names;
  if (uname(&names) < 0) return {};
  return Text<255>(names.nodename);
}

}  // namespace

#ifdef ATMOST_OWN_PROCESS
// Read once, so that a run names one host even if the machine is renamed meanwhile.
Text<255> host_name() {
  static constinit Text<255> known;
  if (known.empty()) known = ask_host_name();
  return known;
}
#else
Text<255> host_name() { return ask_host_name(); }
#endif

}  // namespace atmost::os
