// The events of poll(2) that a description has.
#include <poll.h>

#include "world/kernel.h"

namespace world {

short Kernel::ready_events(const Process& process, int number, short events) const {
  const auto found = descriptions_.find(number);
  if (found == descriptions_.end()) return POLLNVAL;
  const Description& of = found->second;
  short ready = POLLIN | POLLOUT;  // of a file
  if (of.inotify) ready = of.inotify->queue.empty() ? 0 : POLLIN;
  if (of.signals != 0) ready = (process.signals.pending & of.signals) != 0 ? POLLIN : 0;
  return static_cast<short>(ready & (events | POLLERR | POLLHUP));
}

}  // namespace world
