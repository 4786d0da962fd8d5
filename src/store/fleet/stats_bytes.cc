#include "stats_bytes.h"

#include <bit>
#include <cstring>
#include <type_traits>

namespace atmost::fleet {
namespace {

// Another number when a field changes.
constexpr std::string_view kMark =
    std::endian::native == std::endian::little ? "runs:4:L\n" : "runs:4:B\n";
constexpr std::string_view kOldMark =
    std::endian::native == std::endian::little ? "runs:3:L\n" : "runs:3:B\n";
constexpr std::size_t old_size(const LockStats&) { return kOldLockStats; }
constexpr std::size_t old_size(const DirectoryStats&) { return sizeof(DirectoryStats); }

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
  const bool old = bytes.starts_with(kOldMark);
  const std::size_t size = old ? old_size(stats) : sizeof stats;
  if (!(old || bytes.starts_with(kMark)) || bytes.size() != kMark.size() + size) return;
  std::memcpy(&stats, bytes.data() + kMark.size(), size);
  if (old) bring_up_to_date(stats);
}

}  // namespace

std::string bytes_of(const LockStats& stats) { return to_bytes(stats); }
std::string bytes_of(const DirectoryStats& stats) { return to_bytes(stats); }
void read_bytes(std::string_view bytes, LockStats& stats) { from_bytes(bytes, stats); }
void read_bytes(std::string_view bytes, DirectoryStats& stats) { from_bytes(bytes, stats); }

}  // namespace atmost::fleet
