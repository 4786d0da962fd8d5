#include "policy/learn.h"

#include "policy/floor.h"
#include "policy/price.h"
#include "policy/steps.h"

namespace atmost::policy {
namespace {

// The factors by which kills in a row lengthen the limit: eight for the first ones, more than
// twenty for the third, two for each further one.
constexpr std::uint32_t kWideKills = 3;
constexpr std::uint32_t kWidenThird = 18;
constexpr std::uint32_t kWidenFurther = kStepsPerOctave;
// The directory's rows of kWideKills are taken for hangs from this many on; one that was none
// weighs as much as so many that were, and takes its own away.
constexpr float kHungRows = 8;
bool rows_are_hangs(const DirectoryStats& directory_stats) {
  return directory_stats.hung_rows >= kHungRows;
}
std::uint32_t widening(const DirectoryStats& directory_stats, std::uint32_t in_a_row) {
  if (in_a_row < kWideKills) return kWidenSteps;
  return in_a_row == kWideKills && !rows_are_hangs(directory_stats) ? kWidenThird : kWidenFurther;
}
constexpr Duration kAfterWideKills = Duration::seconds(24 * 3600);
// How much of the widening a completed run undoes.
constexpr std::uint32_t kNarrowSteps = kWidenSteps;
// The last step that has an end: the limit stays finite after any number of kills.
constexpr int kLongestLimit = kSteps - 2;

constexpr int at_most(int step, int most) { return step < most ? step : most; }

// Rounded down at the lower end: a run of the same step may be longer than the bound.
StepBounds step_bounds(Duration low, Duration high) {
  const int above = step_of(low);
  const bool rounded = above > 0 && end_of_step(above) > low;
  const StepBounds bounds = {rounded ? above - 1 : above, step_of(high)};
  return bounds.low <= bounds.high ? bounds : StepBounds{bounds.high, bounds.high};
}

void add_to(std::uint32_t& number, std::uint32_t more) {
  number = number < UINT32_MAX - more ? number + more : UINT32_MAX;
}
void count(std::uint32_t& number) { add_to(number, 1); }
void add_to(float& number, float more) {
  number = number + more < kMostCounts ? number + more : kMostCounts;
}

// Whether the run was admitted before a limit last killed one and ended after that: with several
// slots, it then says nothing about the killed run.
bool ran_beside_kill(const LockStats& lock_stats, const RunSample& run) {
  return run.started_real_ns > 0 && run.started_real_ns < lock_stats.stopped_real_ns &&
         lock_stats.stopped_real_ns <= run.started_real_ns + run.ran.ns;
}

std::int64_t end_of(const RunSample& run) { return run.started_real_ns + run.ran.ns; }

// So many kills in a row were those of good runs.
void were_good(DirectoryStats& directory_stats, std::uint32_t kills) {
  add_to(directory_stats.wrongly, static_cast<float>(kills));
  if (kills < kWideKills) return;
  float& rows = directory_stats.hung_rows;
  rows = rows > kHungRows + 1 ? rows - (kHungRows + 1) : 0;
}

// The killed run counts, and the widening is undone.
void settle(LockStats& lock_stats, DirectoryStats& directory_stats, const RunSample& run) {
  const auto step = static_cast<std::uint32_t>(step_of(run.ran));
  const bool is_shorter = lock_stats.unsettled > step;
  if (lock_stats.unsettled > 0)
    (is_shorter ? lock_stats.hung : lock_stats.wrongly) += lock_stats.stopped_in_a_row;
  if (lock_stats.unsettled > 0 && !is_shorter)
    were_good(directory_stats, lock_stats.stopped_in_a_row);
  if (is_shorter) {
    add_longer_run(lock_stats, static_cast<int>(lock_stats.unsettled) - 1);
    add_longer_run(directory_stats, static_cast<int>(lock_stats.unsettled) - 1);
    lock_stats.doubted = lock_stats.unsettled;
    lock_stats.doubted_stops = lock_stats.stopped_in_a_row;
    lock_stats.doubted_from_ns = lock_stats.stopped_real_ns;
    lock_stats.doubted_until_ns = end_of(run);
  }
  lock_stats.unsettled = 0;
  lock_stats.stopped_in_a_row = 0;
  lock_stats.widened -= lock_stats.widened < kNarrowSteps ? lock_stats.widened : kNarrowSteps;
}

// If the run is longer than the one that was killed and counted as hung, and was going when that
// was decided, it is taken for its retry: the kill is not settled yet.
void unsettle(LockStats& lock_stats, const RunSample& run) {
  const bool may_be_retry = lock_stats.doubted > 0 && run.started_real_ns > 0 &&
                            run.started_real_ns >= lock_stats.doubted_from_ns &&
                            run.started_real_ns <= lock_stats.doubted_until_ns;
  const auto step = static_cast<std::uint32_t>(step_of(run.ran));
  if (!may_be_retry || step + 1 < lock_stats.doubted) return;
  lock_stats.hung -=
      lock_stats.hung < lock_stats.doubted_stops ? lock_stats.hung : lock_stats.doubted_stops;
  add_to(lock_stats.stopped_in_a_row, lock_stats.doubted_stops);
  if (lock_stats.unsettled < lock_stats.doubted) lock_stats.unsettled = lock_stats.doubted;
  lock_stats.doubted = lock_stats.doubted_stops = 0;
}

void keep_at_first(LockStats& lock_stats, const PriceLimits& limits) {
  for (int i = 0; i < kPrices; ++i) lock_stats.at_price[i] = limits.step[i];
}

PriceLimits limits_at_first(const LockStats& lock_stats) {
  PriceLimits limits{};
  for (int i = 0; i < kPrices; ++i) limits.step[i] = lock_stats.at_price[i];
  return limits;
}

// The shortest limit after a kill.
Duration retry_floor(const LockStats& lock_stats, const DirectoryStats& directory_stats) {
  if (lock_stats.unsettled == 0) return {};
  // A run longer than the longest limit must be able to complete, too.
  if (static_cast<int>(lock_stats.unsettled) > kLongestLimit) return Duration::forever();
  const std::uint32_t kills = lock_stats.stopped_in_a_row;
  const bool hangs = rows_are_hangs(directory_stats);
  const int step = static_cast<int>(lock_stats.unsettled - 1 + widening(directory_stats, kills));
  if (kills == kWideKills && !hangs && step > kLongestLimit) return Duration::forever();
  const Duration floor = end_of_step(at_most(step, kLongestLimit));
  return kills >= kWideKills && !hangs && floor < kAfterWideKills ? kAfterWideKills : floor;
}

}  // namespace

bool is_plausible(const LockStats& lock_stats) {
  return are_counts(lock_stats.runs, kSteps) && are_counts(lock_stats.recent, kSteps) &&
         are_counts(lock_stats.intervals, kSteps) && are_counts(lock_stats.relations, kRelations) &&
         lock_stats.widened <= kSteps && lock_stats.unsettled <= kSteps &&
         lock_stats.floor < kSteps && lock_stats.quicker <= kSteps && lock_stats.doubted <= kSteps;
}

bool is_plausible(const DirectoryStats& directory_stats) {
  for (const auto& stage : directory_stats.relations) {
    if (!are_counts(stage, kRelations)) return false;
  }
  return are_counts(directory_stats.runs, kSteps) && are_counts(&directory_stats.tried, 1) &&
         are_counts(directory_stats.missed, kPrices) && are_counts(&directory_stats.wrongly, 1) &&
         are_counts(&directory_stats.noted, 1) && are_counts(&directory_stats.allowed, 1) &&
         are_counts(&directory_stats.hung_rows, 1);
}

RunLimit run_limit(const LockStats& lock_stats, const DirectoryStats& directory_stats,
                   const LearnedBounds& bounds) {
  const Weights weights = weigh(lock_stats, directory_stats);
  const Forecast next = forecast(lock_stats, directory_stats, weights);
  RunLimit answer;
  answer.price = price_for(directory_stats, bounds.risk_ppm);
  if (lock_stats.completed < kOwnRuns) {
    answer.limit = bounds.high;
    return answer;
  }
  answer.step = best_step(next, answer.price, step_of(bounds.high));
  answer.chance_at_step = next.beyond[answer.step];
  const int wider = answer.step + static_cast<int>(lock_stats.widened);
  const bool none = answer.step > kLongestLimit;
  answer.limit = none ? Duration::forever() : end_of_step(at_most(wider, kLongestLimit));
  if (answer.limit < bounds.low) answer.limit = bounds.low;
  const Duration floor = retry_floor(lock_stats, directory_stats);
  if (answer.limit < floor) answer.limit = floor;
  if (answer.limit > bounds.high) answer.limit = bounds.high;
  answer.chance = next.beyond[step_of(answer.limit)];
  answer.floor = run_floor(lock_stats, own_forecast(directory_stats, weights, next),
                           note_risk(directory_stats, bounds.risk_ppm));
  return answer;
}

bool run_completed(LockStats& lock_stats, DirectoryStats& directory_stats, const RunSample& run) {
  const int step = step_of(run.ran);
  const bool beside_kill = ran_beside_kill(lock_stats, run);
  if (!beside_kill) unsettle(lock_stats, run);
  bool suspicious = false;
  if (lock_stats.completed > 0) {
    const Weights weights = weigh(lock_stats, directory_stats);
    if (lock_stats.completed >= kOwnRuns) {
      const Forecast next = forecast(lock_stats, directory_stats, weights);
      const StepBounds bounds = step_bounds(run.low, run.high);
      // Lessons since the first attempt would hide its kill.
      const bool retried = !beside_kill && lock_stats.unsettled > 0 &&
                           lock_stats.unsettled <= static_cast<std::uint32_t>(step);
      try_prices(directory_stats,
                 retried ? limits_at_first(lock_stats) : limits_at_prices(next, bounds), step,
                 bounds.high);
      suspicious = judge_floor(lock_stats, own_forecast(directory_stats, weights, next), run,
                               note_risk(directory_stats, run.risk_ppm));
      if (suspicious) add_to(directory_stats.noted, 1.0f);
      add_to(directory_stats.allowed, static_cast<float>(run.risk_ppm * 1e-6));
    }
    relate(lock_stats, directory_stats, weights, step);
  }
  if (!beside_kill) settle(lock_stats, directory_stats, run);
  add_run(lock_stats, step);
  directory_stats.runs[step] += 1;
  count(lock_stats.completed);
  double all = 0;
  for (float runs : directory_stats.runs) all += static_cast<double>(runs);
  if (all < kManyCounts) return suspicious;
  for (float& runs : directory_stats.runs) runs /= 2;
  return suspicious;
}

void run_cut_short(LockStats& lock_stats, DirectoryStats& directory_stats, const RunSample& run,
                   CutBy by) {
  const int step = step_of(run.ran);
  if (by == CutBy::limit) {
    unsettle(lock_stats, run);
    if (lock_stats.stopped_in_a_row == 0) {
      const Forecast next = forecast(lock_stats, directory_stats);
      keep_at_first(lock_stats, limits_at_prices(next, step_bounds(run.low, run.high)));
    }
    count(lock_stats.stopped);
    count(lock_stats.stopped_in_a_row);
    if (lock_stats.stopped_in_a_row == kWideKills) add_to(directory_stats.hung_rows, 1.0f);
    const std::uint32_t longer = widening(directory_stats, lock_stats.stopped_in_a_row);
    lock_stats.widened =
        lock_stats.widened + longer < kSteps ? lock_stats.widened + longer : kSteps;
    if (lock_stats.unsettled < static_cast<std::uint32_t>(step) + 1)
      lock_stats.unsettled = static_cast<std::uint32_t>(step) + 1;
    if (run.started_real_ns > 0) lock_stats.stopped_real_ns = end_of(run);
    return;
  }
  count(lock_stats.cut_short);
  // Where most runs took longer, an early end says nothing.
  if (lock_stats.completed > 0 && longer_runs(lock_stats, step) * 2 <= all_runs(lock_stats))
    add_longer_run(lock_stats, step);
}

}  // namespace atmost::policy
