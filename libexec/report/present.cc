#include "present.h"

#include <sys/stat.h>

#include <string>

#include "core/limiter.h"
#include "core/words.h"

namespace atmost::report {
namespace {

class Count final : public LockVisitor {
 public:
  void header(const Header& header) override {
    found.drained = header.drained;
    if (header.limit != nullptr) found.limit = recorded_words(*header.limit).view();
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

std::optional<Learned> learned_of(const LockStory& story) {
  Request request;
  request.lock_count = 1;
  request.locks[0].path = TextView::of(story.path);
  if (!is_plain_file(story.path)) return {};
  StoreRoom room;
  Result<Store*> files = open_store("file:", room);
  if (!files.ok()) return {};
  const Result<Tuning> tuned = tune(*files.value(), request);
  if (!tuned.ok()) return {};
  const Tuning& tuning = tuned.value();
  if (tuning.kept != StatsKept::kept || tuning.completed == 0) return {};
  Learned learned;
  const Duration limit = tuning.limits.expire_after;
  learned.limit_ns = limit.is_forever() ? 0 : limit.ns;
  learned.asked = request.learned.risk_ppm / 1000.0;
  learned.expected = 1000 * tuning.chance;
  learned.wrongly = tuning.wrongly;
  learned.hung = tuning.hung;
  learned.limit_words = limit_words(tuning, request.learned).view();
  if (tuning.completed >= tuning.runs_needed)
    learned.risk_words = risk_words(tuning, request.learned).view();
  return learned;
}

}  // namespace atmost::report
