#include "replay.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <queue>
#include <random>

namespace atmost::simulate {
namespace {

constexpr std::size_t kBetweenSteps = 4096;
constexpr std::size_t kHangsFrom = 10;    // runs of a lock before its hangs are scored
constexpr std::size_t kEnoughRuns = 100;  // for a lock to be judged by itself
constexpr double kFarBelow =
    20;  // a run this many times shorter than the median did not do its work
constexpr double kFarAbove = 4;  // times the risk asked for
constexpr Duration kLongestHang = Duration::seconds(30 * 86400);

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
  // It lasts until it is stopped: one made up, or nothing but the question how long one would have
  // lasted that began with this run.
  enum class Kind : std::uint8_t { run, hang, question } kind;
};
struct EndsLater {
  bool operator()(const Attempt& one, const Attempt& other) const {
    return one.end_ns != other.end_ns ? one.end_ns > other.end_ns : one.order > other.order;
  }
};

class Replay {
 public:
  Replay(const Trace& trace, Rule& rule, const Bounds& bounds, const Setting& setting)
      : trace_(trace),
        rule_(rule),
        bounds_(bounds),
        setting_(setting),
        medians_(log_medians(trace)),
        locks_(trace.atoms) {}

  Score score(const std::function<void(std::size_t)>& advanced) {
    for (std::size_t i = 0; i < trace_.runs.size(); ++i) {
      if (i % kBetweenSteps == 0) advanced(i);
      const std::int64_t start_ns = trace_.runs[i].start_ns;
      while (!going_.empty() && going_.top().end_ns <= start_ns) end_one();
      Lock& lock = locks_[trace_.runs[i].atom];
      if (setting_.slots == 0 || lock.going < setting_.slots) {
        first(i, start_ns);
      } else {
        lock.waiting.push_back(i);
      }
    }
    while (!going_.empty()) end_one();
    judge_locks();
    return score_;
  }

 private:
  using Kind = Attempt::Kind;
  struct Lock {
    std::size_t started = 0, runs = 0, kills = 0, going = 0;
    std::deque<std::size_t> waiting;
  };

  void first(std::size_t i, std::int64_t at_ns) {
    const Run& run = trace_.runs[i];
    const std::size_t before = locks_[run.atom].started++;
    const bool hangs = setting_.hangs > 0 && before >= kHangsFrom && !run.cut_short &&
                       share_(chance_) < setting_.hangs;
    const bool scored = run.cut_short ? before >= kHangsFrom : before >= kUnscored;
    if (hangs) {
      start(i, at_ns, {}, 0, true, Kind::hang);
    } else {
      start_run(i, at_ns, scored);
    }
  }

  void start_run(std::size_t i, std::int64_t at_ns, bool scored) {
    const Run& run = trace_.runs[i];
    const Duration limit = start(i, at_ns, {}, 0, scored, Kind::run);
    if (!scored || run.cut_short) return;
    ++score_.runs;
    ++locks_[run.atom].runs;
    going_.push({plus(at_ns, limit), order_++, i, at_ns, limit, 0, true, Kind::question});
  }

  Duration bounded(Duration limit) const {
    if (limit < bounds_.low) limit = bounds_.low;
    return limit > bounds_.high ? bounds_.high : limit;
  }

  Duration start(std::size_t i, std::int64_t at_ns, Duration killed_at, std::size_t kills,
                 bool scored, Kind kind) {
    const Run& run = trace_.runs[i];
    const Duration limit = bounded(rule_.limit(run.atom, killed_at));
    const std::int64_t lasts = std::min(limit.ns, lasts_of(run, kind));
    ++locks_[run.atom].going;
    going_.push({at_ns + lasts, order_++, i, at_ns, limit, kills, scored, kind});
    return limit;
  }

  std::int64_t lasts_of(const Run& run, Kind kind) const {
    return kind == Kind::run ? run.ran_ns : kLongestHang.ns;
  }

