#include "mark.h"

#include <unistd.h>

#include "calls.h"
#include "clock.h"

namespace atmost::os {

std::int64_t mark_descriptor(int fd) {
  // Where programs hardly ever read or write, below what any filesystem of ours takes; begun at
  // another place in each process, so far above the lowest that it is never reached.
  constexpr std::int64_t kLowest = std::int64_t{1} << 40;
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

bool has_mark(int fd, std::int64_t mark) {
  return mark != 0 && calls.seek(fd, 0, SEEK_CUR) == mark;
}

}  // namespace atmost::os
