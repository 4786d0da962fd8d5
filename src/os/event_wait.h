// Waiting for the end of a process, a signal, a request or a time.
#ifndef ATMOST_OS_EVENT_WAIT_H
#define ATMOST_OS_EVENT_WAIT_H

#include <cstdint>

#include "core/time.h"
#include "request_pipe.h"

namespace atmost::os {

// The reason for which watch() returned: the process has ended; a signal asks us to release the
// locks (SIGTERM, SIGINT, SIGHUP); the deadline has come; a request arrived; the asker has gone
// without reading the answer.
enum class Watched : std::uint8_t { ended, signalled, time_up, asked, unheard };

// While it exists, every signal is blocked except those that watch() lets through, and these do not
// end the process by themselves. Process-wide, for the rest of the process's life. watch() blocks
// until one of the five events. Time on the boot clock also passes while the machine is suspended;
// the deadline continues a stopped process.
class EventWait {
 public:
  EventWait();
  void set_deadline(std::int64_t boot_ns);  // kForever: none, as at first
  // `requests` may be null.
  Watched watch(int handle, RequestPipe* requests);
  // The value that was sent with the signal (ProcessHandle::send_value()); 0: none.
  std::int64_t signal_value() const;

 private:
  std::int64_t deadline_ns_ = Duration::kForever;
  void* timer_ = nullptr;
  bool has_timer_ = false;
  bool timed_ = false;
};

}  // namespace atmost::os

#endif
