// The values of the options, whoever gives them: a command line, a pass file, a program by the C
// library.
#ifndef ATMOST_OPTIONS_SETTINGS_H
#define ATMOST_OPTIONS_SETTINGS_H

#include <cstdint>
#include <string_view>

#include "core/monitor.h"
#include "core/request.h"
#include "core/result.h"
#include "core/schemes.h"

namespace atmost {

// The callers that take options, as bits: the subcommands, pass files and the C library.
enum : unsigned {
  kRun = 1u << 0,
  kCheck = 1u << 1,
  kWait = 1u << 2,
  kList = 1u << 3,
  kDrain = 1u << 4,
  kResume = 1u << 5,
  kForget = 1u << 6,
  kKill = 1u << 7,
  kHold = 1u << 8,
  kRelease = 1u << 9,
  kTune = 1u << 10,
  kBeat = 1u << 11,
  kDoctor = 1u << 12,
  kExplain = 1u << 13,
  kPass = 1u << 14,
  kLimit = 1u << 15,
  kEvery = (1u << 16) - 1,  // every subcommand
  kAtom = 1u << 16,         // an atom of a pass file
  kLibrary = 1u << 17,
  kOften = 1u << 18,  // not a taker: `run --help` shows the option
};

// True if an option was set: for this one caller, or for all that share some settings.
enum class Given : std::uint8_t { no, for_all, here };

inline constexpr std::size_t kMostOptions = 96;

// The way in which a waiter shows its place. unset: by $ATMOST_PROGRESS, else automatic.
enum class Progress : std::uint8_t { unset, automatic, lines };

// Views point into the values that were set. `request` holds every option that has a field there;
// its locks have no path and no name yet (core/parse.h). About 4 KiB.
struct Settings {
  Given given[kMostOptions] = {};  // in the order of the table
  bool help = false;
  bool help_all = false;
  bool version = false;
  bool quiet = false;
  bool verbose = false;
  bool json = false;
  bool watch = false;
  bool create = false;
  bool shared = false;
  bool exclusive = false;
  std::string_view dir;
  std::string_view host;
  std::string_view store;  // its URL; empty: file:
  std::string_view ping;   // the option's text, which other users can see in a process list
  std::string_view keeper_to;
  std::string_view setup_group;  // doctor
  std::uint32_t jobs = 1;        // pass: side by side
  std::uint32_t max_passes = 0;  // pass; 0: any number
  bool clock_per_atom = false;   // pass
  bool classes = false;          // pass
  struct Also {
    std::string_view lock;
    std::uint32_t max = 1;
    bool max_given = false;
  };
  Also also[kMaxLocks - 1];
  unsigned also_count = 0;
  Progress progress = Progress::unset;
  std::uint32_t (*processors)() = nullptr;  // for --max cpus; null: there are none to share
  Duration eta{};                           // beat: the time for which the command will be silent
  std::int64_t for_pid = 0;                 // 0: not given
  int status_fd = -1;
  Caller die_with;
  Duration succeeded_within{};  // check: 0: not asked
  bool nagios = false;
  Duration slack{};  // --if-elapsed is over so much early
  int busy_exit_code = static_cast<int>(Code::busy);
  std::uint32_t slot = 0;   // 0: the whole lock
  std::uint64_t token = 0;  // 0: every holder
  bool overdue = false;
  bool dry_run = false;
  std::string_view names;        // limit: of the slots, or @FILE
  bool clear = false;            // limit
  std::uint32_t rate_count = 0;  // limit: all that were given; the first kMostRates are kept
  Rate rates[kMostRates];

  Request request;
  Text<2047> ping_kept;  // request.ping is of it: a command line's text is overwritten
};

// The store that the settings name. A URL that check_store() refused counts as file: here.
inline const Scheme& scheme_of(const Settings& settings) {
  const Scheme* scheme = scheme_of(settings.store);
  return scheme != nullptr ? *scheme : kSchemes[0];
}

}  // namespace atmost

#endif
