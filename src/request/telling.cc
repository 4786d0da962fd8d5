// The texts of options and pass files about messages of a run.
#include "core/parse.h"
#include "core/request.h"

namespace atmost {

Result<std::int64_t> parse_output_size(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  std::string_view digits = text;
  const std::size_t unit = text.empty() ? kUnits.npos : kUnits.find(text.back());
  const unsigned shift = unit == kUnits.npos ? 0 : 10 * (static_cast<unsigned>(unit) + 1);
  if (shift > 0) digits.remove_suffix(1);
  const Result<std::uint64_t> number = parse_count(digits, 0, std::uint64_t{INT64_MAX} >> shift);
  if (!number.ok()) return quoted(text, "is not a size, such as 512K, 16M or 1G");
  const std::int64_t size = static_cast<std::int64_t>(number.value() << shift);
  if (size < kLeastOutput) return error_of(Code::usage, 0, "use at least 64K");
  return size;
}

Status parse_ping(std::string_view text, Text<2047>& to) {
  to.clear();
  const bool url = text.starts_with("https://") || text.starts_with("http://");
  bool clean = text.size() <= 2047;
  for (const char c : text) clean = clean && (!url || (c > ' ' && c < '\x7F'));
  if ((!url && (!text.starts_with('@') || text.size() < 2)) || !clean) {
    return error_of(Code::usage, 0,
                    "is not a URL of http or https, nor @ and the name of a file that holds one");
  }
  to.append(text);
  return {};
}

Status check_notify(std::string_view command) {
  constexpr std::size_t kMost = 100'000;  // the kernel takes 128 KiB for one text
  if (command.empty()) return error_of(Code::usage, 0, "is empty: give a command");
  if (command.size() > kMost) return error_of(Code::usage, 0, "is too long: put it into a script");
  return {};
}

}  // namespace atmost
