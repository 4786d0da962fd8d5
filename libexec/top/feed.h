// The locks that atmost list shows, as they are at this moment.
#ifndef ATMOST_LIBEXEC_TOP_FEED_H
#define ATMOST_LIBEXEC_TOP_FEED_H

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "board.h"
#include "os/file.h"

namespace atmost::top {

// One program at a time. The destructor ends a program that still runs, by SIGTERM.
class Job {
 public:
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job();

  // Starts argv[0], a path or a name in PATH, in a process group of its own, where the keys of the
  // terminal do not reach it. Throws Failure when it cannot be started. REQUIRES: none is running.
  void start(const std::vector<std::string>& argv);
  bool running() const { return pid_ > 0; }
  // Readable when it has printed something on its standard output or error, or has ended. -1 if
  // none is running.
  int descriptor() const { return from_.get(); }
  // Takes the output so far, without blocking. True after the last of it: the program has ended,
  // and code() is its exit code, or 128 and the signal.
  bool take();
  const std::string& output() const { return output_; }
  int code() const { return code_; }
  // Lets the program run on by itself.
  void leave_alone();

 private:
  pid_t pid_ = 0;
  os::Fd from_;
  std::string output_;
  int code_ = 0;
};

// One row a line. Any other line is a message, and is left out.
std::vector<Row> rows_of(std::string_view output);

}  // namespace atmost::top

#endif
