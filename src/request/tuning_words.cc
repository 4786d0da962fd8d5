// The effect of auto on a lock, in sentences.
#include "core/tuning.h"
#include "core/words.h"

namespace atmost {
namespace {

// From this many times the median on, a limit is called long: a hang goes unnoticed so long.
constexpr double kLong = 100;
constexpr std::uint32_t kFewRuns = 30;
constexpr std::uint32_t kFewInDirectory = 300;
constexpr double kSomeAreFar = 0.002;

// With one decimal, by whole numbers: the front tier has no floating-point output.
Text<32> tenths(double value) {
  Text<32> words;
  const auto rounded = static_cast<std::uint64_t>(value * 10 + 0.5);
  words.append_unsigned(rounded / 10);
  if (rounded % 10 != 0) words.push('.').append_unsigned(rounded % 10);
  return words;
}

template <std::size_t N>
void why_so_long(Text<N>& to, const Tuning& tuning) {
  if (tuning.far >= kSomeAreFar) {
    const auto one_in = static_cast<std::uint64_t>(1 / tuning.far + 0.5);
    if (one_in <= 1) {
      to.append("most take more than ten times as long as the shorter ones");
      return;
    }
    to.append("about 1 in ").append_unsigned(one_in);
    to.append(" takes more than ten times as long as half of them");
  } else if (tuning.completed < kFewRuns) {
    to.append("so few runs say little");
  } else if (tuning.directory_runs < kFewInDirectory) {
    to.append("too few runs of the directory's locks have shown how limits do");
  } else {
    to.append("they differ much, each from those before it");
  }
}

// The risk is the directory's: one lock may be above it while all together keep it.
template <std::size_t N>
void why_more_than_asked(Text<N>& to, const Tuning& tuning) {
  to.append("; of this lock's it may be more, as ");
  if (tuning.directory_runs < kFewInDirectory) {
    to.append("few runs (").append_unsigned(tuning.directory_runs);
    to.append(") have shown how limits do");
  } else {
    to.append("its runs differ more than others");
  }
}

}  // namespace

Text<500> limit_words(const Tuning& tuning, const LearnedBounds& bounds) {
  Text<500> to;
  const Duration limit = tuning.limits.max_runtime;
  const bool too_few = tuning.completed < tuning.runs_needed;
  if (limit.is_zero() && too_few) {
    to.append("auto stops no run yet: it needs ").append_unsigned(tuning.runs_needed);
    return to.append(" completed runs.");
  }
  if (limit.is_zero()) {
    to.append("auto stops no run, as no useful limit would keep the risk: ");
    why_so_long(to, tuning);
    return to.push('.');
  }
  to.append("auto stops a run that takes longer than ").append(duration_words(limit));
  if (too_few) return to.append(", as --auto-max says.");
  to.append(": of 1,000 good runs of this lock ");
  const auto stopped = static_cast<std::uint64_t>(1000 * tuning.chance + 0.5);
  if (stopped == 0) {
    to.append("fewer than 1 would be stopped.");
  } else {
    to.append("about ").append_unsigned(stopped).append(" would be stopped.");
  }
  if (tuning.widened > 0) {
    return to.append(
        " The limit is longer since the last kill, until runs end by themselves again.");
  }
  const double times =
      static_cast<double>(limit.ns) / static_cast<double>(tuning.half.ns > 0 ? tuning.half.ns : 1);
  if (limit <= bounds.low || times < kLong) return to;
  to.append(" A hang goes unnoticed for ").append_unsigned(static_cast<std::uint64_t>(times));
  to.append(" times as long as half of the runs take, because ");
  why_so_long(to, tuning);
  return to.append(": a duration of your own may be better.");
}

Text<400> risk_words(const Tuning& tuning, const LearnedBounds& bounds) {
  Text<400> to("Asked: at most ");
  to.append(tenths(bounds.risk_ppm / 1000.0)).append(" of 1,000 good runs of the directory");
  const bool limited = !tuning.limits.max_runtime.is_zero();
  if (limited && tuning.chance > bounds.risk_ppm * 1e-6) why_more_than_asked(to, tuning);
  to.append(". Of this lock's ");
  to.append_unsigned(std::uint64_t{tuning.completed} + tuning.wrongly);
  if (tuning.wrongly == 0) {
    to.append(tuning.hung == 0 ? ", none was stopped" : ", none was stopped wrongly");
  } else {
    const double good = static_cast<double>(tuning.completed) + tuning.wrongly;
    to.append(", ").append_unsigned(tuning.wrongly).append(tuning.wrongly == 1 ? " was" : " were");
    to.append(" stopped wrongly (").append(tenths(1000 * tuning.wrongly / good));
    to.append(" of 1,000), as the next run took longer");
  }
  if (tuning.hung > 0) {
    to.append("; ")
        .append_unsigned(tuning.hung)
        .append(tuning.hung == 1 ? " more was" : " more were");
    to.append(" stopped, and the next run was no longer");
  }
  return to.push('.');
}

}  // namespace atmost
