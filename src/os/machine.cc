#include "machine.h"

#include "calls.h"

namespace atmost::os {

// Read once, so that a run names one host even if the machine is renamed meanwhile.
std::string_view kept_host_name() {
  static constinit Text<255> known;
  struct utsname names;
  if (known.empty() && calls.uname(&names) == 0) known.assign(names.nodename);
  return known;
}

#ifdef ATMOST_OWN_PROCESS
Text<255> host_name() { return Text<255>(kept_host_name()); }
#else
Text<255> host_name() {
  struct utsname names;
  return calls.uname(&names) == 0 ? Text<255>(names.nodename) : Text<255>();
}
#endif

}  // namespace atmost::os
