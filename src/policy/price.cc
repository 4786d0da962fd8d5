#include "policy/price.h"

#include "policy/learn.h"

namespace atmost::policy {
namespace {

// The initial statistics of a directory: as if 300 runs had shown that limits at price p kill one
// run in p. This is cautious (tests/unit/policy/learn_risk_test.cc tries several kinds of runs) and
// is soon outweighed by real runs.
constexpr double kExpectedRuns = 300;
constexpr double price_at(int index) { return 32 << index; }
constexpr double kDearest = 1 << 20;
// How many kills more at each price, for a risk of one in a thousand. The limits at high prices
// kill so seldom that hundreds of runs without a kill prove little: without these, a new directory
// would kill several times as many as asked for where a few runs take far longer than all others.
constexpr double kDoubt[kPrices] = {0, 0, 0, 0, 2, 4, 4, 4};
constexpr double kDoubtedRisk = 0.001;
// The shares of kills at the prices are estimated too high by this factor, on recorded and made
// logs alike: a price rises with each kill, and falls later.
constexpr double kTooHigh = 1.03;

// The retry of a run that is far longer than its limit is killed, too, and each kill counts as one
// more: a limit costs less if a single retry completes. So often that is looked at: the third retry
// has room for nearly all (learn.h).
constexpr int kRetries = 2;
// The part of a kill that the chance of one more counts for. It would be a whole one, were
// forecasts exact, but they reach further than runs do: of the kills of retries that they expect, a
// fifth happened on the recorded log, and none on made ones with lognormal runs. Where more happen,
// the price rises: try_prices() counts them whole.
constexpr double kRetryWeight = 0.15;

// In so many runs of a directory, the prices become known.
constexpr double kYoungRuns = 4000;
// A quarter and two kills more than the risk allows are taken for chance; one more halves the risk.
constexpr double kTolerated = 1.25;
constexpr double kByChance = 2;
constexpr double kKillsTooMany = 1;

// A greater risk is proved by fewer runs.
double doubt_at(int index, double risk) {
  const double part = risk > kDoubtedRisk ? kDoubtedRisk / risk : 1;
  return kDoubt[index] * part * part;
}

double share_missed(const DirectoryStats& directory_stats, int index, double doubt) {
  const double expected = kExpectedRuns / price_at(index) + doubt;
  return (static_cast<double>(directory_stats.missed[index]) + expected) /
         (static_cast<double>(directory_stats.tried) + kExpectedRuns);
}

// In a young directory little is known of the prices. There the risk is lowered as long as more
// good runs were killed than chance explains.
double caution(const DirectoryStats& directory_stats) {
  const double young = 1 - static_cast<double>(directory_stats.tried) / kYoungRuns;
  const double more = static_cast<double>(directory_stats.wrongly) - kByChance -
                      kTolerated * static_cast<double>(directory_stats.allowed);
  return young > 0 && more > 0 ? 1 / (1 + young * more / kKillsTooMany) : 1;
}

}  // namespace

double price_for(const DirectoryStats& directory_stats, std::uint32_t risk_ppm) {
  const double asked = risk_ppm > 0 ? risk_ppm * 1e-6 : 1e-7;
  const double risk = kTooHigh * asked * caution(directory_stats);
  double before = 0;
  for (int i = 0; i < kPrices; ++i) {
    const double missed = share_missed(directory_stats, i, doubt_at(i, asked));
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

namespace {

// best_step(), where the result is known to be at least `from`.
int best_step_from(int from, const Forecast& forecast, double price, int high) {
  constexpr int kWider = static_cast<int>(kWidenSteps);
  int best = high;
  double least = 1e300;
  const auto doublings = [](int s) { return static_cast<double>(s) / kStepsPerOctave; };
  for (int s = from; s <= high && doublings(s) < least; ++s) {
    double kills = forecast.beyond[s];
    // A run that is longer than the longest limit is not tried again.
    for (int retry = s + kWider; retry < high && retry <= s + kRetries * kWider; retry += kWider)
      kills += kRetryWeight * forecast.beyond[retry];
    const double cost = doublings(s) + price * kills;
    if (cost < least) {
      least = cost;
      best = s;
    }
  }
  return best;
}

}  // namespace

int best_step(const Forecast& forecast, double price, int high) {
  return best_step_from(0, forecast, price, high);
}

PriceLimits limits_at_prices(const Forecast& forecast, StepBounds bounds) {
  PriceLimits limits{};
  int best = 0;
  for (int i = 0; i < kPrices; ++i) {
    // A limit that was worth its doublings at a lower price is worth them at this one.
    best = best_step_from(best, forecast, price_at(i), bounds.high);
    limits.step[i] = static_cast<std::uint8_t>(best > bounds.low ? best : bounds.low);
  }
  return limits;
}

void try_prices(DirectoryStats& directory_stats, const PriceLimits& limits, int step, int high) {
  directory_stats.tried += 1;
  // Nothing is gained by a price at which the limit would be longer than the longest.
  if (step > high) step = high;
  for (int i = 0; i < kPrices; ++i) {
    const int limit = limits.step[i];
    // A retry has kWidenSteps more, and is killed again if that is not enough.
    if (step > limit)
      directory_stats.missed[i] +=
          static_cast<float>(1 + (step - limit - 1) / static_cast<int>(kWidenSteps));
  }
  if (static_cast<double>(directory_stats.tried) < kManyCounts) return;
  directory_stats.tried /= 2;
  for (float& missed : directory_stats.missed) missed /= 2;
  directory_stats.wrongly /= 2;
  directory_stats.noted /= 2;
  directory_stats.allowed /= 2;
  directory_stats.hung_rows /= 2;
}

}  // namespace atmost::policy
