#include "replay.h"

#include <algorithm>
#include <cmath>

#include "policy/limits.h"

namespace atmost::simulate {
namespace {

class Fixed final : public Rule {
 public:
  Fixed(const std::string& words, Duration limit) : Rule("fixed " + words, 0), limit_(limit) {}
  Duration limit(std::uint32_t, Duration killed_at) override {
    return killed_at.is_zero() ? limit_ : doubled(killed_at);
  }

 private:
  Duration limit_;
};

class MeanAndDeviations final : public Rule {
 public:
  MeanAndDeviations(std::size_t atoms, double deviations)
      : Rule("mean + " + std::to_string(std::lround(deviations)) + " deviations", 0),
        deviations_(deviations),
        atoms_(atoms) {}
  Duration limit(std::uint32_t atom, Duration killed_at) override {
    if (!killed_at.is_zero()) return doubled(killed_at);
    const Sums& of = atoms_[atom];
    if (of.count == 0) return Duration::forever();
    const double variance = of.count > 1 ? of.squares / (of.count - 1) : 0;
    const double limit = of.mean + deviations_ * std::sqrt(variance);
    return limit < 9e18 ? Duration{std::llround(limit)} : Duration::forever();
  }
  bool ended(std::uint32_t atom, const RunSample& run) override {
    if (run.kind != RunSample::Kind::completed) return false;
    Sums& of = atoms_[atom];
    const double off = static_cast<double>(run.ran.ns) - of.mean;
    of.mean += off / ++of.count;
    of.squares += off * (static_cast<double>(run.ran.ns) - of.mean);
    return false;
  }

 private:
  struct Sums {
    double count = 0, mean = 0, squares = 0;
  };
  double deviations_;
  std::vector<Sums> atoms_;
};

class LargestSoFar final : public Rule {
 public:
  LargestSoFar(std::size_t atoms, std::int64_t times)
      : Rule("largest so far x " + std::to_string(times), 0), times_(times), largest_(atoms) {}
  Duration limit(std::uint32_t atom, Duration killed_at) override {
    if (!killed_at.is_zero()) return doubled(killed_at);
    const std::int64_t largest = largest_[atom].ns;
    return largest == 0 || largest > Duration::kForever / times_ ? Duration::forever()
                                                                 : Duration{largest * times_};
  }
  bool ended(std::uint32_t atom, const RunSample& run) override {
    if (run.kind == RunSample::Kind::completed) largest_[atom] = std::max(largest_[atom], run.ran);
    return false;
  }

 private:
  std::int64_t times_;
  std::vector<Duration> largest_;
};

class LargestEver final : public Rule {
 public:
  explicit LargestEver(const Trace& trace)
      : Rule("largest ever (oracle)", 0), largest_(trace.atoms) {
    for (const Run& run : trace.runs) {
      if (!run.cut_short) largest_[run.atom] = std::max(largest_[run.atom], Duration{run.ran_ns});
    }
  }
  Duration limit(std::uint32_t atom, Duration) override { return largest_[atom]; }

 private:
  std::vector<Duration> largest_;
};

// The rule of `--max-runtime auto`, by the same functions for deciding and learning.
class Learned final : public Rule {
 public:
  Learned(std::size_t atoms, LearnedBounds bounds, std::uint32_t ppm)
      : Rule("auto, --auto-risk " + risk_words(ppm), ppm), lock_stats_(atoms) {
    request_.max_runtime_auto = request_.min_runtime_auto = true;
    request_.learned = bounds;
    request_.learned.risk_ppm = ppm;
  }
  Duration limit(std::uint32_t atom, Duration) override {
    const Duration limit = limits(atom).max_runtime;
    return limit.is_zero() ? Duration::forever() : limit;
  }
  Duration again(std::uint32_t atom, Duration) override { return limit(atom, {}); }
  bool ended(std::uint32_t atom, const RunSample& run) override {
    RunSample sample = run;
    sample.low = request_.learned.low;
    sample.high = request_.learned.high;
    sample.risk_ppm = request_.learned.risk_ppm;
    return policy::remember(lock_stats_[atom], directory_stats_, sample);
  }
  Duration floor(std::uint32_t atom) override { return limits(atom).min_runtime; }

 private:
  Limits limits(std::uint32_t atom) const {
    View view;
    view.lock_stats = &lock_stats_[atom];
    view.directory_stats = &directory_stats_;
    return policy::limits_of(request_, view);
  }

  Request request_;
  std::vector<LockStats> lock_stats_;
  DirectoryStats directory_stats_{};
};

}  // namespace

std::string risk_words(std::uint32_t ppm) {
  std::string words = std::to_string(ppm / 1000);
  std::string rest = std::to_string(1000 + ppm % 1000).substr(1);
  while (!rest.empty() && rest.back() == '0') rest.pop_back();
  return rest.empty() ? words : words + "." + rest;
}

Duration doubled(Duration limit) {
  return limit.ns > Duration::kForever / 2 ? Duration::forever() : Duration{limit.ns * 2};
}

std::vector<std::unique_ptr<Rule>> all_rules(const Trace& trace, const LearnedBounds& bounds,
                                             const std::vector<std::uint32_t>& risks_ppm) {
  std::vector<std::unique_ptr<Rule>> rules;
  for (int hours : {1, 4, 12}) {
    rules.push_back(
        std::make_unique<Fixed>(std::to_string(hours) + " h", Duration::seconds(hours * 3600)));
  }
  rules.push_back(std::make_unique<MeanAndDeviations>(trace.atoms, 8));
  rules.push_back(std::make_unique<LargestSoFar>(trace.atoms, 4));
  for (std::uint32_t risk : risks_ppm)
    rules.push_back(std::make_unique<Learned>(trace.atoms, bounds, risk));
  rules.push_back(std::make_unique<LargestEver>(trace));
  return rules;
}

}  // namespace atmost::simulate
