#include "pack.h"

namespace atmost::report {

std::string base64(std::string_view bytes) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string to;
  to.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto byte = [&](std::size_t i) {
      return at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0u;
    };
    const unsigned group = byte(0) << 16 | byte(1) << 8 | byte(2);
    to.push_back(kLetters[group >> 18 & 63]);
    to.push_back(kLetters[group >> 12 & 63]);
    to.push_back(at + 1 < bytes.size() ? kLetters[group >> 6 & 63] : '=');
    to.push_back(at + 2 < bytes.size() ? kLetters[group & 63] : '=');
  }
  return to;
}

}  // namespace atmost::report
