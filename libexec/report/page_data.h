// The data that the page's script draws, as JSON that is small however long the log was.
#ifndef ATMOST_LIBEXEC_REPORT_PAGE_DATA_H
#define ATMOST_LIBEXEC_REPORT_PAGE_DATA_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ledger.h"
#include "summary.h"

namespace atmost::report {

// RFC 4648, with its padding.
std::string base64(std::string_view bytes);

// Seven bits a byte, the lowest first, the topmost bit set on all but the last.
class Packer {
 public:
  void put(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7)
      bytes_.push_back(static_cast<char>(0x80 | (number & 0x7F)));
    bytes_.push_back(static_cast<char>(number));
  }
  // A negative number, which should not occur, counts as zero.
  void put_signed(std::int64_t number) { put(number < 0 ? 0 : static_cast<std::uint64_t>(number)); }
  std::string text() const { return base64(bytes_); }

 private:
  std::string bytes_;
};

// These bounds keep the page under 5 MiB. Locks beyond kPageLocks, the least troubled ones, are
// left out. Runs and marks of the others are drawn one by one if all of them together are at most
// kPageEvents, otherwise in up to kPageBuckets pieces of time in all.
inline constexpr std::size_t kPageLocks = 500;
inline constexpr std::size_t kPageEvents = 60'000;
inline constexpr std::size_t kPageBuckets = 150'000;

// One JSON object; page/data.js reads it. `locks` in the order they are shown in, at most
// kPageLocks of them. Names are data: < > & are escaped, so that it can stand in a script element.
std::string page_data(const RunLedger& ledger, const std::vector<Summary>& locks);

}  // namespace atmost::report

#endif
