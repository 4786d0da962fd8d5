#include "learned.h"

#include <string>

#include "core/limiter.h"
#include "present.h"

namespace atmost::report {

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
