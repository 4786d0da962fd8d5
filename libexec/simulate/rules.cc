#include "rules.h"

#include <algorithm>
#include <cmath>

#include "policy/learn.h"

namespace atmost::simulate {
namespace {

class Fixed final : public Rule {
 public:
  Fixed(const std::string& words, Duration limit) : Rule("fixed " + words, 0), limit_(limit) {}
  Duration limit(std::uint32_t) override { return limit_; }
  void completed(std::uint32_t, Duration) override {}

 private:
  Duration limit_;
};

class MeanAndDeviations final : public Rule {
 public:
  MeanAndDeviations(std::size_t atoms, double deviations)
      : Rule("mean + " + std::to_string(std::lround(deviations)) + " deviations", 0),
        deviations_(deviations),
        atoms_(atoms) {}
  Duration limit(std::uint32_t atom) override {
    const Sums& of = atoms_[atom];
    const double variance = of.count > 1 ? of.squares / (of.count - 1) : 0;
    const double limit = of.mean + deviations_ * std::sqrt(variance);
    return limit < 9e18 ? Duration{std::llround(limit)} : Duration::forever();
  }
  void completed(std::uint32_t atom, Duration ran) override {
    Sums& of = atoms_[atom];
    const double off = static_cast<double>(ran.ns) - of.mean;
    of.mean += off / ++of.count;
    of.squares += off * (static_cast<double>(ran.ns) - of.mean);
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
  Duration limit(std::uint32_t atom) override {
    const std::int64_t largest = largest_[atom].ns;
    return largest > Duration::kForever / times_ ? Duration::forever() : Duration{largest * times_};
  }
  void completed(std::uint32_t atom, Duration ran) override {
    largest_[atom] = std::max(largest_[atom], ran);
  }

 private:
  std::int64_t times_;
  std::vector<Duration> largest_;
};

class LargestEver final : public Rule {
 public:
  explicit LargestEver(const Trace& trace)
      : Rule("largest ever (oracle)", 0), largest_(trace.atoms) {
    for (const Run& run : trace.runs)
      largest_[run.atom] = std::max(largest_[run.atom], Duration{run.ran_ns});
  }
  Duration limit(std::uint32_t atom) override { return largest_[atom]; }
  void completed(std::uint32_t, Duration) override {}

 private:
  std::vector<Duration> largest_;
};

class Learned final : public Rule {
 public:
  Learned(std::size_t atoms, LearnedBounds bounds, std::uint32_t ppm)
      : Rule("auto, --auto-risk " + risk_words(ppm), ppm), bounds_(bounds), memories_(atoms) {
    bounds_.risk_ppm = ppm;
  }
  Duration limit(std::uint32_t atom) override {
    return policy::run_limit(memories_[atom], experience_, bounds_).limit;
  }
  Duration widened(std::uint32_t atom, Duration limit) override {
    policy::run_cut_short(memories_[atom], limit, policy::CutBy::limit);
    return policy::run_limit(memories_[atom], experience_, bounds_).limit;
  }
  void completed(std::uint32_t atom, Duration ran) override {
    policy::run_completed(memories_[atom], experience_, ran);
  }
  void cut_short(std::uint32_t atom, Duration ran) override {
    policy::run_cut_short(memories_[atom], ran, policy::CutBy::other);
  }

 private:
  LearnedBounds bounds_;
  std::vector<LockStats> memories_;
  DirectoryStats experience_{};
};

}  // namespace

std::string risk_words(std::uint32_t ppm) {
  std::string words = std::to_string(ppm / 1000);
  std::string rest = std::to_string(1000 + ppm % 1000).substr(1);
  while (!rest.empty() && rest.back() == '0') rest.pop_back();
  return rest.empty() ? words : words + "." + rest;
}

Duration Rule::widened(std::uint32_t, Duration limit) {
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