  // True if the limit was reached, but is longer by now: it goes on.
  bool goes_on(const Attempt& it, std::int64_t lasts) {
    if (it.limit >= bounds_.high) return false;
    Attempt longer = it;
    longer.limit = bounded(rule_.again(trace_.runs[it.run].atom, it.limit));
    if (longer.limit <= it.limit) return false;
    longer.end_ns = it.start_ns + std::min(longer.limit.ns, lasts);
    longer.order = order_++;
    going_.push(longer);
    return true;
  }

  void end_one() {
    const Attempt it = going_.top();
    going_.pop();
    const Run& run = trace_.runs[it.run];
    const std::int64_t lasts = lasts_of(run, it.kind);
    const bool stopped = it.limit.ns < lasts;
    if (stopped && goes_on(it, lasts)) return;
    if (it.kind == Kind::question) return answer(it, run);
    --locks_[run.atom].going;
    RunSample sample;
    sample.kind = stopped || it.kind == Kind::hang ? RunSample::Kind::stopped
                  : run.cut_short                  ? RunSample::Kind::cut_short
                                                   : RunSample::Kind::completed;
    sample.ran = {it.end_ns - it.start_ns};
    sample.started_real_ns = it.start_ns + 1;  // 0 would mean "not known"
    if (sample.kind == RunSample::Kind::stopped && setting_.wrong_labels >= 0) {
      const bool wrong = share_(chance_) < setting_.wrong_labels;
      const bool works = (it.kind == Kind::run && !run.cut_short) != wrong;
      sample.doing = works ? Doing::work : Doing::nothing;
    }
    if (it.scored && it.kind == Kind::run && !run.cut_short && !stopped) {
      const double floor = ln(std::max(rule_.floor(run.atom), Duration{1}));
      if (floor >= medians_[run.atom] - std::log(kFarBelow)) ++score_.would_note;
    }
    const bool suspicious = rule_.ended(run.atom, sample);
    if (it.scored && suspicious) ++score_.too_fast;
    if (!next_attempt(it, run, sample.ran, stopped)) start_waiting(run.atom, it.end_ns);
  }

  bool next_attempt(const Attempt& it, const Run& run, Duration after, bool stopped) {
    if (run.cut_short || it.kind == Kind::hang) {
      const bool made_up = it.kind == Kind::hang;
      if (it.scored && made_up == (setting_.hangs > 0)) hang_ended(run, after, stopped);
      if (!made_up) return false;
      start_run(it.run, it.end_ns, true);
      return true;
    }
    if (!stopped) return false;
    if (it.scored) {
      ++score_.kills;
      ++locks_[run.atom].kills;
      if (it.kills == 0) ++score_.killed;
      score_.most_kills = std::max(score_.most_kills, it.kills + 1);
    }
    // A run that is longer than the longest limit would never pass.
    if (it.limit >= bounds_.high || !setting_.repeated) return false;
    start(it.run, it.end_ns, it.limit, it.kills + 1, it.scored, Kind::run);
    return true;
  }

  void start_waiting(std::uint32_t atom, std::int64_t now_ns) {
    Lock& lock = locks_[atom];
    if (lock.waiting.empty() || lock.going >= setting_.slots) return;
    const std::size_t next = lock.waiting.front();
    lock.waiting.pop_front();
    first(next, now_ns);
  }

  void answer(const Attempt& it, const Run& run) {
    if (it.limit >= bounds_.high) ++score_.unlimited;
    score_.log_ratios += ln(std::min(it.limit, bounds_.no_limit)) - medians_[run.atom];
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
  const Setting& setting_;
  std::vector<double> medians_;
  std::vector<Lock> locks_;
  std::priority_queue<Attempt, std::vector<Attempt>, EndsLater> going_;
  std::size_t order_ = 0;
  std::mt19937 chance_{1};
  std::uniform_real_distribution<double> share_{0, 1};
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

Score replay(const Trace& trace, Rule& rule, const Bounds& bounds, const Setting& setting,
             const std::function<void(std::size_t)>& advanced) {
  return Replay(trace, rule, bounds, setting).score(advanced);
}

}  // namespace atmost::simulate
