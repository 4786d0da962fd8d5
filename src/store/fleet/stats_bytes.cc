#include "stats_bytes.h"

#include <bit>
#include <cstring>
#include <type_traits>

namespace atmost::fleet {
namespace {

// Another number when a field changes.
constexpr std::string_view kMark =
    std::endian::native == std::endian::little ? "runs:3:L\n" : "runs:3:B\n";

template <class T>
std::string to_bytes(const T& stats) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::string bytes(kMark);
  bytes.append(reinterpret_cast<const char*>(&stats), sizeof stats);
  return bytes;
}

template <class T>
void from_bytes(std::string_view bytes, T& stats) {
  stats = {};
  if (!bytes.starts_with(kMark) || bytes.size() != kMark.size() + sizeof stats) return;
  std::memcpy(&stats, bytes.data() + kMark.size(), sizeof stats);
}

}  // namespace

std::string bytes_of(const LockStats& stats) { return to_bytes(stats); }
std::string bytes_of(const DirectoryStats& stats) { return to_bytes(stats); }
void read_bytes(std::string_view bytes, LockStats& stats) { from_bytes(bytes, stats); }
void read_bytes(std::string_view bytes, DirectoryStats& stats) { from_bytes(bytes, stats); }

}  // namespace atmost::fleet
