#include "machine.h"

#include "calls.h"

namespace atmost::os {

namespace {

Text<255> ask_host_name() {
  struct utsname names;
  if (calls.uname(&names) < 0) return {};
  return Text<255>(names.nodename);
}

}  // namespace

// Read once, so that a run names one host even if the machine is renamed meanwhile.
std::string_view kept_host_name() {
  static constinit Text<255> known;
  if (known.empty()) known = ask_host_name();
  return known;
}

#ifdef ATMOST_OWN_PROCESS
Text<255> host_name() { return Text<255>(kept_host_name()); }
#else
Text<255> host_name() { return ask_host_name(); }
#endif

}  // namespace atmost::os
