#include "machine.h"

#include <sys/utsname.h>

namespace atmost::os {

Text<255> host_name() {
  struct utsname names = {};
  if (uname(&names) < 0) return {};
  return Text<255>(names.nodename);
}

}  // namespace atmost::os
