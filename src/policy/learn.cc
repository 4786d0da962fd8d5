#include "policy/learn.h"

#include "policy/price.h"
#include "policy/steps.h"

namespace atmost::policy {
namespace {

// The first kills in a row widen eightfold, the third more than twentyfold, each further one
// twofold.
constexpr std::uint32_t kWideKills = 3;
constexpr std::uint32_t kWidenThird = 18;
constexpr std::uint32_t kWidenFurther = kStepsPerOctave;
std::uint32_t widening(std::uint32_t in_a_row) {
  return in_a_row < kWideKills ? kWidenSteps : in_a_row == kWideKills ? kWidenThird : kWidenFurther;
}
constexpr Duration kAfterWideKills = Duration::seconds(24 * 3600);
// So much of the widening does a completed run undo.
constexpr std::uint32_t kNarrowSteps = kWidenSteps;
// The last step that has an end: however many kills, a limit stays one.
constexpr int kLongestLimit = kSteps - 2;

constexpr int at_most(int step, int most) { return step < most ? step : most; }

// Rounded down at the lower end: a run of the same step may be longer than the bound.
StepBounds step_bounds(Duration low, Duration high) {
  const int above = step_of(low);
  const bool rounded = above > 0 && end_of_step(above) > low;
  const StepBounds bounds = {rounded ? above - 1 : above, step_of(high)};
  return bounds.low <= bounds.high ? bounds : StepBounds{bounds.high, bounds.high};
}

void count(std::uint32_t& number) {
  if (number < UINT32_MAX) ++number;
}

// Whether the run was admitted before a limit last killed one and ended after that: with several
// slots it says nothing about the one that was killed.
bool ran_beside_kill(const LockStats& memory, const RunSample& run) {
  return run.started_real_ns > 0 && run.started_real_ns < memory.stopped_real_ns &&
         memory.stopped_real_ns <= run.started_real_ns + run.ran.ns;
}

// The killed run counts, and the widening is undone.
void settle(LockStats& memory, DirectoryStats& experience, int step) {
  if (memory.unsettled > static_cast<std::uint32_t>(step)) {
    add_longer_run(memory, static_cast<int>(memory.unsettled) - 1);
    add_longer_run(experience, static_cast<int>(memory.unsettled) - 1);
  }
  memory.unsettled = 0;
  memory.stopped_in_a_row = 0;
  memory.widened -= memory.widened < kNarrowSteps ? memory.widened : kNarrowSteps;
}

// Not below this after a kill.
Duration retry_floor(const LockStats& memory) {
  if (memory.unsettled == 0) return {};
  // What takes longer than the longest limit must end, too.
  if (static_cast<int>(memory.unsettled) > kLongestLimit) return Duration::forever();
  const int longer = static_cast<int>(widening(memory.stopped_in_a_row));
  const Duration floor =
      end_of_step(at_most(static_cast<int>(memory.unsettled) - 1 + longer, kLongestLimit));
  return memory.stopped_in_a_row >= kWideKills && floor < kAfterWideKills ? kAfterWideKills : floor;
}

}  // namespace

bool is_plausible(const LockStats& memory) {
  return are_counts(memory.runs, kSteps) && are_counts(memory.recent, kSteps) &&
         are_counts(memory.intervals, kSteps) && are_counts(memory.relations, kRelations) &&
         memory.widened <= kSteps && memory.unsettled <= kSteps;
}

bool is_plausible(const DirectoryStats& experience) {
  for (const auto& stage : experience.relations) {
    if (!are_counts(stage, kRelations)) return false;
  }
  return are_counts(experience.runs, kSteps) && are_counts(&experience.tried, 1) &&
         are_counts(experience.missed, kPrices);
}

RunLimit run_limit(const LockStats& memory, const DirectoryStats& experience,
                   const LearnedBounds& bounds) {
  const Forecast next = forecast(memory, experience);
  RunLimit answer;
  answer.price = price_for(experience, bounds.risk_ppm);
  if (memory.completed < kOwnRuns) {
    answer.limit = bounds.high;
    return answer;
  }
  answer.step = best_step(next, answer.price, step_of(bounds.high));
  answer.chance_at_step = next.beyond[answer.step];
  const int wider = answer.step + static_cast<int>(memory.widened);
  const bool none = answer.step > kLongestLimit;
  answer.limit = none ? Duration::forever() : end_of_step(at_most(wider, kLongestLimit));
  if (answer.limit < bounds.low) answer.limit = bounds.low;
  const Duration floor = retry_floor(memory);
  if (answer.limit < floor) answer.limit = floor;
  if (answer.limit > bounds.high) answer.limit = bounds.high;
  answer.chance = next.beyond[step_of(answer.limit)];
  return answer;
}

void run_completed(LockStats& memory, DirectoryStats& experience, const RunSample& run) {
  const int step = step_of(run.ran);
  if (memory.completed > 0) {
    const Weights weights = weigh(memory, experience);
    if (memory.completed >= kOwnRuns) {
      try_prices(experience, forecast(memory, experience, weights), step,
                 step_bounds(run.low, run.high));
    }
    relate(memory, experience, weights, step);
  }
  if (!ran_beside_kill(memory, run)) settle(memory, experience, step);
  add_run(memory, step);
  experience.runs[step] += 1;
  count(memory.completed);
  double all = 0;
  for (float runs : experience.runs) all += static_cast<double>(runs);
  if (all < kManyCounts) return;
  for (float& runs : experience.runs) runs /= 2;
}

void run_cut_short(LockStats& memory, const RunSample& run, CutBy by) {
  const int step = step_of(run.ran);
  if (by == CutBy::limit) {
    count(memory.stopped);
    count(memory.stopped_in_a_row);
    const std::uint32_t longer = widening(memory.stopped_in_a_row);
    memory.widened = memory.widened + longer < kSteps ? memory.widened + longer : kSteps;
    if (memory.unsettled < static_cast<std::uint32_t>(step) + 1)
      memory.unsettled = static_cast<std::uint32_t>(step) + 1;
    if (run.started_real_ns > 0) memory.stopped_real_ns = run.started_real_ns + run.ran.ns;
    return;
  }
  count(memory.cut_short);
  // Where most runs took longer, an early end says nothing.
  if (memory.completed > 0 && longer_runs(memory, step) * 2 <= all_runs(memory))
    add_longer_run(memory, step);
}

}  // namespace atmost::policy
