#include "activity.h"

namespace atmost::os {
namespace {

// The number behind `name`.
bool field(std::string_view text, std::string_view name, std::int64_t& to) {
  std::size_t at = text.find(name);
  if (at >= text.size()) return false;
  at += name.size();
  std::int64_t value = 0;
  std::size_t digits = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, ++digits) {
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, text[at] - '0', &value)) {
      return false;
    }
  }
  to = value;
  return digits > 0;
}

// Bytes that so many calls may have moved without moving data.
bool only_wakes(std::int64_t bytes, std::int64_t calls) {
  constexpr std::int64_t kEventBytes = 8;  // eventfd(2), timerfd_create(2)
  return bytes <= calls || (bytes % kEventBytes == 0 && bytes <= kEventBytes * calls);
}

}  // namespace

bool parse_process_io(std::string_view text, IoCounters& to) {
  std::int64_t from_disk = 0;
  std::int64_t to_disk = 0;
  if (!field(text, "rchar: ", to.read_bytes) || !field(text, "\nwchar: ", to.written_bytes) ||
      !field(text, "\nsyscr: ", to.reads) || !field(text, "\nsyscw: ", to.writes) ||
      !field(text, "\nread_bytes: ", from_disk) || !field(text, "\nwrite_bytes: ", to_disk)) {
    return false;
  }
  to.storage_bytes = from_disk + to_disk;
  return true;
}

bool is_quiet(const IoCounters& since) {
  if (since.storage_bytes != 0) return false;
  if (since.written_bytes != 0 && since.read_bytes == 0) return false;
  return only_wakes(since.read_bytes, since.reads) && only_wakes(since.written_bytes, since.writes);
}

}  // namespace atmost::os
