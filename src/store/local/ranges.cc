#include "ranges.h"

#include "os/locks.h"

namespace atmost::local {
namespace {

int any_locked(int fd, std::int64_t low, std::int64_t end, Run& to, os::LockKind against) {
  to = {};
  if (low >= end) return 0;
  os::Conflict conflict;
  const int error = os::query_lock(fd, os::Owner::description, against, {low, end - low}, conflict);
  if (error != 0 || !conflict.found) return error;
  const std::int64_t behind =
      conflict.bytes.length == 0 ? end : conflict.bytes.start + conflict.bytes.length;
  to.found = true;
  to.start = conflict.bytes.start > low ? conflict.bytes.start : low;
  to.end = behind < end ? behind : end;
  to.lock = conflict;
  return 0;
}

}  // namespace

int first_locked(int fd, std::int64_t low, std::int64_t end, Run& to, os::LockKind against) {
  if (const int error = any_locked(fd, low, end, to, against)) return error;
  while (to.found && to.start > low) {
    Run earlier;
    if (const int error = any_locked(fd, low, to.start, earlier, against)) return error;
    if (!earlier.found) break;
    to = earlier;
  }
  return 0;
}

int last_locked(int fd, std::int64_t low, std::int64_t end, Run& to, os::LockKind against) {
  to = {};
  std::int64_t from = end;
  for (std::int64_t span = 1; from > low && !to.found; span *= 2) {
    const std::int64_t until = from;
    from = end - low <= span ? low : end - span;
    if (const int error = any_locked(fd, from, until, to, against)) return error;
    if (span > 1 || to.found) continue;
    Run any;  // no neighbour: is any byte locked?
    if (const int error = any_locked(fd, low, from, any, against)) return error;
    if (!any.found) break;
  }
  while (to.found) {
    Run later;
    if (const int error = any_locked(fd, to.end, end, later, against)) return error;
    if (!later.found) break;
    to = later;
  }
  return 0;
}

}  // namespace atmost::local
