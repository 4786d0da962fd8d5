#include "verdict.h"

#include "stats_table.h"

namespace atmost::report {
namespace {

constexpr double kManyFail = 0.05;

// Only the first two findings are written.
void join(std::string& to, const std::string& more) {
  if (to.find("; ") != std::string::npos) return;
  if (!to.empty()) to.append("; ");
  to.append(more);
}

std::string part(std::uint64_t some, std::uint64_t all) {
  return grouped(some) + " of " + grouped(all) + " runs";
}

std::string killed(const Summary& of) {
  const std::uint64_t killed = of.killed() - of.replaced;
  std::string to = part(killed, of.runs) + (killed == 1 ? " was killed" : " were killed");
  if (of.story->expire_after_ns == 0 || of.times.empty()) return to;
  return to + " (the limit was " + span_words(of.story->expire_after_ns) +
         ", the longest that finished took " + span_words(of.max_ns) + ")";
}

}  // namespace

std::string verdict_on(const Summary& of) {
  std::string to;
  if (of.killed() > of.replaced) join(to, killed(of));
  const bool many_fail =
      static_cast<double>(of.failed()) > kManyFail * static_cast<double>(of.runs);
  if (many_fail) join(to, part(of.failed(), of.runs) + " failed");
  if (of.too_fast > 0) join(to, part(of.too_fast, of.runs) + " ended too fast");
  if (of.spam > 0) {
    join(to, grouped(of.spam) + " requests kept arriving at or below the interval of " +
                 span_words(of.story->spam_rule.interval_ns()));
  }
  if (of.busy > 0) join(to, grouped(of.busy) + " refused as busy");
  if (of.failed() > 0 && !many_fail) join(to, grouped(of.failed()) + " failed");
  if (of.replaced > 0) join(to, grouped(of.replaced) + " replaced by the next one");
  if (of.level.found && of.level.ratio > 1) {
    join(to, "runs take " + level_words(of.level));
  } else if (of.trend.course == Course::rising) {
    join(to, "runs got " + percent(of.trend.ratio - 1) + " longer");
  }
  return to;
}

}  // namespace atmost::report
