// What a lock remembers of its runs, and a directory of all its locks. Hints: stores keep them,
// policy/learn.h and policy/schedule.h write and read them, and nobody is admitted because of what
// they say.
#ifndef ATMOST_STATS_H
#define ATMOST_STATS_H

#include <cstdint>

#include "core/time.h"

namespace atmost {

// Lengths of time are counted in steps of a quarter octave: step s ends at 2^((s+1)/4) ms. 128 of
// them reach from a millisecond to seven weeks; whatever is longer is in the last.
inline constexpr int kStepsPerOctave = 4;
inline constexpr int kSteps = 32 * kStepsPerOctave;
// How the next run may relate to those before it: like one of them, within four widths (learn.cc),
// or like any run of any lock.
inline constexpr int kRelations = 5;
// Locks are compared with locks of about as many runs.
inline constexpr int kStages = 6;
// Prices at which every run is tried, to see how many would have been killed wrongly.
inline constexpr int kPrices = 8;

// Plain data, as stored. Everything is 0 for a lock that nobody has used.
struct LockStats {
  float runs[kSteps];           // run times, each run counting 0.95 of the next
  float intervals[kSteps];      // between admissions, likewise
  float relations[kRelations];  // how often the next run was related so
  float kills;              // runs that a limit ended, each completed run counting 0.95 of the next
  std::uint32_t completed;  // runs that ended by themselves
  std::uint32_t stopped;    // runs that a limit ended
  std::uint32_t widened;    // steps by which the next limits are longer, because of those
  std::uint32_t
      unsettled;  // 1 + the step at which a limit last did so, until the next run has completed
  std::uint32_t cut_short;  // runs that somebody else ended
  std::uint32_t too_soon;   // requests refused so, under --if-elapsed auto
  std::uint32_t spam;       // requests that kept arriving at or below the interval
  std::uint32_t in_a_row;   // of these, up to now
  std::uint32_t reserved[2];
  std::int64_t
      asked_real_ns;  // the last request that was admitted, or refused as too soon; wall clock
};

// Plain data, as stored. Everything is 0 for a directory without experience.
struct DirectoryStats {
  float runs[kSteps];
  float relations[kStages][kRelations];
  float tried;  // runs, and how many of them were longer than the limit at each price
  float missed[kPrices];
};

// Bounds of a learned limit, and how many good runs in a million may be killed.
struct LearnedBounds {
  Duration low = Duration::seconds(1);
  Duration high = Duration::forever();
  std::uint32_t risk_ppm = 5000;
};

// Something that a lock should remember.
struct RunSample {
  enum class Kind : std::uint8_t {
    completed,  // a run ended by itself
    stopped,    // a limit of ours ended it
    cut_short,  // somebody else ended it
    too_soon,   // a request was refused
  };
  Kind kind = Kind::completed;
  Duration ran{};                  // of a run
  std::int64_t asked_real_ns = 0;  // the request: its moment by the wall clock; 0: do not count it
  Duration interval{};             // in force for the request; 0: none
  Duration since_previous =
      Duration::forever();  // from the admission before to this one's; forever: not known
};

// Changes what is remembered. Pure; stores call it on what they read and write the result back
// (policy/remember.h).
using LearnFn = void (*)(LockStats& memory, DirectoryStats& experience, const RunSample& what);

// The limits that a decision went by, where they were learned; else those of the request.
struct Limits {
  Duration if_elapsed{};
  Duration expire_after = Duration::forever();
  Duration max_runtime{};  // 0: none
  // Where expire_after or max_runtime is learned: from so many runs of the lock, the longest of
  // which took so long (rounded up). too_few: so many are needed, and the limit is only the longest
  // that --auto-max allows; else 0.
  std::uint32_t learned_from = 0;
  std::uint32_t too_few = 0;
  Duration longest_run{};
};

}  // namespace atmost

#endif
