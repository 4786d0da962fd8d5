// SHA-256 as FIPS 180-4 defines it, for names that are too long to be file names.
#ifndef ATMOST_REQUEST_SHA256_H
#define ATMOST_REQUEST_SHA256_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace atmost::request {

// Feed with add(), then ask once with finish(). Plain value, no system call, about 300 MB/s.
class Sha256 {
 public:
  static constexpr std::size_t kBytes = 32;

  void add(std::string_view bytes);
  void finish(unsigned char (&digest)[kBytes]);

 private:
  void byte(unsigned char value);
  void block();

  std::uint32_t state_[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};  // section 5.3.3
  unsigned char pending_[64] = {};
  std::uint64_t total_ = 0;  // bytes so far
};

}  // namespace atmost::request

#endif
