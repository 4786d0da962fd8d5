// Statistics of the runs of a lock, and of all locks of a directory. They are hints: stores keep
// them, policy/learn.h and policy/schedule.h write and read them, and no caller is admitted because
// of them.
#ifndef ATMOST_STATS_H
#define ATMOST_STATS_H

#include <cstdint>

#include "core/time.h"

namespace atmost {

// Lengths of time are counted in steps of a quarter octave: step s ends at 2^((s+1)/4) ms. 128 of
// them reach from a millisecond to seven weeks; whatever is longer is in the last.
inline constexpr int kStepsPerOctave = 4;
inline constexpr int kSteps = 32 * kStepsPerOctave;
// How the next run may relate to those before it: like one of the last few, within four widths;
// like one of the last hundred, likewise (forecast.cc); or like any run of any lock.
inline constexpr int kWidths = 4;
inline constexpr int kRelations = 2 * kWidths + 1;
// Locks are compared with locks of about as many runs.
inline constexpr int kStages = 6;
// Prices at which every run is tried, to see how many kills each would have cost.
inline constexpr int kPrices = 8;

// Plain data, as stored. Everything is 0 for a lock that was never used.
struct LockStats {
  float runs[kSteps];              // run times, each run counting 0.99 of the next
  float recent[kSteps];            // the same, each run counting 0.8 of the next
  float intervals[kSteps];         // between requests, the older counting less
  float relations[kRelations];     // how often the next run had each of these relations, likewise
  std::uint32_t completed;         // runs that ended by themselves
  std::uint32_t stopped;           // runs that a limit ended
  std::uint32_t stopped_in_a_row;  // how many of these since the last run that ended by itself
  std::uint32_t widened;           // steps by which the next limits are longer, because of those
  // 1 + the step at which a limit last ended a run, until the next run has completed
  std::uint32_t unsettled;
  std::uint32_t cut_short;  // runs that another process or a user ended
  std::uint32_t too_soon;   // requests refused as too soon, under --if-elapsed auto
  std::uint32_t spam;       // requests that kept arriving at or below the interval
  std::uint32_t in_a_row;   // how many of these the latest requests were
  // After a run that was too short: so many steps are too short (policy/floor.h), and how far it is
  // proved that the job has become quicker
  std::uint32_t floor;
  std::uint32_t quicker;
  // Of the runs that a limit ended: a longer one completed next; or another one did.
  std::uint32_t wrongly;
  std::uint32_t hung;
  // A run that a limit ended counts as hung, because a shorter one completed next. If its retry was
  // going then, it may still turn out longer: `unsettled` and `stopped_in_a_row` of then, when that
  // limit ended it, and when the shorter one completed; 0: there is none.
  std::uint32_t doubted;
  std::uint32_t doubted_stops;
  std::int64_t doubted_from_ns;
  std::int64_t doubted_until_ns;
  // The last request that was admitted, or refused as too soon; wall clock.
  std::int64_t asked_real_ns;
  std::int64_t stopped_real_ns;  // when a limit last ended a run; wall clock
  // The steps of the limits at all prices before the first of the runs in a row was ended.
  std::uint8_t at_price[kPrices];
};

// Plain data, as stored. Everything is 0 for a directory in which no run has completed.
struct DirectoryStats {
  float runs[kSteps];
  float relations[kStages][kRelations];
  float tried;            // runs that had a limit
  float missed[kPrices];  // how many kills the limit at each price would have cost
  // Of the runs that had a limit: the kills of good ones, the notes that one was too short, and as
  // many of either as the requested risks allow
  float wrongly;
  float noted;
  float allowed;
  // How often limits ended three runs of a lock in a row, and no longer run completed next. One
  // that did takes several of these away.
  float hung_rows;
};

// Whether a store keeps statistics: not at all; it does; or it does, but a lock's are left out
// because another user could have written them so that runs of this user are stopped.
enum class StatsKept : std::uint8_t { none, kept, others_may_write };

// Bounds of a learned limit, and how many good runs in a million may be killed.
struct LearnedBounds {
  Duration low = Duration::seconds(1);
  Duration high = Duration::forever();
  std::uint32_t risk_ppm = 5000;
};

// One event that changes the statistics of a lock.
struct RunSample {
  enum class Kind : std::uint8_t {
    completed,  // a run ended by itself
    stopped,    // a limit of ours ended it
    cut_short,  // another process or a user ended it
    too_soon,   // a request was refused
    admitted,   // a request was admitted; how its run ends comes later
  };
  Kind kind = Kind::completed;
  Duration ran{};       // of a run
  bool failed = false;  // completed: not successfully, as far as known
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

// Updates the statistics, and returns whether the run was successful and suspiciously short. Pure;
// stores call it on what they read and write the result back (policy/limits.h).
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

}  // namespace atmost

#endif
