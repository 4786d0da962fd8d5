#include <cerrno>
#include <cstdint>
#include <cstring>

#include "core/stats.h"
#include "core/words.h"

namespace atmost {
namespace {

constexpr std::int64_t kMilli = 1'000'000;

struct Step {
  std::int64_t ms;
  std::string_view name;
};
constexpr Step kUnits[] = {{86'400'000, "d"}, {3'600'000, "h"}, {60'000, "m"}, {1'000, "s"}};
constexpr std::size_t kUnitCount = sizeof kUnits / sizeof kUnits[0];

}  // namespace

Text<32> duration_words(Duration span) {
  Text<32> words;
  if (span.is_forever()) return words.append("inf");
  std::int64_t ms = span.ns > 0 ? span.ns / kMilli : 0;
  if (ms == 0) return words.append("0s");
  if (ms < 1000) return words.append_signed(ms).append("ms");
  std::size_t largest = 0;
  while (kUnits[largest].ms > ms) ++largest;
  for (std::size_t i = largest; i < kUnitCount && i < largest + 2; ++i) {
    const std::int64_t count = ms / kUnits[i].ms;
    ms %= kUnits[i].ms;
    if (count > 0) words.append_signed(count).append(kUnits[i].name);
  }
  return words;
}

Text<400> learned_words(const Limits& limits, std::string_view lock) {
  Text<400> words;
  if (limits.too_few != 0) {
    words.append(", with too few runs to learn from: ").append_unsigned(limits.learned_from);
    return words.append(" of ").append_unsigned(limits.too_few);
  }
  words.append(", learned from ")
      .append_unsigned(limits.learned_from)
      .append(" runs, nearly all up to ");
  words.append(duration_words(limits.longest_run));
  return words.append("; see: atmost tune ").append(lock);
}

Text<32> duration_words_up(Duration span) {
  if (span.is_forever() || span.ns <= 0) return duration_words(span);
  constexpr std::int64_t kNsPerSecond = 1000 * kMilli;
  std::int64_t seconds = span.ns / kNsPerSecond + (span.ns % kNsPerSecond != 0 ? 1 : 0);
  std::size_t largest = 0;
  while (kUnits[largest].ms / 1000 > seconds) ++largest;
  if (largest + 1 < kUnitCount) {
    const std::int64_t smaller = kUnits[largest + 1].ms / 1000;
    seconds = (seconds + smaller - 1) / smaller * smaller;
  }
  return duration_words(Duration::seconds(seconds));
}

Text<32> duration_seconds(Duration span) {
  Text<32> words;
  if (span.is_forever()) return words.append("null");
  const std::int64_t ms = span.ns > 0 ? span.ns / kMilli : 0;
  words.append_signed(ms / 1000);
  std::int64_t rest = ms % 1000;
  if (rest == 0) return words;
  words.push('.');
  for (std::int64_t weight = 100; rest > 0; weight /= 10) {
    words.push(static_cast<char>('0' + rest / weight));
    rest %= weight;
  }
  return words;
}

// The C library's own sentences: users know them, and exectimes' messages end in them.
std::string_view errno_words(int error) {
  const char* words = std::strerror(error);
  return words != nullptr && words[0] != '\0' ? words : "unknown error";
}

Code code_for(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      return Code::not_permitted;
    case EROFS:
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
      return Code::cannot_create;
    default:
      return Code::io;
  }
}

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

Text<200> recorded_words(const RecordedLimit& limit) {
  constexpr std::size_t kMostNames = 60;
  Text<200> to;
  if (limit.max == 0) return to.append("none");
  if (limit.max == kMaxSlots) {
    to.append("inf");
  } else {
    to.append_unsigned(limit.max);
  }
  for (std::uint32_t i = 0; i < limit.rate_count; ++i) {
    const Rate& rate = limit.rates[i];
    to.append(", ").append_unsigned(rate.count).push('/').append(duration_words(rate.window));
  }
  if (limit.names.empty()) return to;
  const std::size_t size = whole_characters(limit.names, kMostNames);
  append_escaped(to.append(", names "), {limit.names.data(), size});
  return size < limit.names.size() ? to.append("...") : to;
}

}  // namespace atmost
