// A caller's request: parsed, validated, immutable once built. src/request/ makes it from text
// (parse.h).
#ifndef ATMOST_REQUEST_H
#define ATMOST_REQUEST_H

#include <cstdint>

#include "core/stats.h"
#include "core/text.h"
#include "core/time.h"

namespace atmost {

// The most slots one lock can have, and so the largest N. 2^18: beyond it the kernel's own lock
// list, which every lock operation walks, is the limit (0.1 ms at 10,000 locks on the machine of
// docs/internals/measurements.md).
inline constexpr std::uint32_t kMaxSlots = 1u << 18;
// The most slots one caller takes at once (-k), and the most locks it takes together (LOCK and
// every --also).
inline constexpr std::uint32_t kMaxTake = 1024;
inline constexpr std::uint32_t kMaxLocks = 16;

// The ways in which a taker may end a hold: by signals to its processes; by a note in the lock
// file, on which a library releases the lock and notifies its program; or not at all (a library
// holder that agreed to neither).
enum class Eviction : std::uint8_t { kill, revoke, none };

// The way in which a slot is kept, from its record (a hint). `foreign`: no record of ours, e.g. the
// original exectimes.
enum class HolderKind : std::uint8_t { foreign, supervised, exec, library, keeper };

enum class Mode : std::uint8_t { plain, shared, exclusive };
enum class OnBusy : std::uint8_t { fail, skip, replace, join, supersede };
enum class OnTooSoon : std::uint8_t { fail, skip, wait };
enum class ElapsedFrom : std::uint8_t { start, finish, success };

// At most `count` admissions in any window of length `window`.
struct Rate {
  std::uint32_t count = 0;  // 1…kMaxRate; 0: no such limit
  Duration window{};        // more than 0, not forever
};
inline constexpr std::uint32_t kMaxRate = 1024;
inline constexpr std::uint32_t kAnyQueue = UINT32_MAX;

// The limit of record of a lock (atmost limit): its callers' own limits may be stricter, and both
// hold.
inline constexpr std::uint32_t kMostRates = 8;
struct RecordedLimit {
  std::uint32_t max = 0;  // N, 1…kMaxSlots
  std::uint32_t rate_count = 0;
  Rate rates[kMostRates];
  std::string_view names;  // of its N slots, separated by commas, borrowed; empty: they have none
};

// The end of a hold (docs/internals/lock-map.md, "Who keeps a slot"): the command's main process,
// its whole tree, or the close of the descriptor (a POSIX lock; only for a command that replaces
// us).
enum class Until : std::uint8_t { main, tree, close };

// The fate of a command whose lease was lost while it ran.
enum class OnLost : std::uint8_t { by_store, stop, warn };  // by_store: fleets stop, files warn

// The destination of the command's output: it goes where ours does; it is kept, and shown if the
// command fails or is stopped; it is kept, and its end is shown in any case.
enum class OutputTo : std::uint8_t { show, on_failure, tail };
inline constexpr std::int64_t kTailBytes = 64 * 1024;
inline constexpr std::int64_t kLeastOutput = 64 * 1024;
inline constexpr std::int64_t kOutputMax = 16 * 1024 * 1024;

// The runs and refusals that --notify reports, as bits.
enum Occasions : std::uint8_t {
  kTellFailure = 1,
  kTellKilled = 2,
  kTellTooFast = 4,
  kTellRecovered = 8,
  kTellLost = 16,
  kTellEvery = 32,
  kTellSpam = 64,
};
inline constexpr std::uint8_t kTellByDefault =
    kTellFailure | kTellKilled | kTellRecovered | kTellLost;
struct OccasionName {
  std::string_view name;
  std::uint8_t value;
};
inline constexpr OccasionName kOccasionNames[] = {
    {"failure", kTellFailure},  {"killed", kTellKilled},
    {"too-fast", kTellTooFast}, {"recovered", kTellRecovered},
    {"lost", kTellLost},        {"every", kTellEvery},
    {"spam", kTellSpam}};

// A variable of the command that --env names, and the fact about the first lock in it.
enum class Told : std::uint8_t { slot, slots, indices, token, lock, name, names };
struct OwnVariable {
  std::string_view name;
  Told what = Told::slot;
  std::uint32_t base = 0;  // is added to a slot's number
};
inline constexpr std::uint32_t kMaxOwnVariables = 8;

// The most bytes of a lock's name.
inline constexpr std::size_t kNameMost = 255;

// One lock a caller wants: where it is and how much of it.
struct LockSpec {
  std::uint32_t max = 1;   // N, 0…kMaxSlots; 0 refuses
  std::uint32_t take = 1;  // K, 1…min(N, kMaxTake)
  Mode mode = Mode::plain;
  bool max_given = false;  // else the limit of record is the caller's N, where there is one
  // Of the limit of record, in what a store makes of a caller's wishes (rule::limited()):
  bool limited = false;   // the lock has one
  bool at_limit = false;  // `max` is its N
  bool rated = false;     // it has rates
  TextView name;          // as the user wrote it, for messages, list and the environment
  TextView path;  // the lock file; fleet: the store's URL and, behind the last slash, the key
};

// The maker of the request keeps its texts.
struct Request {
  std::uint32_t lock_count = 1;

  Duration wait{};  // 0: refuse at once
  OnBusy on_busy = OnBusy::fail;
  // A caller that would wait is refused when so many wait already; kAnyQueue: never.
  std::uint32_t queue_max = kAnyQueue;

