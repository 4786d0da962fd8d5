#include "report.h"

#include <cstdio>

#include "core/words.h"
#include "os/terminal.h"

namespace atmost::explain {

Report& Report::text(std::string_view ours) {
  text_.append(ours);
  return *this;
}

Report& Report::shown(std::string_view foreign) {
  constexpr std::size_t kLongestEscape = 6;
  const std::size_t before = text_.size();
  text_.resize(before + foreign.size() * kLongestEscape);
  text_.resize(before + escape(foreign, text_.data() + before, text_.size() - before));
  return *this;
}

Report& Report::hex(std::uint64_t value) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "0x%llx", static_cast<unsigned long long>(value));
  return text(digits);
}

Status Report::finish() {
  const int failed = os::write_stream(fd_, text_.data(), text_.size());
  if (failed == 0) return {};
  Error error = error_of(Code::io, failed, "cannot write the report: ");
  error.message.append(errno_words(failed));
  return error;
}

std::string position_words(std::int64_t byte) {
  for (const int power : {48, 43, 42, 41}) {
    const std::int64_t base = std::int64_t{1} << power;
    if (byte < base) continue;
    const std::string words = "2^" + std::to_string(power);
    return byte > base ? words + "+" + std::to_string(byte - base) : words;
  }
  return std::to_string(byte);
}

}  // namespace atmost::explain
