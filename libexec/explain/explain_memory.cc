// The part of an explanation about the memory from which auto limits are learned.
#include "core/words.h"
#include "explanation.h"
#include "policy/schedule.h"
#include "store/local/stats_file.h"

namespace atmost::explain {
namespace {

// Shows whole octaves: within a factor of two.
void tell_longest(const float (&steps)[kSteps], std::string_view what, Report& out) {
  int longest = kSteps - 1;
  while (longest >= 0 && !(steps[longest] > 0)) --longest;
  if (longest < 0) return;
  const Duration bound = Duration::millis(std::int64_t{1} << (longest / kStepsPerOctave + 1));
  out.text("    ").text(what).text(longest == kSteps - 1 ? " of more than " : " of up to ");
  out.text(duration_words(bound)).line();
}

}  // namespace

void explain_memory(const Explanation& about, Report& out) {
  static LockStats lock_stats;
  out.text("  bytes ").number(kMemoryAt).text(" to ");
  out.number(kMemoryAt + static_cast<std::int64_t>(sizeof(MemoryRecord)) - 1);
  out.text(", the lock's memory, which auto limits are learned from:");
  if (!read_lock_stats(about.fd, lock_stats)) {
    out.text(" nothing\n");
    return;
  }
  out.text("\n    ").count(lock_stats.completed).text(" runs ended by themselves, ");
  out.count(lock_stats.stopped)
      .text(" by a limit, ")
      .count(lock_stats.cut_short)
      .text(" by others\n");
  tell_longest(lock_stats.runs, "runs", out);
  tell_longest(lock_stats.intervals, "intervals between requests", out);
  if (lock_stats.too_soon == 0) return;
  out.text("    ").count(lock_stats.too_soon).text(" requests came too soon, ");
  out.count(lock_stats.spam).text(" of them were spam");
  out.text(policy::is_spammed(lock_stats) ? "; the latest are\n" : "\n");
}

}  // namespace atmost::explain
