#include "locks.h"

#include <bit>
#include <cstring>
#include <type_traits>

#include "os/process.h"
#include "os/self.h"

namespace atmost::fleet {

std::string_view key_of(const LockSpec& lock) {
  const std::string_view path = lock.path;
  return path.substr(path.rfind('/') + 1);
}

Status check_distinct(const Request& request) {
  for (std::uint32_t i = 1; i < request.lock_count; ++i) {
    for (std::uint32_t j = 0; j < i; ++j) {
      if (key_of(request.locks[i]) != key_of(request.locks[j])) continue;
      Error twice = error_of(Code::usage, 0, request.locks[i].name);
      twice.message.append(": the same lock twice: leave one of them out");
      return twice;
    }
  }
  return {};
}

OwnTree::OwnTree() : host_(os::host_name()), boot_(os::boot_hash()) {}

void OwnTree::see(std::string_view host, std::uint64_t boot, std::int64_t pid, bool exclusive) {
  const bool here = boot_ != 0 && boot == boot_ && host == host_.view();
  if (!here || !os::is_ancestor(pid)) return;
  ++slots_;
  exclusive_ = exclusive_ || exclusive;
}

bool OwnTree::blocks(const LockSpec& spec) const {
  if (slots_ == 0) return false;
  return exclusive_ || spec.mode == Mode::exclusive || slots_ + spec.take > spec.max;
}

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
