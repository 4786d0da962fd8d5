// Numbers as text that a page carries: variable-length bytes in base64.
#ifndef ATMOST_LIBEXEC_REPORT_PACK_H
#define ATMOST_LIBEXEC_REPORT_PACK_H

#include <cstdint>
#include <string>
#include <string_view>

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

}  // namespace atmost::report

#endif
