#include "learned.h"

#include <sys/stat.h>

#include <string>

#include "core/limiter.h"

namespace atmost::report {
namespace {

// A log may name any path, even a device that reacts when it is opened.
bool is_plain_file(const std::string& path) {
  struct stat there = {};
  return path.starts_with('/') && ::lstat(path.c_str(), &there) == 0 && S_ISREG(there.st_mode);
}

}  // namespace

std::int64_t learned_limit_ns(const LockStory& story) {
  Request request;
  request.lock_count = 1;
  request.locks[0].path = PathText(story.path);
  if (request.locks[0].path.truncated() || !is_plain_file(story.path)) return 0;
  StoreRoom room;
  Result<Owned<Store>> files = open_store("file:", room);
  if (!files.ok()) return 0;
  const Result<Tuning> tuning = tune(*files.value(), request);
  if (!tuning.ok() || tuning.value().kept != StatsKept::kept || tuning.value().completed == 0)
    return 0;
  const Duration limit = tuning.value().limits.expire_after;
  return limit.is_forever() ? 0 : limit.ns;
}

}  // namespace atmost::report
