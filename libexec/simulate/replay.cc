#include "replay.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace atmost::simulate {
namespace {

constexpr std::size_t kBetweenSteps = 4096;
constexpr std::size_t kHangsFrom = 10;    // runs of a lock before its hangs are scored
constexpr std::size_t kEnoughRuns = 100;  // for a lock to be judged by itself
constexpr double kFarBelow =
    20;  // a run this many times shorter than the median did not do its work
constexpr double kFarAbove = 4;  // times the risk asked for

// Of the good runs of each lock; ln.
std::vector<double> log_medians(const Trace& trace) {
  std::vector<std::vector<std::int64_t>> lengths(trace.atoms);
  for (const Run& run : trace.runs) {
    if (!run.cut_short) lengths[run.atom].push_back(run.ran_ns);
  }
  std::vector<double> medians;
  for (std::vector<std::int64_t>& of : lengths) {
    if (of.empty()) of.push_back(1);
    const std::size_t middle = of.size() / 2;
    std::nth_element(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(middle), of.end());
    double median = static_cast<double>(of[middle]);
    if (of.size() % 2 == 0) {
      const auto below =
          std::max_element(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(middle));
      median = (median + static_cast<double>(*below)) / 2;
    }
    medians.push_back(std::log(std::max(median, 1e6)));  // statistics begin at a millisecond
  }
  return medians;
}

double ln(Duration length) { return std::log(static_cast<double>(length.ns)); }

struct Attempt {
  std::int64_t end_ns;
  std::size_t order;  // of what ends together
  std::size_t run;    // its place in the trace
  std::int64_t start_ns;
  Duration limit;
  std::size_t kills;  // of the attempts before
  bool scored;
};
struct EndsLater {
  bool operator()(const Attempt& one, const Attempt& other) const {
    return one.end_ns != other.end_ns ? one.end_ns > other.end_ns : one.order > other.order;
  }
};

class Replay {
 public:
  Replay(const Trace& trace, Rule& rule, const Bounds& bounds)
      : trace_(trace),
        rule_(rule),
        bounds_(bounds),
        medians_(log_medians(trace)),
        locks_(trace.atoms) {}

  Score score(const std::function<void(std::size_t)>& advanced) {
    for (std::size_t i = 0; i < trace_.runs.size(); ++i) {
      if (i % kBetweenSteps == 0) advanced(i);
      while (!going_.empty() && going_.top().end_ns <= trace_.runs[i].start_ns) end_one();
      first(i);
    }
    while (!going_.empty()) end_one();
    judge_locks();
    return score_;
  }

 private:
  struct Lock {
    std::size_t started = 0, runs = 0, kills = 0;
  };

  void first(std::size_t i) {
    const Run& run = trace_.runs[i];
    const std::size_t before = locks_[run.atom].started++;
    const bool scored = run.cut_short ? before >= kHangsFrom : before >= kUnscored;
    const Duration limit = start(i, run.start_ns, {}, 0, scored);
    if (!scored || run.cut_short) return;
    ++score_.runs;
    ++locks_[run.atom].runs;
    if (limit >= bounds_.high) ++score_.unlimited;
    score_.log_ratios += ln(std::min(limit, bounds_.no_limit)) - medians_[run.atom];
  }

  Duration start(std::size_t i, std::int64_t at_ns, Duration killed_at, std::size_t kills,
                 bool scored) {
    const Run& run = trace_.runs[i];
    Duration limit = rule_.limit(run.atom, killed_at);
    if (limit < bounds_.low) limit = bounds_.low;
    if (limit > bounds_.high) limit = bounds_.high;
    const std::int64_t lasts = std::min(limit.ns, run.ran_ns);
    going_.push({at_ns + lasts, order_++, i, at_ns, limit, kills, scored});
    return limit;
  }

  void end_one() {
    const Attempt it = going_.top();
    going_.pop();
    const Run& run = trace_.runs[it.run];
    const bool stopped = it.limit.ns < run.ran_ns;
    RunSample sample;
    sample.kind = stopped         ? RunSample::Kind::stopped
                  : run.cut_short ? RunSample::Kind::cut_short
                                  : RunSample::Kind::completed;
    sample.ran = {it.end_ns - it.start_ns};
    sample.started_real_ns = it.start_ns + 1;  // 0 would mean "not known"
    if (it.scored && !run.cut_short && !stopped) {
      const double floor = ln(std::max(rule_.floor(run.atom), Duration{1}));
      if (floor >= medians_[run.atom] - std::log(kFarBelow)) ++score_.would_note;
    }
    const bool suspicious = rule_.ended(run.atom, sample);
    if (it.scored && suspicious) ++score_.too_fast;
    if (run.cut_short) {
      if (it.scored) hang_ended(run, sample.ran, stopped);
      return;
    }
    if (!stopped) return;
    if (it.scored) {
      ++score_.kills;
      ++locks_[run.atom].kills;
      if (it.kills == 0) ++score_.killed;
      score_.most_kills = std::max(score_.most_kills, it.kills + 1);
    }
    if (it.limit >= bounds_.high) return;  // it is too long for any limit
    start(it.run, it.end_ns, it.limit, it.kills + 1, it.scored);
  }

  void hang_ended(const Run& run, Duration after, bool stopped) {
    ++score_.hangs;
    if (!stopped) ++score_.unnoticed;
    score_.log_notices += ln(after) - medians_[run.atom];
  }

  void judge_locks() {
    for (const Lock& lock : locks_) {
      if (lock.runs < kEnoughRuns) continue;
      ++score_.locks;
      const double share = 1e6 * static_cast<double>(lock.kills) / static_cast<double>(lock.runs);
      if (rule_.risk_ppm() > 0 && share > kFarAbove * rule_.risk_ppm()) ++score_.locks_above;
    }
  }

  const Trace& trace_;
  Rule& rule_;
  const Bounds& bounds_;
  std::vector<double> medians_;
  std::vector<Lock> locks_;
  std::priority_queue<Attempt, std::vector<Attempt>, EndsLater> going_;
  std::size_t order_ = 0;
  Score score_;
};

double geometric(double logs, std::size_t count) {
  return count == 0 ? 0 : std::exp(logs / static_cast<double>(count));
}

}  // namespace

double Score::per_thousand() const {
  return runs == 0 ? 0 : 1000.0 * static_cast<double>(kills) / static_cast<double>(runs);
}
double Score::ratio() const { return geometric(log_ratios, runs); }
double Score::notice() const { return geometric(log_notices, hangs); }

Score replay(const Trace& trace, Rule& rule, const Bounds& bounds,
             const std::function<void(std::size_t)>& advanced) {
  return Replay(trace, rule, bounds).score(advanced);
}

}  // namespace atmost::simulate
