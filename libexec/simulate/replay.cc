#include "replay.h"

#include <algorithm>
#include <cmath>

namespace atmost::simulate {
namespace {

constexpr std::size_t kBetweenSteps = 4096;

std::vector<double> log_medians(const Trace& trace) {
  std::vector<std::vector<std::int64_t>> lengths(trace.atoms);
  for (const Run& run : trace.runs) lengths[run.atom].push_back(run.ran_ns);
  std::vector<double> medians;
  for (std::vector<std::int64_t>& of : lengths) {
    const std::size_t middle = of.size() / 2;
    std::nth_element(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(middle), of.end());
    double median = static_cast<double>(of[middle]);
    if (of.size() % 2 == 0) {
      const auto below =
          std::max_element(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(middle));
      median = (median + static_cast<double>(*below)) / 2;
    }
    medians.push_back(std::log(std::max(median, 1e9)));
  }
  return medians;
}

}  // namespace

double Score::per_thousand() const {
  return runs == 0 ? 0 : 1000.0 * static_cast<double>(kills) / static_cast<double>(runs);
}
double Score::ratio() const {
  return runs == 0 ? 0 : std::exp(log_ratios / static_cast<double>(runs));
}

Score replay(const Trace& trace, Rule& rule, Duration low, Duration high,
             const std::function<void(std::size_t)>& advanced) {
  const std::vector<double> medians = log_medians(trace);
  std::vector<bool> seen(trace.atoms, false);
  Score score;
  std::size_t done = 0;
  for (const Run& run : trace.runs) {
    const Duration ran{run.ran_ns};
    if (++done % kBetweenSteps == 0) advanced(done);
    if (run.cut_short) {
      rule.cut_short(run.atom, ran);
      continue;
    }
    if (seen[run.atom]) {
      Duration limit = std::clamp(rule.limit(run.atom), low, high);
      ++score.runs;
      score.log_ratios += std::log(static_cast<double>(limit.ns)) - medians[run.atom];
      while (ran > limit && limit < high) {
        ++score.kills;
        limit = std::clamp(rule.widened(run.atom, limit), limit, high);
      }
    }
    seen[run.atom] = true;
    rule.completed(run.atom, ran);
  }
  return score;
}

}  // namespace atmost::simulate
