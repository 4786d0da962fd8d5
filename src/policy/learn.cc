#include "policy/learn.h"

#include <cstddef>

#include "policy/bell.h"
#include "policy/steps.h"

namespace atmost::policy {
namespace {

// Factor for older runs at each new run: half the weight is lost after 14
constexpr float kKeep = 0.95f;
// At this count a directory's counts are halved, so that old runs lose weight
constexpr float kMany = 16384;

// The four widths: the same length, nearly the same, about as long, within one or two orders of
// magnitude.
constexpr Bell kBells[] = {make_bell(0.5), make_bell(1.5), make_bell(6), make_bell(24)};
constexpr int kWidths = 4;
constexpr int kAnyRun = 4;  // the fifth relation
static_assert(kWidths + 1 == kRelations);

constexpr std::uint32_t kNarrowSteps = 4;  // so much of the widening does a completed run undo

// How many of an atom's own runs the directory's statistics weigh at most; never more than the runs
// they contain.
constexpr double kBorrowed = kOwnRuns - 1;

// The initial statistics of a directory: as if 300 runs had shown that limits at price p kill one
// run in p. This is cautious (tests/unit/policy/learn_test.cc tries several kinds of runs) and is
// soon outweighed by real runs.
constexpr double kExpectedRuns = 300;
constexpr double price_at(int index) { return 32 << index; }
constexpr double kDearest = 1 << 20;

int stage_of(std::uint32_t runs) {
  return runs < 2 ? 0 : runs < 4 ? 1 : runs < 8 ? 2 : runs < 16 ? 3 : runs < 64 ? 4 : 5;
}

template <std::size_t N>
double sum(const float (&counts)[N]) {
  double parts[4] = {};  // four independent sums, so that additions need not wait for one another
  std::size_t i = 0;
  for (; i + 4 <= N; i += 4) {
    for (std::size_t part = 0; part < 4; ++part)
      parts[part] += static_cast<double>(counts[i + part]);
  }
  for (; i < N; ++i) parts[0] += static_cast<double>(counts[i]);
  return parts[0] + parts[1] + parts[2] + parts[3];
}

template <std::size_t N>
void halve_many(float (&counts)[N]) {
  if (sum(counts) < static_cast<double>(kMany)) return;
  for (float& count : counts) count /= 2;
}

// Any run of the directory, and one more of unknown length.
double chance_of_any(const DirectoryStats& experience, double all, int step) {
  return (static_cast<double>(experience.runs[step]) + 1.0 / kSteps) / all;
}

double chance_within(const LockStats& memory, const Bell& bell, int step) {
  float chance = 0;
  for (int s = 0; s < kSteps; ++s) {
    if (memory.runs[s] > 0) chance += memory.runs[s] * bell.at[s < step ? step - s : s - step];
  }
  const double all = sum(memory.runs);
  return all > 0 ? static_cast<double>(chance) / all : 0;
}

Forecast forecast_by(const LockStats& memory, const DirectoryStats& experience,
                     const Weights& weights) {
  // All bells in one pass: one for both sides, weighted with their probability.
  float bells[2 * kSteps - 1];
  for (int d = 0; d < kSteps; ++d) {
    double high = 0;
    for (int i = 0; i < kWidths; ++i) high += weights.of[i] * static_cast<double>(kBells[i].at[d]);
    bells[kSteps - 1 + d] = bells[kSteps - 1 - d] = static_cast<float>(high);
  }
  float chance[kSteps] = {};
  for (int s = 0; s < kSteps; ++s) {
    const float runs = memory.runs[s];
    if (runs < 1e-6f) continue;
    const float* from = bells + kSteps - 1 - s;
    for (int to = 0; to < kSteps; ++to) chance[to] += runs * from[to];
  }
  const double own = sum(memory.runs);
  const double scale = own > 0 ? 1 / own : 0;
  const double any = sum(experience.runs) + 1;
  Forecast mixed;
  double above = 0;
  for (int s = kSteps - 1; s >= 0; --s) {
    mixed.beyond[s] = above < 1 ? above : 1;
    above += static_cast<double>(chance[s]) * scale +
             weights.of[kAnyRun] * chance_of_any(experience, any, s);
  }
  return mixed;
}

void fade(float (&runs)[kSteps]) {
  // Very small weights become zero, because arithmetic with denormal numbers is slow.
  for (float& run : runs) run = run < 1e-6f ? 0 : run * kKeep;
}

void add(float (&runs)[kSteps], int step) {
  fade(runs);
  runs[step] += 1;
}

double above(const float (&runs)[kSteps], int step) {
  double all = 0;
  for (int s = step + 1; s < kSteps; ++s) all += static_cast<double>(runs[s]);
  return all;
}

// A run longer than `step` by an unknown amount is assumed to be like the longer runs seen so far
// (B. Efron, "The two sample problem with censored data", 1967); if there are none, a little longer
// than `step`.
void longer_than(LockStats& memory, int step) {
  const int next = step < kSteps - 1 ? step + 1 : step;
  const double longer = above(memory.runs, step);
  if (longer <= 0) return add(memory.runs, next);
  fade(memory.runs);
  const double share = 1 + 1 / (longer * static_cast<double>(kKeep));
  for (int s = next; s < kSteps; ++s) {
    memory.runs[s] = static_cast<float>(static_cast<double>(memory.runs[s]) * share);
  }
}

double share_missed(const DirectoryStats& experience, int index) {
  const double expected = kExpectedRuns / price_at(index);
  return (static_cast<double>(experience.missed[index]) + expected) /
         (static_cast<double>(experience.tried) + kExpectedRuns);
}

void try_prices(DirectoryStats& experience, const Forecast& before, int step) {
  experience.tried += 1;
  for (int i = 0; i < kPrices; ++i) {
    if (step > best_step(before, price_at(i))) experience.missed[i] += 1;
  }
  if (experience.tried < kMany) return;
  experience.tried /= 2;
  for (float& missed : experience.missed) missed /= 2;
}

// Distributes a run over the relations: each gets the share of the probability that it predicted.
void relate(LockStats& memory, DirectoryStats& experience, int step) {
  const Weights weights = weigh(memory, experience);
  try_prices(experience, forecast_by(memory, experience, weights), step);
  double foresaw[kRelations];
  for (int i = 0; i < kWidths; ++i)
    foresaw[i] = weights.of[i] * chance_within(memory, kBells[i], step);
  foresaw[kAnyRun] =
      weights.of[kAnyRun] * chance_of_any(experience, sum(experience.runs) + 1, step);
  double all = 0;
  for (double part : foresaw) all += part;
  float(&others)[kRelations] = experience.relations[stage_of(memory.completed)];
  for (int i = 0; i < kRelations; ++i) {
    const auto part = static_cast<float>(foresaw[i] / all);
    memory.relations[i] += part;
    others[i] += part;
  }
  halve_many(memory.relations);
  halve_many(others);
}

// Undoes the widening after a kill, except for an atom that is killed again and again.
void narrow(LockStats& memory) {
  const float again = memory.kills > 1 ? memory.kills * static_cast<float>(kWidenSteps) : 0;
  const auto least = static_cast<std::uint32_t>(again < kSteps ? again : kSteps);
  const std::uint32_t narrower =
      memory.widened - (memory.widened < kNarrowSteps ? memory.widened : kNarrowSteps);
  memory.widened = narrower > least ? narrower : least;
  memory.kills *= kKeep;
}

void count(std::uint32_t& number) {
  if (number < UINT32_MAX) ++number;
}

}  // namespace

bool is_plausible(const LockStats& memory) {
  return are_counts(memory.runs, kSteps) && are_counts(memory.intervals, kSteps) &&
         are_counts(memory.relations, kRelations) && are_counts(&memory.kills, 1) &&
         memory.widened <= kSteps && memory.unsettled <= kSteps;
}

bool is_plausible(const DirectoryStats& experience) {
  for (const auto& stage : experience.relations) {
    if (!are_counts(stage, kRelations)) return false;
  }
  return are_counts(experience.runs, kSteps) && are_counts(&experience.tried, 1) &&
         are_counts(experience.missed, kPrices);
}

Weights weigh(const LockStats& memory, const DirectoryStats& experience) {
  Weights weights{};
  if (memory.completed == 0) {
    weights.of[kAnyRun] = 1;
    return weights;
  }
  const float(&others)[kRelations] = experience.relations[stage_of(memory.completed)];
  const double known = sum(others) + 1;
  const double worth = known < kBorrowed ? known : kBorrowed;
  const double all = worth + sum(memory.relations);
  for (int i = 0; i < kRelations; ++i) {
    const double borrowed = worth * (static_cast<double>(others[i]) + 1.0 / kRelations) / known;
    weights.of[i] = (borrowed + static_cast<double>(memory.relations[i])) / all;
  }
  return weights;
}

Forecast forecast(const LockStats& memory, const DirectoryStats& experience) {
  return forecast_by(memory, experience, weigh(memory, experience));
}

double price_for(const DirectoryStats& experience, std::uint32_t risk_ppm) {
  const double risk = risk_ppm > 0 ? risk_ppm * 1e-6 : 1e-7;
  double before = 0;
  for (int i = 0; i < kPrices; ++i) {
    const double missed = share_missed(experience, i);
    if (missed <= risk) {
      if (i == 0) return price_at(0);
      // Between two prices the share falls about in proportion to 1 / price.
      const double part = before > missed ? (before - risk) / (before - missed) : 1;
      return 1 / ((1 - part) / price_at(i - 1) + part / price_at(i));
    }
    before = missed;
  }
  const double beyond = price_at(kPrices - 1) * before / risk;
  return beyond < kDearest ? beyond : kDearest;
}

int best_step(const Forecast& forecast, double price) {
  int best = kSteps - 1;
  double least = 1e300;
  for (int s = 0; s < kSteps && static_cast<double>(s) / kStepsPerOctave < least; ++s) {
    const double cost = static_cast<double>(s) / kStepsPerOctave + price * forecast.beyond[s];
    if (cost < least) {
      least = cost;
      best = s;
    }
  }
  return best;
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
  answer.step = best_step(next, answer.price);
  const int widened = answer.step + static_cast<int>(memory.widened);
  const int step = widened < kSteps - 1 ? widened : kSteps - 1;
  answer.chance = next.beyond[step];
  answer.limit = end_of_step(step);
  if (answer.limit < bounds.low) answer.limit = bounds.low;
  if (answer.limit > bounds.high) answer.limit = bounds.high;
  return answer;
}

void run_completed(LockStats& memory, DirectoryStats& experience, Duration ran) {
  const int step = step_of(ran);
  if (memory.completed > 0) relate(memory, experience, step);
  if (memory.unsettled > static_cast<std::uint32_t>(step))
    longer_than(memory, static_cast<int>(memory.unsettled) - 1);
  memory.unsettled = 0;
  add(memory.runs, step);
  experience.runs[step] += 1;
  halve_many(experience.runs);
  count(memory.completed);
  narrow(memory);
}

void run_cut_short(LockStats& memory, Duration ran, CutBy by) {
  const int step = step_of(ran);
  if (by == CutBy::limit) {
    count(memory.stopped);
    memory.kills += 1;
    memory.widened = memory.widened + kWidenSteps < kSteps ? memory.widened + kWidenSteps : kSteps;
    if (memory.unsettled < static_cast<std::uint32_t>(step) + 1)
      memory.unsettled = static_cast<std::uint32_t>(step) + 1;
    return;
  }
  count(memory.cut_short);
  // Where most runs took longer, an early end says nothing.
  if (memory.completed > 0 && above(memory.runs, step) * 2 <= sum(memory.runs))
    longer_than(memory, step);
}

}  // namespace atmost::policy
