#include "sha256.h"

namespace atmost::request {
namespace {

struct Constants {
  std::uint32_t k[64] = {};
};

// Section 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64
// primes. Computed by the compiler, so that there is no table to mistype: the integer cube root of
// p * 2^96 is cbrt(p) * 2^32.
consteval Constants make_constants() {
  Constants made;
  unsigned count = 0;
  for (unsigned candidate = 2; count < 64; ++candidate) {
    bool prime = true;
    for (unsigned divisor = 2; divisor * divisor <= candidate; ++divisor)
      prime = prime && candidate % divisor != 0;
    if (!prime) continue;
    const unsigned __int128 wanted = static_cast<unsigned __int128>(candidate) << 96;
    unsigned __int128 root = 0;
    for (int bit = 34; bit >= 0; --bit) {
      const unsigned __int128 tried = root | (static_cast<unsigned __int128>(1) << bit);
      if (tried * tried * tried <= wanted) root = tried;
    }
    made.k[count++] = static_cast<std::uint32_t>(root);
  }
  return made;
}

constexpr Constants kConstants = make_constants();
static_assert(kConstants.k[0] == 0x428a2f98 && kConstants.k[63] == 0xc67178f2);

constexpr std::uint32_t rotate(std::uint32_t word, int by) {
  return (word >> by) | (word << (32 - by));
}

}  // namespace

// Section 6.2.2, with the message schedule kept to its last sixteen words.
void Sha256::block() {
  std::uint32_t w[16];
  for (std::size_t t = 0; t < 16; ++t) {
    w[t] = static_cast<std::uint32_t>(pending_[4 * t]) << 24 |
           static_cast<std::uint32_t>(pending_[4 * t + 1]) << 16 |
           static_cast<std::uint32_t>(pending_[4 * t + 2]) << 8 | pending_[4 * t + 3];
  }
  std::uint32_t v[8];
  for (unsigned i = 0; i < 8; ++i) v[i] = state_[i];
  for (unsigned t = 0; t < 64; ++t) {
    std::uint32_t& now = w[t % 16];
    if (t >= 16) {
      const std::uint32_t a = w[(t - 15) % 16];
      const std::uint32_t b = w[(t - 2) % 16];
      now += (rotate(a, 7) ^ rotate(a, 18) ^ (a >> 3)) + w[(t - 7) % 16] +
             (rotate(b, 17) ^ rotate(b, 19) ^ (b >> 10));
    }
    const std::uint32_t first = v[7] + (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)) +
                                ((v[4] & v[5]) ^ (~v[4] & v[6])) + kConstants.k[t] + now;
    const std::uint32_t second = (rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)) +
                                 ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    for (unsigned i = 7; i > 0; --i) v[i] = v[i - 1];
    v[4] += first;
    v[0] = first + second;
  }
  for (unsigned i = 0; i < 8; ++i) state_[i] += v[i];
}

void Sha256::byte(unsigned char value) {
  pending_[total_ % 64] = value;
  ++total_;
  if (total_ % 64 == 0) block();
}

void Sha256::add(std::string_view bytes) {
  for (char c : bytes) byte(static_cast<unsigned char>(c));
}

void Sha256::finish(unsigned char (&digest)[kBytes]) {
  const std::uint64_t bits = total_ * 8;
  byte(0x80);
  while (total_ % 64 != 56) byte(0);
  for (int shift = 56; shift >= 0; shift -= 8) byte(static_cast<unsigned char>(bits >> shift));
  for (unsigned i = 0; i < kBytes; ++i)
    digest[i] = static_cast<unsigned char>(state_[i / 4] >> (24 - 8 * (i % 4)));
}

}  // namespace atmost::request
