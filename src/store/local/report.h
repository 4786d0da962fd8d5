// Text on its way to a descriptor, for the subcommands that tell much: buffered, escaped, and not
// silent when nobody can be told.
#ifndef ATMOST_STORE_LOCAL_REPORT_H
#define ATMOST_STORE_LOCAL_REPORT_H

#include <cstdint>
#include <string_view>

#include "core/result.h"
#include "core/text.h"
#include "core/time.h"

namespace atmost::local {

// Writes when the buffer is full and at finish(). After a failed write the rest is swallowed, and
// finish() says why. Blocks as the descriptor does. A vanished reader raises no SIGPIPE.
class Report {
 public:
  explicit Report(int fd) : fd_(fd) {}
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  Report& text(std::string_view ours);      // as it is
  Report& shown(std::string_view foreign);  // escaped for a terminal
  Report& json(std::string_view foreign);   // as the content of a JSON string
  Report& number(std::int64_t value);
  Report& count(std::uint64_t value) { return text(Text<20>().append_unsigned(value)); }
  Report& hex(std::uint64_t value);
  Report& line() { return text("\n"); }
  // What is buffered, now.
  void flush();
  Status finish();

 private:
  int fd_;
  int error_ = 0;
  Text<4096> buffer_;
};

// A byte position as a person reads the map: "8", "2^42+7".
Text<48> position_words(std::int64_t byte);

}  // namespace atmost::local

#endif
