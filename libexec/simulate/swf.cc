#include "swf.h"

#include <cmath>
#include <cstddef>

namespace atmost::simulate {
namespace {

constexpr int kFields = 18;
// A century of seconds: two such moments fit into 64 bits of nanoseconds, and no log is longer.
constexpr double kLongest = 3e9;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// A decimal number at the beginning of `text`, which is cut off there.
bool take_number(std::string_view& text, double& to) {
  std::size_t at = 0;
  const bool negative = at < text.size() && text[at] == '-';
  if (negative) ++at;
  std::size_t digits = 0;
  double value = 0, unit = 1;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, ++digits)
    value = value * 10 + (text[at] - '0');
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, ++digits) {
      unit /= 10;
      value += (text[at] - '0') * unit;
    }
  }
  if (digits == 0 || digits > 15 || (at < text.size() && !is_blank(text[at]))) return false;
  text.remove_prefix(at);
  to = negative ? -value : value;
  return true;
}

std::int64_t nanoseconds(double seconds) {
  return static_cast<std::int64_t>(std::llround(seconds * 1e3)) * 1'000'000;
}

Job::Status status_of(double field) {
  if (field == 0) return Job::Status::failed;
  if (field == 5) return Job::Status::cancelled;
  return field >= 2 && field <= 4 ? Job::Status::partial : Job::Status::completed;
}

}  // namespace

Swf read_swf(std::string_view line, Job& to) {
  double fields[kFields];
  int count = 0;
  while (true) {
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    if (line.empty() || count == kFields) break;
    if (count == 0 && line.front() == ';') return Swf::comment;
    if (!take_number(line, fields[count])) return Swf::wrong;
    ++count;
  }
  if (count == 0) return Swf::comment;
  if (count < kFields) return Swf::wrong;
  const double start = fields[1] + (fields[2] > 0 ? fields[2] : 0);
  if (!(start >= 0) || start > kLongest || fields[3] > kLongest) return Swf::wrong;
  to.start_ns = nanoseconds(start);
  to.ran_ns = fields[3] < 0 ? -1 : nanoseconds(fields[3]);
  to.status = status_of(fields[10]);
  to.user = static_cast<std::int64_t>(fields[11]);
  to.program = static_cast<std::int64_t>(fields[13]);
  return Swf::job;
}

}  // namespace atmost::simulate
