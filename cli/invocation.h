// What the command line said, before any place is looked up: one value that every subcommand reads.
#ifndef ATMOST_CLI_INVOCATION_H
#define ATMOST_CLI_INVOCATION_H

#include <cstdint>
#include <string_view>

#include "core/limiter.h"
#include "core/monitor.h"
#include "core/place.h"
#include "core/request.h"
#include "core/result.h"
#include "core/schemes.h"
#include "core/store.h"

namespace atmost::cli {

// Subcommands as bits, so that an option can name those that take it.
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
  kEvery = (1u << 12) - 1,
};

inline constexpr std::size_t kMostOptions = 96;

// All views point into argv or the environment. `request` holds every option that has a field
// there; its locks have no path and no name yet (place.h). About 70 KiB: make it static.
struct Invocation {
  unsigned subcommand = 0;        // one of the bits above
  bool given[kMostOptions] = {};  // which options stood there, in the order of options()
  bool help = false;
  bool version = false;
  bool quiet = false;
  bool verbose = false;
  bool json = false;
  bool watch = false;
  bool shared = false;
  bool exclusive = false;
  bool max_given = false;
  bool take_given = false;
  bool wait_given = false;
  bool until_given = false;
  bool ttl_given = false;
  bool on_lost_given = false;
  bool output_max_given = false;
  bool notify_on_given = false;
  std::string_view dir;
  std::string_view host;
  std::string_view store;                 // its URL; empty: file:
  const StoreService* service = nullptr;  // of this program; null: none
  Store* locks = nullptr;          // the store that it names, once every option is known to fit
  std::string_view ping_argument;  // the option's text, which other users can see in a process list
  std::string_view keeper_to;
  std::string_view also[kMaxLocks - 1];
  unsigned also_count = 0;
  Duration eta{};            // beat: how long the command will be silent
  std::int64_t for_pid = 0;  // 0: not given
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

  char** argv = nullptr;            // of this process
  char* const* operands = nullptr;  // what follows the options; ends with a null pointer
  int operand_count = 0;

  Request request;
  Text<2047> ping;  // request.ping is of it: the option's text is overwritten
};

// What the store can do, before it is opened. A URL that check_store() refused counts as file:
// here.
inline const StoreTraits& traits_of(const Invocation& invocation) {
  const Scheme* scheme = scheme_of(invocation.store);
  return scheme != nullptr ? scheme->traits : kSchemes[0].traits;
}

}  // namespace atmost::cli

#endif
