#include "policy/learn.h"

#include <initializer_list>

#include "policy/steps.h"

namespace atmost::policy {
namespace {

// For so many runs a lock's limit stays long after a kill.
constexpr int kLongFor = 40;

// The runs that may have begun before the last of the row was ended say nothing about it.
bool began_after(const RunSample& run, std::int64_t ended_real_ns) {
  return run.started_real_ns == 0 || run.started_real_ns >= ended_real_ns;
}

void was_a_hang(KilledRow& row, LockStats& lock_stats, DirectoryStats& directory_stats) {
  lock_stats.hung += row.kills;
  if (row.doing == Doing::work) were_good(directory_stats, -row.kills);
  row = {};
}

// The row that a kill continues, or else one for it: if all are in use, that with most runs since.
KilledRow& row_for(LockStats& lock_stats, DirectoryStats& directory_stats, const RunSample& run,
                   Doing doing) {
  KilledRow* best = &lock_stats.rows[0];
  for (KilledRow& row : lock_stats.rows) {
    const bool continued = row.kills > 0 && row.kills < UINT8_MAX && row.shorter == 0 &&
                           row.doing == doing && lock_stats.stopped_in_a_row > 1 &&
                           began_after(run, row.ended_real_ns);
    if (continued) return row;
    if (best->kills > 0 && (row.kills == 0 || row.shorter > best->shorter)) best = &row;
  }
  if (best->kills > 0) was_a_hang(*best, lock_stats, directory_stats);
  return *best;
}

bool proves_a_hang(const KilledRow& row, std::uint32_t risk_ppm) {
  if (row.doing == Doing::nothing) return !row.doubtful || row.shorter >= kLongFor;
  return std::uint64_t{row.shorter} * risk_ppm >= 1'000'000 || row.shorter == UINT16_MAX;
}

void settle_kills(LockStats& lock_stats, DirectoryStats& directory_stats, const RunSample& run) {
  const int step = step_of(run.ran);
  if (began_after(run, lock_stats.stopped_real_ns)) lock_stats.stopped_in_a_row = 0;
  for (KilledRow& row : lock_stats.rows) {
    if (row.kills == 0 || !began_after(run, row.ended_real_ns)) continue;
    if (step >= row.longest) {
      lock_stats.wrongly += row.kills;
      if (directory_stats.wrongly < kMostCounts) directory_stats.wrongly += row.kills;
      if (row.doing != Doing::work) were_good(directory_stats, row.kills);
      if (row.doing == Doing::nothing) ++lock_stats.misjudged;
      row = {};
      continue;
    }
    // If it was good, it would have taken longer by an unknown amount.
    if (++row.shorter == 1 && row.doing != Doing::nothing) {
      add_longer_run(lock_stats, row.longest);
      add_longer_run(directory_stats, row.longest);
    }
    if (proves_a_hang(row, run.risk_ppm)) was_a_hang(row, lock_stats, directory_stats);
  }
}

// The shortest limit after a kill; 0: any. It is eight times as long as the killed run, for the
// next run, so that work that has become longer can complete; and for some more where it is not
// known what the killed run was: the next long one need not be the next one. Forever: if that is
// longer than any.
Duration floor_after_kills(const LockStats& lock_stats) {
  int longest = -1;
  for (const KilledRow& row : lock_stats.rows) {
    if (row.kills == 0 || row.shorter >= kLongFor) continue;
    const int step = row.shorter == 0 ? row.longest : row.first;
    if (step > longest) longest = step;
  }
  if (longest < 0) return {};
  return longest + kWidenSteps < kSteps ? end_of_step(longest + kWidenSteps) : Duration::forever();
}

}  // namespace

bool is_plausible(const LockStats& lock_stats) {
  for (const KilledRow& row : lock_stats.rows) {
    if (row.longest >= kSteps || row.first > row.longest || row.doing > Doing::nothing)
      return false;
  }
  return are_counts(lock_stats.runs, kSteps) && are_counts(lock_stats.recent, kSteps) &&
         are_counts(lock_stats.intervals, kSteps) && are_counts(lock_stats.relations, kRelations) &&
         lock_stats.longest <= kSteps && lock_stats.floor < kSteps && lock_stats.quicker <= kSteps;
}

bool is_plausible(const DirectoryStats& directory_stats) {
  for (const auto& stage : directory_stats.relations) {
    if (!are_counts(stage, kRelations)) return false;
  }
  const float counts[] = {directory_stats.tried, directory_stats.unseen, directory_stats.wrongly,
                          directory_stats.noted, directory_stats.allowed};
  return are_counts(directory_stats.runs, kSteps) && are_counts(counts, 5) &&
         directory_stats.doublings >= -kMostDoublings &&
         directory_stats.doublings <= kMostDoublings;
}

void run_killed(LockStats& lock_stats, DirectoryStats& directory_stats, const RunSample& run) {
  // A job may always look idle when it is long: it waits for another machine. So at the second, the
  // fourth, the eighth hang of a lock, what was seen does not decide, and long runs get their time;
  // and where it was wrong once, it is not believed again.
  const std::uint32_t before = lock_stats.hung + unsettled_kills(lock_stats);
  const bool doubtful = before > 0 && (before & (before + 1)) == 0;
  const bool believed = run.doing != Doing::nothing || lock_stats.misjudged == 0;
  const Doing doing = believed ? run.doing : Doing::unknown;
  const auto step = static_cast<std::uint8_t>(step_of(run.ran));
  ++lock_stats.stopped;
  if (lock_stats.stopped_in_a_row == 0 || began_after(run, lock_stats.stopped_real_ns))
    ++lock_stats.stopped_in_a_row;
  KilledRow& row = row_for(lock_stats, directory_stats, run, doing);
  if (row.kills++ == 0) row.first = step;
  if (row.longest < step) row.longest = step;
  row.doing = doing;
  row.doubtful = doubtful;
  row.ended_real_ns = run.started_real_ns > 0 ? run.started_real_ns + run.ran.ns : 0;
  if (row.ended_real_ns > lock_stats.stopped_real_ns)
    lock_stats.stopped_real_ns = row.ended_real_ns;
  if (doing == Doing::work) were_good(directory_stats, 1);
  if (doing == Doing::unknown && directory_stats.unseen < kMostCounts) directory_stats.unseen += 1;
}

std::uint32_t unsettled_kills(const LockStats& lock_stats) {
  std::uint32_t kills = 0;
  for (const KilledRow& row : lock_stats.rows) kills += row.kills;
  return kills;
}

RunLimit run_limit(const LockStats& lock_stats, const DirectoryStats& directory_stats,
                   const LearnedBounds& bounds) {
  const Weights weights = weigh(lock_stats, directory_stats);
  const Forecast next = forecast(lock_stats, directory_stats, weights);
  RunLimit answer;
  answer.price = price_for(lock_stats, directory_stats, bounds.risk_ppm);
  if (lock_stats.completed < kOwnRuns) {
    answer.limit = bounds.high;
    return answer;
  }
  answer.step = best_step(next, answer.price, step_of(bounds.high));
  answer.chance_at_step = next.beyond[answer.step];
  answer.limit = end_of_step(answer.step);
  if (answer.limit < bounds.low) answer.limit = bounds.low;
  const Duration floor = floor_after_kills(lock_stats);
  answer.widened = answer.limit < floor;
  if (answer.widened) answer.limit = floor;
  if (answer.limit > bounds.high) answer.limit = bounds.high;
  answer.chance = next.beyond[step_of(answer.limit)];
  answer.floor = run_floor(lock_stats, own_forecast(directory_stats, weights, next),
                           note_risk(directory_stats, bounds.risk_ppm));
  return answer;
}

bool run_completed(LockStats& lock_stats, DirectoryStats& directory_stats, const RunSample& run) {
  const int step = step_of(run.ran);
  bool suspicious = false;
  if (lock_stats.completed > 0) {
    const Weights weights = weigh(lock_stats, directory_stats);
    if (lock_stats.completed >= kOwnRuns) {
      const Forecast next = forecast(lock_stats, directory_stats, weights);
      suspicious = judge_floor(lock_stats, own_forecast(directory_stats, weights, next), run,
                               note_risk(directory_stats, run.risk_ppm));
      if (suspicious) directory_stats.noted += 1;
      had_a_limit(directory_stats, run.risk_ppm);
    }
    relate(lock_stats, directory_stats, weights, step);
  }
  settle_kills(lock_stats, directory_stats, run);
  add_run(lock_stats, step);
  add_run(directory_stats, step);
  ++lock_stats.completed;
  const auto longest = static_cast<std::uint32_t>(step) + 1;
  if (lock_stats.longest < longest) lock_stats.longest = longest;
  return suspicious;
}

void run_cut_short(LockStats& lock_stats, const RunSample& run) {
  const int step = step_of(run.ran);
  ++lock_stats.cut_short;
  // If most runs took longer, an early end proves nothing.
  if (lock_stats.completed > 0 && longer_runs(lock_stats, step) * 2 <= all_runs(lock_stats))
    add_longer_run(lock_stats, step);
}

namespace {

constexpr double kCheapest = 32;
constexpr double kDearest = 0x1p40;
// A kill counts for so many doublings, and so does each run, by its risk.
constexpr double kShare = 0.5;
// At most so many kills of which nothing is known count: hangs of a few locks must not take their
// limits from all.
constexpr float kUnseen = 2;
// The retry of a run that is far longer than its limit is killed, too, and each kill counts as one
// more: a limit costs less if a single retry completes. So often that is looked at.
constexpr int kRetries = 2;
// The weight of the chance of one more kill. It would be 1 if forecasts were exact, but they reach
// further than runs do: of the kills of retries that they expect, a fifth happened on the recorded
// log, and none on made ones with lognormal runs.
constexpr double kRetryWeight = 0.15;

// On a straight line between whole numbers: there is no libm here.
double two_to_the(double power) {
  double value = 1;
  for (; power >= 1; --power) value *= 2;
  for (; power < 0; ++power) value /= 2;
  return value * (1 + power);
}

double part_of(std::uint32_t risk_ppm) { return risk_ppm > 0 ? risk_ppm * 1e-6 : 1e-7; }

}  // namespace

double price_for(const LockStats& lock_stats, const DirectoryStats& directory_stats,
                 std::uint32_t risk_ppm) {
  const float unseen = directory_stats.unseen < kUnseen ? directory_stats.unseen : kUnseen;
  const std::uint32_t row = lock_stats.stopped_in_a_row < 64 ? lock_stats.stopped_in_a_row : 64;
  const double more =
      static_cast<double>(directory_stats.doublings) + row + kShare * static_cast<double>(unseen);
  const double price = two_to_the(more) / part_of(risk_ppm);
  return price < kCheapest ? kCheapest : price < kDearest ? price : kDearest;
}

void were_good(DirectoryStats& directory_stats, int kills) {
  const float now = directory_stats.doublings + static_cast<float>(kShare * kills);
  if (now >= -kMostDoublings && now <= kMostDoublings) directory_stats.doublings = now;
}

void had_a_limit(DirectoryStats& directory_stats, std::uint32_t risk_ppm) {
  const double risk = risk_ppm * 1e-6;
  float& doublings = directory_stats.doublings;
  if (two_to_the(static_cast<double>(doublings)) / part_of(risk_ppm) > kCheapest)
    doublings -= static_cast<float>(kShare * risk);
  directory_stats.unseen -= directory_stats.unseen * static_cast<float>(kShare * risk);
  directory_stats.allowed += static_cast<float>(risk);
  directory_stats.tried += 1;
  if (static_cast<double>(directory_stats.tried) < kManyCounts) return;
  for (float* count : {&directory_stats.tried, &directory_stats.wrongly, &directory_stats.noted,
                       &directory_stats.allowed})
    *count /= 2;
}

int best_step(const Forecast& forecast, double price, int high) {
  int best = high;
  double least = 1e300;
  const auto doublings = [](int s) { return static_cast<double>(s) / kStepsPerOctave; };
  for (int s = 0; s <= high && doublings(s) < least; ++s) {
    double kills = forecast.beyond[s];
    // A run that is longer than the longest limit is not tried again.
    for (int retry = s + kWidenSteps; retry < high && retry <= s + kRetries * kWidenSteps;
         retry += kWidenSteps)
      kills += kRetryWeight * forecast.beyond[retry];
    const double cost = doublings(s) + price * kills;
    if (cost < least) {
      least = cost;
      best = s;
    }
  }
  return best;
}

}  // namespace atmost::policy