  Duration if_elapsed{};
  bool if_elapsed_auto = false;
  Rate rate;
  OnTooSoon on_too_soon = OnTooSoon::fail;
  ElapsedFrom elapsed_from = ElapsedFrom::start;
  Duration expire_after = Duration::forever();
  bool expire_auto = false;
  // A waiter stops a holder that it has watched being idle for so long; 0: it watches none.
  Duration expire_idle{};
  bool expire_idle_auto = false;
  Duration max_runtime{};  // 0: no limit
  bool max_runtime_auto = false;
  Duration max_idle{};  // stopped after so long a silence; 0: no limit
  bool max_idle_auto = false;
  Duration min_runtime{};  // a shorter successful run counts as failed; 0: none does
  bool min_runtime_auto = false;
  LearnedBounds learned;  // for the limits that are auto
  bool no_learn = false;  // the lock does not learn from this run
  Duration kill_grace = Duration::seconds(2);
  Duration splay{};
  // --notify: a command for sh -c, borrowed; empty: none. `notify_on` has its occasions.
  std::string_view notify;
  // --ping: a URL of http or https, which is a secret, or @FILE, borrowed, with a NUL behind it;
  // empty: none.
  std::string_view ping;
  std::uint8_t notify_on = kTellByDefault;
  bool ping_output = false;  // the end of the command's output goes with the ping
  OutputTo output = OutputTo::show;
  // The place in the queue outlives the waiter for so long; 0: it ends with it. Needs an id.
  std::uint32_t keep_place_ms = 0;
  std::int64_t output_max = kOutputMax;  // on_failure: the most bytes that are kept and shown
  Duration ttl = Duration::seconds(15);  // fleet: the time for which a lease lasts without renewal
  OnLost on_lost = OnLost::by_store;
  // Only every Nth consecutive refusal is reported, and only every Nth consecutive failure is
  // notified and shows its output; 0: all of them.
  std::uint32_t alert_after = 0;
  bool now_given = false;
  std::int64_t now_real_ns = 0;
  // With now_given: the same moment on the boot clock; 0: not given.
  std::int64_t now_boot_ns = 0;

  HolderKind kind = HolderKind::supervised;  // how it holds; exec and kept_for have the details
  Eviction eviction = Eviction::kill;        // how others may take over from us
  bool exec = false;                         // become the command
  Until until = Until::main;
  bool close_fd = false;  // --close: the command does not inherit the descriptor

  // hold: the running process on whose behalf this one keeps the lock (0: none), when it started
  // (on the boot clock, because a later process may get its number), and after how long the keeper
  // releases the lock in any case.
  std::int64_t kept_for = 0;
  std::int64_t kept_for_start_ns = 0;
  Duration keep_at_most = Duration::forever();

  Text<63> id;
  Text<63> command;  // what list and history show: the program's name, or the line with --log-args
  bool no_history = false;
  bool log_args = false;  // the history gets the whole argv: it may hold secrets
  // Hold flock(2) on the lock files, too: exclusive for N = 1, else shared.
  bool with_flock = false;
  unsigned create_mode = 0600;
  // The mode was asked for; else a group's directory widens it (docs/internals/lock-map.md).
  bool mode_given = false;
  // Create missing directories above the lock files (named locks and atoms).
  bool make_parents = false;
  bool trust_fs = false;
  // Several machines use the lock files, over a network.
  bool across = false;
  // The request takes no slot, so a lock file that can only be read is enough.
  bool looks_only = false;
  // The request only stops holders, which root may do wherever the lock is.
  bool only_stops = false;
  // A lock is held around this process (ATMOST_HELD): check whether it is this one.
  bool nested = false;
  // exectimes: touch only the eight index bytes and the locks, write no hints
  bool foreign_format = false;

  PathParts log;  // --log; empty: history.jsonl beside the first lock file
  // The log is the default one of a lock that is given by a path (own_log(), parse.h). It is made
  // with its directories; if that fails, nothing is logged and no warning is given.
  bool log_is_own = false;
  std::uint32_t variable_count = 0;
  OwnVariable variables[kMaxOwnVariables];  // different names
  LockSpec locks[kMaxLocks];                // the first is LOCK, the others --also; any order
};

// True if the command gets names of slots, which only a limit of record has.
constexpr bool wants_names(const Request& request) {
  for (std::uint32_t i = 0; i < request.variable_count; ++i) {
    const Told what = request.variables[i].what;
    if (what == Told::name || what == Told::names) return true;
  }
  return false;
}

constexpr Duration keep_of(const Request& request) {
  return Duration::millis(request.keep_place_ms);
}

// True if the caller or the limit of record has a rate.
constexpr bool has_rate(const Request& request, const LockSpec& lock) {
  return request.rate.count > 0 || lock.rated;
}

// True if any limit is learned.
constexpr bool wants_stats(const Request& request) {
  return request.if_elapsed_auto || request.expire_auto || request.max_runtime_auto ||
         request.min_runtime_auto || request.max_idle_auto || request.expire_idle_auto;
}

// An ability that no store of a fleet has: it remembers how long runs took, not when they began.
constexpr bool learns_beginnings(const Request& request) {
  return request.if_elapsed_auto || request.expire_auto;
}

constexpr bool watches_silence(const Request& request) {
  return !request.max_idle.is_zero() || request.max_idle_auto;
}

constexpr bool watches_holders(const Request& request) {
  return !request.expire_idle.is_zero() || request.expire_idle_auto;
}

// The age of holders, in ns and at least 1, from which on this caller may stop them: a bound, as a
// learned limit may be any, and an idle one has to be watched first; 0: never.
constexpr std::int64_t age_of_victims(const Request& request) {
  const bool any_age = request.expire_auto || request.expire_idle_auto ||
                       request.on_busy == OnBusy::replace || request.expire_after.is_zero();
  if (any_age) return 1;
  const Duration& idle = request.expire_idle;
  const Duration least =
      idle.is_zero() || request.expire_after < idle ? request.expire_after : idle;
  return least.is_forever() ? 0 : least.ns;
}

}  // namespace atmost

#endif
