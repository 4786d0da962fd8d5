// Text for one descriptor, collected and written in few pieces. Names go through escaped(), or
// into a JsonLine.
#ifndef ATMOST_CLI_OUTPUT_H
#define ATMOST_CLI_OUTPUT_H

#include <string_view>

#include "core/result.h"
#include "core/text.h"
#include "core/time.h"

namespace atmost::cli {

// Memory for a JsonLine of --json: three long texts at most, short ones and numbers.
inline constexpr std::size_t kJsonRoom = 16384;

// Not copyable, single-threaded. A line that fits the buffer is written by one write(2), so that
// lines of several processes do not mix. After a failed write nothing more is written.
class Output {
 public:
  explicit Output(int fd) : fd_(fd) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  Output& text(std::string_view plain);
  Output& escaped(std::string_view name);
  Output& number(std::uint64_t value);
  Output& signed_number(std::int64_t value);
  // Writes the collected text; false once something could not be written.
  bool flush();

  // Calls flush(); true if everything was written. It is also true if the reader closed the pipe:
  // atmost list | head -1.
  Status finish();

 private:
  int fd_;
  Text<4096> pending_;
  Error error_;
  bool failed_ = false;
};

// "atmost: MESSAGE" with the error's message escaped, as one line on standard error.
void complain(const Error& error);
void complain(std::string_view message);

// The end of a subcommand that only shows something: returns its exit code, and reports output that
// could not be written.
int finish(Output& out);

}  // namespace atmost::cli

#endif
