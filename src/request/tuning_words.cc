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
  to.append(", and of this lock's more may be: ");
  if (tuning.directory_runs < kFewInDirectory) {
    to.append("few runs (").append_unsigned(tuning.directory_runs);
    to.append(") have shown how limits do");
  } else {
    to.append("its runs differ more than those of the others, of which fewer are stopped");
  }
}

// Of the runs that a limit stopped, only what later ones have shown.
template <std::size_t N>
void what_they_were(Text<N>& to, const Tuning& tuning) {
  std::string_view between = ": ";
  if (tuning.wrongly > 0) {
    const double good = static_cast<double>(tuning.completed) + tuning.wrongly;
    to.append(between).append_unsigned(tuning.wrongly).append(" wrongly (");
    to.append(tenths(1000 * tuning.wrongly / good)).append(" of 1,000 good ones), as a later run ");
    to.append("took as long");
    between = "; ";
  }
  if (tuning.hung > 0) {
    to.append(between).append_unsigned(tuning.hung);
    to.append(tuning.hung == 1 ? " counts" : " count").append(" as hung, as later runs did not");
    between = "; ";
  }
  if (tuning.unsettled > 0) {
    to.append(between).append("of ").append_unsigned(tuning.unsettled);
    to.append(" it is not known yet: later runs will show");
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
  if (too_few) {
    to.append(", as --auto-max says, until ").append_unsigned(tuning.runs_needed);
    return to.append(" have completed.");
  }
  to.append(": of 1,000 good runs of this lock ");
  const auto stopped = static_cast<std::uint64_t>(1000 * tuning.chance + 0.5);
  if (stopped == 0) {
    to.append("fewer than 1 would be stopped.");
  } else {
    to.append("about ").append_unsigned(stopped).append(" would be stopped.");
  }
  if (tuning.widened) {
    return to.append(
        " It is longer since a run was stopped, so that a long one can show whether that was "
        "good.");
  }
  const double times =
      static_cast<double>(limit.ns) / static_cast<double>(tuning.half.ns > 0 ? tuning.half.ns : 1);
  if (limit <= bounds.low || times < kLong) return to;
  to.append(" A hang goes unnoticed for ").append_unsigned(static_cast<std::uint64_t>(times));
  to.append(" times as long as half of the runs take, because ");
  why_so_long(to, tuning);
  return to.append(": a duration of your own may be better.");
}

Text<600> risk_words(const Tuning& tuning, const LearnedBounds& bounds) {
  Text<600> to("Asked: at most ");
  to.append(tenths(bounds.risk_ppm / 1000.0)).append(" of 1,000 good runs, over all locks of the ");
  to.append("directory (so far ").append_unsigned(tuning.directory_wrongly).append(" of ");
  to.append_unsigned(std::uint64_t{tuning.directory_runs} + tuning.directory_wrongly).push(')');
  const bool limited = !tuning.limits.max_runtime.is_zero();
  if (limited && tuning.chance > bounds.risk_ppm * 1e-6) why_more_than_asked(to, tuning);
  to.append(". ").append_unsigned(tuning.completed);
  to.append(tuning.completed == 1 ? " run" : " runs").append(" of this lock ended by ");
  to.append(tuning.completed == 1 ? "itself, a limit stopped " : "themselves, a limit stopped ");
  if (tuning.stopped == 0) return to.append("none.");
  to.append_unsigned(tuning.stopped);
  what_they_were(to, tuning);
  return to.push('.');
}

}  // namespace atmost
