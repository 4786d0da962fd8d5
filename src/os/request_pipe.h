// The waits of a process that keeps a lock: for requests of other programs, for the end of others.
#ifndef ATMOST_OS_REQUEST_PIPE_H
#define ATMOST_OS_REQUEST_PIPE_H

#include <cstddef>
#include <cstdint>

#include "core/text.h"
#include "core/time.h"

namespace atmost::os {

// A pair of pipes by which a shell can ask this process for something without starting a process of
// its own. The shell opens /proc/PID/fd/kAnswer to read and /proc/PID/fd/kAsk to read and write (a
// reader of the pipe gets no SIGPIPE), writes "LETTER NAME PID\n", and reads a line, which means
// yes, or the end of the stream: no, or the process is gone. Descriptors are close-on-exec. One
// asker at a time. An unread answer can be read as long as the asker has the pipe open.
class RequestPipe {
 public:
  static constexpr int kAsk = 100;
  static constexpr int kAnswer = 101;
  static constexpr int kAskStaysOpen = 102;  // the same pipe as kAsk

  // Makes the pipes and a name. Children inherit all. 0 or an errno value. Files that were open at
  // the three descriptors are closed.
  int hang();
  bool hangs() const { return !name_.empty(); }
  // "NAME PID": of the process that is to be asked. No other RequestPipe on this machine has it.
  Text<63> address(std::int64_t pid) const;

  // The letter of a request that has the right address; 0 if there is none. Never blocks.
  char asked() const;
  void accept();
  bool decline();  // false: this process has to end, which is an answer, too
  bool unread() const;

 private:
  friend class EventWait;
  Text<15> name_;
  bool answered_ = false;  // and the asker has not been seen to leave since
};

// Appends to a file that exists, magic links as /dev/stdin included: 0 or an errno value.
int append_to(const char* path, const void* from, std::size_t size);

// Waiting for the end of a process, a signal, a request or a time.

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
