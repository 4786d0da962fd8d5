// A pipe by which another program can ask this process for something.
#ifndef ATMOST_OS_REQUEST_PIPE_H
#define ATMOST_OS_REQUEST_PIPE_H

#include <cstddef>
#include <cstdint>

#include "core/text.h"

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

}  // namespace atmost::os

#endif
