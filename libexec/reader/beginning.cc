#include "reader/beginning.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "history/line.h"
#include "os/file.h"
#include "reader/record.h"

namespace atmost::history {
namespace {

constexpr std::int64_t kLate = 60'000'000'000;
// A part of this size has a whole line in it, wherever the part begins.
constexpr std::size_t kBlock = 2 * kMaxLine;

// True if there are whole lines in `text`, behind the end of the first, and all are older.
bool all_older(std::string_view text, std::int64_t than_ns) {
  bool any = false;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos;) {
    const std::size_t end = text.find('\n', at + 1);
    if (end == std::string_view::npos) break;
    Record record;
    if (read_line(text.substr(at + 1, end - at - 1), record) != Reading::foreign) {
      if (record.ns("at") >= than_ns) return false;
      any = true;
    }
    at = end;
  }
  return any;
}

}  // namespace

std::int64_t find_beginning(int fd, std::int64_t size, std::int64_t since_ns) {
  if (since_ns < INT64_MIN + kLate) return 0;
  std::vector<char> block(kBlock);
  std::int64_t low = 0;  // the beginning of a line before which all are older
  for (std::int64_t high = size; high - low > static_cast<std::int64_t>(kBlock);) {
    const std::int64_t middle = low + (high - low) / 2;
    std::size_t got = 0;
    if (os::read_at(fd, block.data(), block.size(), middle, got) != 0) return low;
    const std::string_view text(block.data(), got);
    if (all_older(text, since_ns - kLate)) {
      low = middle + static_cast<std::int64_t>(text.rfind('\n')) + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace atmost::history
