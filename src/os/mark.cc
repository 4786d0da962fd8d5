#include "mark.h"

#include <unistd.h>

#include "calls.h"
#include "clock.h"

namespace atmost::os {
namespace {

// Where programs hardly ever read or write, below what any filesystem of ours takes.
constexpr std::int64_t kLowest = std::int64_t{1} << 40;

}  // namespace

std::int64_t mark_descriptor(int fd) {
  // Begun at another place in each process, so far above the lowest that it is never reached.
  static std::int64_t last = 0;
  std::int64_t none = 0;
  const std::int64_t first = kLowest + kLowest / 4 + (boot_ns() & (kLowest / 4 - 1));
  (void)__atomic_compare_exchange_n(&last, &none, first, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  const std::int64_t mark = __atomic_sub_fetch(&last, 1, __ATOMIC_RELAXED);
  return copy_mark(fd, mark) ? mark : 0;
}

bool copy_mark(int fd, std::int64_t mark) {
  return calls.seek(fd, static_cast<off_t>(mark), SEEK_SET) == mark;
}

Marked marked(int fd, std::int64_t mark) {
  const std::int64_t at = calls.seek(fd, 0, SEEK_CUR);
  if (at < kLowest) return Marked::none;
  return at == mark ? Marked::so : Marked::otherwise;
}

}  // namespace atmost::os
