// Text on its way to a descriptor: escaped, and an error if it cannot be written.
#ifndef ATMOST_LIBEXEC_EXPLAIN_REPORT_H
#define ATMOST_LIBEXEC_EXPLAIN_REPORT_H

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace atmost::explain {

// Collects the text and writes it at finish(). Blocks as the descriptor does. A vanished reader
// raises no SIGPIPE. REQUIRES: a single-threaded process.
class Report {
 public:
  explicit Report(int fd) : fd_(fd) {}
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  Report& text(std::string_view ours);      // as it is
  Report& shown(std::string_view foreign);  // escaped for a terminal
  Report& number(std::int64_t value) { return text(std::to_string(value)); }
  Report& count(std::uint64_t value) { return text(std::to_string(value)); }
  Report& hex(std::uint64_t value);
  Report& line() { return text("\n"); }
  Status finish();

 private:
  int fd_;
  std::string text_;
};

// A byte position as a person reads the map: "8", "2^42+7".
std::string position_words(std::int64_t byte);

}  // namespace atmost::explain

#endif
