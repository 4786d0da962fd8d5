// Statistics of the runs of a lock, and of all locks of a directory. They are hints: stores keep
// them, policy/learn.h and policy/schedule.h write and read them, and no caller is admitted because
// of them.
#ifndef ATMOST_STATS_H
#define ATMOST_STATS_H

#include <cstdint>

#include "core/text.h"
#include "core/time.h"

namespace atmost {

// Lengths of time are counted in steps of a quarter octave: step s ends at 2^((s+1)/4) ms. 128 of
// them reach from a millisecond to seven weeks; longer times are in the last.
inline constexpr int kStepsPerOctave = 4;
inline constexpr int kSteps = 32 * kStepsPerOctave;
// The relation of the next run to those before it: like one of the last few, within four widths;
// like one of the last hundred, likewise (forecast.cc); or like any run of any lock.
inline constexpr int kWidths = 4;
inline constexpr int kRelations = 2 * kWidths + 1;
// Locks are compared with locks of about as many runs.
inline constexpr int kStages = 6;
// The activity of a run when its limit was reached, as far as that was seen.
enum class Doing : std::uint8_t { unknown, work, nothing };

// Runs that a limit ended one after the other, while it is not known whether they were good ones.
struct KilledRow {
  std::int64_t ended_real_ns;  // when the last of them was ended; wall clock
  std::uint16_t shorter;       // of the runs that began after that, so many were shorter
  std::uint8_t first;          // the shortest and the longest step in which one of them was ended
  std::uint8_t longest;
  std::uint8_t kills;  // 0: there is no such row
  Doing doing;
  bool doubtful;  // `doing` does not decide by itself
  std::uint8_t unused;
};
inline constexpr int kRows = 4;

// Plain data, as stored. Everything is 0 for a lock that was never used.
struct LockStats {
  float runs[kSteps];           // run times, each run counting 0.99 of the next
  float recent[kSteps];         // the same, each run counting 0.8 of the next
  float intervals[kSteps];      // between requests, the older counting less
  float relations[kRelations];  // how often the next run had each of these relations, likewise
  std::uint32_t completed;      // runs that ended by themselves
  std::uint32_t stopped;        // runs that a limit ended
  // How many of these one after the other since the last run that ended by itself. A run that began
  // before the last of them was ended came beside it, not after it.
  std::uint32_t stopped_in_a_row;
  std::uint32_t longest;  // 1 + the step of the longest run that ended by itself; 0: not known
  std::uint32_t unused;
  std::uint32_t cut_short;  // runs that another process or a user ended
  std::uint32_t too_soon;   // requests refused as too soon, under --if-elapsed auto
  std::uint32_t spam;       // requests that kept arriving at or below the interval
  std::uint32_t in_a_row;   // how many of these the latest requests were
  // After a run that was too short: the number of steps that are too short (policy/learn.h), and
  // the strength of the proof that the job has become quicker
  std::uint32_t floor;
  std::uint32_t quicker;
  // Of the runs that a limit ended: good ones, as later runs have shown; and hangs. The others are
  // among the rows below.
  std::uint32_t wrongly;
  std::uint32_t hung;
  // Good runs that were seen to do nothing when their limit was reached.
  std::uint32_t misjudged;
  std::uint32_t unused_too;
  // Since when requests have come far earlier than usual (policy/schedule.h); wall clock; 0: they
  // do not.
  std::int64_t early_real_ns;
  std::int64_t unused_time;
  // The last request that was admitted, or refused as too soon; wall clock.
  std::int64_t asked_real_ns;
  std::int64_t stopped_real_ns;  // when a limit last ended a run; wall clock
  KilledRow rows[kRows];
};

// Plain data, as stored. Everything is 0 for a directory in which no run has completed.
struct DirectoryStats {
  float runs[kSteps];
  float relations[kStages][kRelations];
  float tried;  // runs that had a limit
  // The price of a kill (policy/learn.h), as its doublings beyond what the risk asked for says.
  float doublings;
  // Kills of which nothing was seen, lately: they make limits longer before it is known whether
  // they were of good runs.
  float unseen;
  float unused[6];
  // Of the runs that had a limit: the kills of good ones, the notes that one was too short, and as
  // many of either as the requested risks allow
  float wrongly;
  float noted;
  float allowed;
  float unused_too;
};

// Statistics of the version before: nearly all of these fields had their present places.
inline constexpr int kOldLockStats = 1672;
inline void bring_up_to_date(LockStats& old) {
  for (KilledRow& row : old.rows) row = {};
  old.longest = old.unused = old.misjudged = old.unused_too = 0;
  old.early_real_ns = old.unused_time = 0;
}
inline void bring_up_to_date(DirectoryStats& old) {
  old.doublings = old.unseen = old.unused_too = 0;
  for (float& value : old.unused) value = 0;
}

// A store's statistics: it keeps none; it keeps them; or it keeps them, but a lock's are left out
// because another user could have written them so that runs of this user are stopped.
enum class StatsKept : std::uint8_t { none, kept, others_may_write };

// Bounds of a learned limit, and the good runs in a million that may be killed.
struct LearnedBounds {
  Duration low = Duration::seconds(1);
  Duration high = Duration::seconds(7 * 86400);
  std::uint32_t risk_ppm = 5000;
};

// One event that changes the statistics of a lock.
struct RunSample {
  enum class Kind : std::uint8_t {
    completed,  // a run ended by itself
    stopped,    // a limit of ours ended it
    at_limit,   // it has reached its limit, and is stopped unless that is longer by now
    cut_short,  // another process or a user ended it
    too_soon,   // a request was refused
    admitted,   // a request was admitted; how its run ends comes later
  };
  Kind kind = Kind::completed;
  Duration ran{};                // of a run
  Doing doing = Doing::unknown;  // stopped, at_limit
  Duration limit{};              // at_limit: the one that was reached
  bool failed = false;           // completed: not successfully, as far as known
  // When the run was admitted, by the wall clock; 0: not known
  std::int64_t started_real_ns = 0;
  // No limit on it was shorter, or longer (LearnedBounds).
  Duration low{};
  Duration high = Duration::forever();
  std::uint32_t risk_ppm = LearnedBounds{}.risk_ppm;  // how many of a million may be too short
  std::int64_t asked_real_ns = 0;  // the request: its moment by the wall clock; 0: do not count it;
                                   // the same moment is counted once
  Duration interval{};             // in force for the request; 0: none
};

// Updates the statistics, and returns whether the run was successful and suspiciously short; of a
// request that was refused, whether requests begin to be spam with it; of a run at its limit,
// whether that is longer now, and nothing is recorded. Pure; stores call it on what they read and
// write the result back (policy/limits.h).
using LearnFn = bool (*)(LockStats& lock_stats, DirectoryStats& directory_stats,
                         const RunSample& what);

// The limits that a decision applied: learned ones, or those of the request.
struct Limits {
  Duration if_elapsed{};
  Duration expire_after = Duration::forever();
  Duration max_runtime{};  // 0: none
  Duration min_runtime{};  // 0: none
  Duration max_idle{};     // 0 or for ever: none
  Duration expire_idle{};  // 0 or for ever: none
  // If one of them is learned: how many runs of the lock it was learned from, and
  // how long the longest of them took (rounded up). too_few is not 0 if that number is too small:
  // it is the number needed, and until then the limit is --auto-max.
  std::uint32_t learned_from = 0;
  std::uint32_t too_few = 0;
  Duration longest_run{};
};

// The limits that `auto` would choose for a lock now, and the values that lead to it.

struct Tuning {
  StatsKept kept = StatsKept::none;  // unless kept, all is as for a lock that was never used
  std::uint32_t completed = 0, stopped = 0, cut_short = 0;  // runs, as in LockStats
  // Of the runs that a limit stopped: those that were good and those that hung, as later runs have
  // shown; of the others it is not known.
  std::uint32_t wrongly = 0, hung = 0, unsettled = 0;
  double far = 0;                        // the share of runs that took ten times as long as half
  std::uint32_t too_soon = 0, spam = 0;  // requests
  Duration half{}, nine_tenths{},
      longest{};  // of the run times remembered, the older counting less, rounded up
  double related[kRelations] = {};  // how likely each relation of the next run is; sums to 1
  // Runs of the directory that had a limit, and how many good ones it stopped; the older count
  // less.
  std::uint32_t directory_runs = 0, directory_wrongly = 0;
  double price = 0;            // of a wrong kill, in doublings of the limit
  double chance = 0;           // that a good run is longer than run_limit
  double chance_at_limit = 0;  // and than `limit`
  // So many completed runs of the lock itself before there is a limit.
  std::uint32_t runs_needed = 0;
  Duration limit = Duration::forever();  // best at that price, before it was widened and bounded;
                                         // forever: none yet
  bool widened = false;                  // a kill made it longer
  Duration run_limit = Duration::forever();  // after that, and within the bounds
  bool schedule_known = false;
  Duration usual{};          // interval between requests, rounded down
  std::uint32_t slowed = 0;  // steps by which spam made the interval longer
  Limits limits;             // with everything auto
};

// The effect of auto on the lock and, if its limit is long or missing, why. Sentences without the
// lock's name.
Text<500> limit_words(const Tuning& tuning, const LearnedBounds& bounds);

// The accepted risk, and the lock's record.
Text<600> risk_words(const Tuning& tuning, const LearnedBounds& bounds);

}  // namespace atmost

#endif
