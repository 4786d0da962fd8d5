#include "fd.h"

#include <cerrno>

#include "calls.h"

namespace atmost::os {

void Fd::reset() {
  if (fd_ < 0) return;
  const int saved = errno;
  calls.close(std::exchange(fd_, -1));
  errno = saved;
}

}  // namespace atmost::os
