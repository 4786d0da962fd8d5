#include "pace.h"

#include <algorithm>

namespace world {
namespace {

std::string since(std::string_view what, std::int64_t before_ns, std::int64_t latest_ns) {
  return std::string(what) + " was " + duration(latest_ns - before_ns) + " ago, at most";
}

}  // namespace

std::vector<Pace::Start>::const_iterator Pace::first_recorded() const {
  const auto rated = std::ranges::find_if(starts_, &Start::rated);
  return rated == starts_.end() || rated == starts_.begin() ? rated : std::prev(rated);
}

std::string Pace::check(const Claim& claim, std::int64_t latest_ns) const {
  const Run& run = claim.run;
  if (run.rate > 0) {
    const auto within = std::count_if(
        run.rate == 1 ? starts_.begin() : first_recorded(), starts_.end(),
        [&](const Start& start) { return start.earliest_ns > latest_ns - run.window_ns; });
    if (within >= run.rate)
      return std::to_string(within) + " admissions in the last " + duration(run.window_ns);
  }
  if (run.if_elapsed_ns == 0) return {};
  const std::int64_t bound = latest_ns - run.if_elapsed_ns;
  if (run.elapsed_from == kStart && !starts_.empty() && starts_.back().earliest_ns > bound)
    return since("the last start", starts_.back().earliest_ns, latest_ns);
  if (run.elapsed_from == kFinish && last_finish_ns_ > bound)
    return since("the last finish", last_finish_ns_, latest_ns);
  if (run.elapsed_from == kSuccess && last_success_ns_ > bound)
    return since("the last success", last_success_ns_, latest_ns);
  return {};
}

std::int64_t Pace::due_ns(const Run& run) const {
  const auto from = run.rate == 1 ? starts_.begin() : first_recorded();
  if (run.rate == 0 || starts_.end() - from < run.rate) return INT64_MIN;
  return (starts_.end() - run.rate)->earliest_ns + run.window_ns;
}

std::string Pace::enters(int process, const Claim& claim, std::int64_t guard_taken_ns,
                         std::int64_t guard_dropped_ns) {
  if (!claim.recorded()) return {};
  std::string broken = check(claim, guard_dropped_ns);
  starts_.push_back({guard_taken_ns, process, claim.run.rate > 0});
  return broken;
}

void Pace::not_started(int process) {
  for (auto each = starts_.end(); each != starts_.begin();) {
    if ((--each)->process != process) continue;
    starts_.erase(each);
    return;
  }
}

void Pace::ended(std::int64_t ending_ns, bool success) {
  last_finish_ns_ = std::max(last_finish_ns_, ending_ns);
  if (success) last_success_ns_ = std::max(last_success_ns_, ending_ns);
}

}  // namespace world
