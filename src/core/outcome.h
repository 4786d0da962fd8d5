// The end of one invocation, as a value: messages and the exit code are made from this alone.
#ifndef ATMOST_OUTCOME_H
#define ATMOST_OUTCOME_H

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "core/decision.h"
#include "core/hold.h"
#include "core/result.h"

namespace atmost {

// The end of a process. Made only by src/run/, from wait(2)'s status, so that 128 + n is computed
// in one place.
struct ExitStatus {
  int code = 0;    // 0…255, when it exited
  int signal = 0;  // when a signal ended it; then code is 0
  bool core_dumped = false;

  constexpr bool success() const { return code == 0 && signal == 0; }
};

// The resources that a finished command used (getrusage of the children: the command and what it
// waited for).
struct Usage {
  std::int64_t cpu_ns = 0;
  std::int64_t peak_kib = 0;
  bool known = true;
};

// The reason for which the command was stopped early. By its supervisor: at its limit, when the
// lease was lost, or when it was silent (idle), or when the process ended with which the run ends
// (caller_gone). By another process through the lock: a taker, or atmost kill (which a fleet cannot
// distinguish from a taker).
enum class Stopped : std::uint8_t { no, max_runtime, lost, taken_over, killed, idle, caller_gone };

// The exit code of a run that was successful too fast.
inline constexpr int kTooFastCode = 1;

// All of an outcome but its words: plain data, which another process understands.
struct PlainOutcome {
  enum class Kind : std::uint8_t {
    ran,      // the command was started and ended: status, stopped, usage
    refused,  // the decision has the reason
    failed,   // error has the step and place; the command did not run
  };
  Kind kind = Kind::failed;
  ExitStatus status;
  Stopped stopped = Stopped::no;
  // Successful, but shorter than --min-runtime, and so counted as failed.
  bool too_fast = false;
  // Successful, but shorter than nearly all runs of a lock before: bit 1 << i for lock i.
  std::uint32_t suspicious = 0;
  // The lock was lost while the command ran, which may have gone on.
  bool lost = false;
  // taken_over, killed: the process that did it; 0: not visible from here
  std::int64_t stopped_by = 0;
  Usage usage;
  // The HUP, INT, QUIT or TERM that came for us while the command ran and asked us to end; 0: none.
  int termination_signal = 0;
  bool silenced = false;       // refused, but not the Nth time in a row: no message (--alert-after)
  std::uint32_t refusals = 0;  // how many in a row, if they are counted
  Decision decision;
  std::uint64_t token = 0;
  std::uint32_t slot = 0;
  Duration waited{};
  Duration ran{};
  Instant over_at{};  // when the run was over, if that is known; else now
};

struct Outcome : PlainOutcome {
  Error error;  // also the words of Why::circle

  static Outcome failure(const Error& why) {
    Outcome outcome;
    outcome.error = why;
    return outcome;
  }
};

// An outcome as one process sends it to another.
struct SentOutcome {
  SentOutcome() = default;
  explicit SentOutcome(const Outcome& from)
      : plain(from), code(from.error.code), sys(from.error.sys), words(from.error.message) {}
  Outcome received() const { return {plain, error_of(code, sys, words)}; }

  PlainOutcome plain;
  Code code = Code::internal;
  int sys = 0;
  Text<Reason::kMost> words;
};
static_assert(std::is_trivially_copyable_v<SentOutcome>);

// The exit code of a run that was admitted, for those who see no signal.
constexpr int end_code(const Outcome& outcome) {
  if (outcome.kind != Outcome::Kind::ran) return static_cast<int>(outcome.error.code);
  if (outcome.stopped == Stopped::max_runtime || outcome.stopped == Stopped::idle ||
      outcome.stopped == Stopped::caller_gone)
    return static_cast<int>(Code::timed_out);
  if (outcome.stopped != Stopped::no) return static_cast<int>(Code::lost);
  if (outcome.too_fast) return kTooFastCode;
  return outcome.status.signal != 0 ? 128 + outcome.status.signal : outcome.status.code;
}

// True if the command ran, and failed or was stopped.
constexpr bool has_failed(const Outcome& outcome) {
  return outcome.kind == Outcome::Kind::ran &&
         (!outcome.status.success() || outcome.stopped != Stopped::no || outcome.too_fast);
}

// Names of values, as the history (docs/monitoring.md), --json and --status-fd write them.

// Indexed by the enumerators, in their order.
inline constexpr std::string_view kModeNames[] = {"plain", "shared", "exclusive"};
inline constexpr std::string_view kStoppedNames[] = {
    "no", "max_runtime", "lost", "taken_over", "killed", "idle", "caller_gone"};
inline constexpr std::string_view kStopReasonNames[] = {"overdue", "replace", "kill", "idle",
                                                        "unsupervised"};
inline constexpr std::string_view kWhyNames[] = {
    "none",        "no_slot",    "owed",    "zero",     "drained",    "ancestor",
    "taking_over", "joined",     "guard",   "survivor", "immune",     "flock",
    "queue_full",  "superseded", "foreign", "circle",   "above_limit"};

template <std::size_t N, class E>
constexpr std::string_view name_of(const std::string_view (&names)[N], E value) {
  const auto index = static_cast<std::size_t>(value);
  return index < N ? names[index] : std::string_view("unknown");
}

}  // namespace atmost

#endif
