#include "policy/schedule.h"

#include "policy/steps.h"

namespace atmost::policy {
namespace {

// Factor for older intervals at each new one: a new schedule outweighs any old one after seven.
constexpr float kKeep = 0.9f;
// Weight of intervals, the older ones counting less: four intervals reach it
constexpr double kEnough = 3.4;
// This many requests in a row have to come too early before the next one counts as spam
constexpr std::uint32_t kKeepArriving = 2;
// A request counts as early up to 1/64 of the interval after its end
constexpr std::int64_t kJitter = 64;
constexpr int kHalf = kStepsPerOctave;
// Intervals this much shorter than the usual one are weighed by their length: those of a burst that
// lasts for a quarter of the usual interval have the weight of one interval.
constexpr std::int64_t kBurst = 32;
constexpr float kBurstWeight = 4;

// A request that comes sooner than a quarter of the usual interval says nothing of the schedule,
// until such requests have come for as long as ten usual intervals, and eight hours at least: else
// a flood would teach its own rhythm. Requests three quarters of an hour apart are never a flood: a
// daily job may become an hourly one.
constexpr std::int64_t kFarTooEarly = 4;
constexpr std::int64_t kHeldFor = 10;
constexpr Duration kHeldAtLeast = Duration::seconds(8 * 3600);
constexpr Duration kNoFlood = Duration::seconds(45 * 60);

double weight_of_all(const LockStats& lock_stats) {
  double all = 0;
  for (float count : lock_stats.intervals) all += static_cast<double>(count);
  return all;
}

int median_step(const LockStats& lock_stats, double all) {
  double below = 0;
  int step = 0;
  for (; step < kSteps - 1; ++step) {
    below += static_cast<double>(lock_stats.intervals[step]);
    if (below * 2 >= all) break;
  }
  return step;
}

void add_interval(LockStats& lock_stats, Duration interval) {
  const double all = weight_of_all(lock_stats);
  float weight = 1;
  if (all >= kEnough) {
    const Duration usual = end_of_step(median_step(lock_stats, all));
    if (!usual.is_forever() && interval.ns < usual.ns / kBurst) {
      weight = kBurstWeight * static_cast<float>(interval.ns) / static_cast<float>(usual.ns);
    }
  }
  const float keep = 1 - (1 - kKeep) * weight;
  for (float& count : lock_stats.intervals) count = count < 1e-6f ? 0 : count * keep;
  lock_stats.intervals[step_of(interval)] += weight;
}

// True if the request belongs to a possible flood.
bool may_be_flood(LockStats& lock_stats, Duration interval, std::int64_t at_real_ns) {
  const double all = weight_of_all(lock_stats);
  const int median = all < kEnough ? 0 : median_step(lock_stats, all);
  const Duration usual = median > kHalf ? end_of_step(median - 1) : Duration{};
  if (interval >= kNoFlood || interval.ns >= usual.ns / kFarTooEarly) {
    lock_stats.early_real_ns = 0;
    return false;
  }
  if (lock_stats.early_real_ns == 0) lock_stats.early_real_ns = at_real_ns - interval.ns;
  const std::int64_t held_ns = at_real_ns - lock_stats.early_real_ns;
  return held_ns / kHeldFor < usual.ns || held_ns < kHeldAtLeast.ns;
}

}  // namespace

Schedule schedule_of(const LockStats& lock_stats, const LearnedBounds& bounds) {
  Schedule schedule;
  const double all = weight_of_all(lock_stats);
  if (all < kEnough) return schedule;
  const int median = median_step(lock_stats, all);
  if (median <= kHalf)
    return schedule;  // within two milliseconds of each other: a loop, not a schedule
  schedule.known = true;
  schedule.usual = end_of_step(median - 1);
  schedule.longer = end_of_step(median);
  const std::uint32_t spam =
      lock_stats.in_a_row < kKeepArriving ? 0 : lock_stats.in_a_row - kKeepArriving + 1;
  schedule.slowed = spam < kHalf ? spam : kHalf;
  schedule.interval = end_of_step(median - 1 - kHalf + static_cast<int>(schedule.slowed));
  const Duration most = schedule.usual < bounds.high ? schedule.usual : bounds.high;
  if (schedule.interval < bounds.low) schedule.interval = bounds.low;
  if (schedule.interval > most) schedule.interval = most;
  return schedule;
}

bool is_spam(const Arrivals& arrivals) { return arrivals.in_a_row >= kKeepArriving; }
bool is_spammed(const LockStats& lock_stats) { return is_spam({0, lock_stats.in_a_row}); }

bool arrived(Arrivals& arrivals, std::int64_t at_real_ns, Duration interval) {
  if (at_real_ns <= arrivals.last_real_ns) return false;
  const std::int64_t gap = at_real_ns - arrivals.last_real_ns;
  const bool close = arrivals.last_real_ns > 0 && !interval.is_zero() && !interval.is_forever() &&
                     gap - interval.ns <= interval.ns / kJitter;
  arrivals.last_real_ns = at_real_ns;
  if (!close) {
    arrivals.in_a_row = 0;
  } else if (arrivals.in_a_row < UINT32_MAX) {
    ++arrivals.in_a_row;
  }
  return is_spam(arrivals);
}

bool asked(LockStats& lock_stats, std::int64_t at_real_ns, Duration interval) {
  const Duration since = {at_real_ns - lock_stats.asked_real_ns};
  if (lock_stats.asked_real_ns > 0 && since.ns > 0 && !may_be_flood(lock_stats, since, at_real_ns))
    add_interval(lock_stats, since);
  const bool before = is_spammed(lock_stats);
  Arrivals arrivals{lock_stats.asked_real_ns, lock_stats.in_a_row};
  const bool spam = arrived(arrivals, at_real_ns, interval);
  lock_stats.asked_real_ns = arrivals.last_real_ns;
  lock_stats.in_a_row = arrivals.in_a_row;
  if (spam && lock_stats.spam < UINT32_MAX) ++lock_stats.spam;
  return spam && !before;
}

}  // namespace atmost::policy
