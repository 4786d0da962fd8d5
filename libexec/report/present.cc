#include "present.h"

#include <sys/stat.h>

#include "core/limiter.h"

namespace atmost::report {
namespace {

class Count final : public LockVisitor {
 public:
  void header(const Header& header) override {
    found.drained = header.drained;
    if (header.last.start.known) found.start_ns = header.last.start.real_ns;
  }
  void holder(const HolderView& holder) override {
    if (!holder.read_locked) ++found.holders;
  }
  void waiter(const WaiterView&) override { ++found.waiters; }

  Present found;
};

}  // namespace

bool is_plain_file(const std::string& path) {
  struct stat there = {};
  return path.starts_with('/') && ::lstat(path.c_str(), &there) == 0 && S_ISREG(there.st_mode);
}

Result<Present> look_at(const std::string& path, const Instant& now) {
  StoreRoom room;
  Result<Store*> files = open_store("file:", room);
  if (!files.ok()) return files.error();
  LockSpec lock;
  lock.path = lock.name = TextView::of(path);
  Count count;
  const Result<std::uint32_t> looked = files.value()->inspect(lock, now, &count);
  if (!looked.ok()) return looked.error();
  return count.found;
}

PresentLocks look_at_present(const std::vector<Summary>& locks) {
  const Instant moment = now();
  PresentLocks to;
  for (const Summary& lock : locks) {
    if (!is_plain_file(lock.story->path)) continue;
    if (const Result<Present> found = look_at(lock.story->path, moment); found.ok())
      to[lock.story->path] = found.value();
  }
  return to;
}

}  // namespace atmost::report
