#include "buckets.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace atmost::report {
namespace {

// Adds up how much of each piece is covered, a span at a time.
class Cover {
 public:
  explicit Cover(std::size_t count) : part_(count + 1, 0), whole_(count + 1, 0) {}

  // From and to in pieces, within 0 and the count.
  void add(double from, double to, double weight) {
    const auto first = static_cast<std::size_t>(from);
    const auto last = static_cast<std::size_t>(to);
    if (first == last) {
      part_[first] += weight * (to - from);
      return;
    }
    part_[first] += weight * (static_cast<double>(first + 1) - from);
    part_[last] += weight * (to - static_cast<double>(last));
    whole_[first + 1] += weight;
    whole_[last] -= weight;
  }
  void write(std::vector<Bucket>& to) const {
    double whole = 0;
    for (std::size_t i = 0; i < to.size(); ++i) {
      whole += whole_[i];
      to[i].held = std::max(0.0, whole + part_[i]);
    }
  }

 private:
  std::vector<double> part_;
  std::vector<double> whole_;  // changes
};

Bucket* at(std::vector<Bucket>& buckets, const Window& window, std::int64_t at_ns) {
  if (at_ns < window.from_ns || at_ns > window.to_ns) return nullptr;
  const auto index = static_cast<std::size_t>(window.place(at_ns));
  return &buckets[std::min(index, buckets.size() - 1)];
}

}  // namespace

std::vector<Bucket> buckets_of(const LockStory& story, const Window& window) {
  std::vector<Bucket> to(window.count);
  Cover cover(window.count);
  const auto end = static_cast<double>(window.count);
  for (const Run& run : story.runs) {
    const double from = std::clamp(window.place(run.start_ns), 0.0, end);
    const double until = std::clamp(window.place(run.end_ns()), 0.0, end);
    if (until > from) cover.add(from, until, run.take);
    Bucket* bucket = at(to, window, run.start_ns);
    if (bucket == nullptr) continue;
    ++bucket->runs;
    if (run.status == RunStatus::failure) ++bucket->failed;
    if (run.status == RunStatus::killed) ++bucket->killed;
  }
  for (const Mark& mark : story.marks) {
    Bucket* bucket = at(to, window, mark.at_ns);
    if (bucket == nullptr) continue;
    ++(mark.kind == Mark::Kind::too_soon ? bucket->too_soon
       : mark.kind == Mark::Kind::busy   ? bucket->busy
                                         : bucket->takeovers);
  }
  cover.write(to);
  return to;
}

std::vector<std::uint32_t> queue_of(const std::vector<const LockStory*>& stories,
                                    const Window& window) {
  std::vector<std::pair<std::int64_t, int>> steps;
  const auto waited = [&](std::int64_t at_ns, std::int64_t for_ns) {
    const std::int64_t from = std::max(at_ns - for_ns, window.from_ns);
    const std::int64_t to = std::min(at_ns, window.to_ns);
    if (from >= to) return;
    steps.emplace_back(from, 1);
    steps.emplace_back(to, -1);
  };
  for (const LockStory* story : stories) {
    for (const Run& run : story->runs) waited(run.start_ns, run.waited_ns);
    for (const Mark& mark : story->marks) waited(mark.at_ns, mark.waited_ns);
  }
  std::sort(steps.begin(), steps.end());  // at one moment, those that leave come first
  std::vector<std::uint32_t> most(window.count, 0);
  std::uint32_t waiting = 0;
  std::size_t piece = 0;
  for (const auto& [at_ns, change] : steps) {
    const std::size_t here =
        std::min(static_cast<std::size_t>(window.place(at_ns)), window.count - 1);
    for (; waiting > 0 && piece < here; ++piece)
      most[piece + 1] = std::max(most[piece + 1], waiting);
    piece = here;
    waiting = change > 0 ? waiting + 1 : waiting - 1;
    most[piece] = std::max(most[piece], waiting);
  }
  return most;
}

}  // namespace atmost::report
