// How one invocation ended, as a value: messages and the exit code are made from this alone.
#ifndef ATMOST_OUTCOME_H
#define ATMOST_OUTCOME_H

#include <cstdint>

#include "core/decision.h"
#include "core/lease.h"
#include "core/result.h"

namespace atmost {

// How a process ended. Made by src/run/ from wait(2)'s status, nowhere else: no scattered 128 + n.
struct ExitStatus {
  int code = 0;    // 0…255, when it exited
  int signal = 0;  // when a signal ended it; then code is 0
  bool core_dumped = false;

  constexpr bool success() const { return code == 0 && signal == 0; }
};

// What a finished command used (getrusage of the children: the command and what it waited for).
struct Usage {
  std::int64_t cpu_ns = 0;
  std::int64_t peak_kib = 0;
  bool known = true;
};

// Why the command was stopped before its time. By ourselves: at its limit, or when the lease was
// lost. By somebody else through the lock: a taker (in a fleet also atmost kill, which cannot be
// told apart there), or atmost kill.
enum class Stopped : std::uint8_t { no, max_runtime, lost, taken_over, killed };

struct Outcome {
  enum class Kind : std::uint8_t {
    ran,      // the command was started and ended: status, stopped, usage
    refused,  // the decision says why
    failed,   // error says what and where; the command did not run
  };
  Kind kind = Kind::failed;
  ExitStatus status;
  Stopped stopped = Stopped::no;
  std::int64_t stopped_by =
      0;  // taken_over, killed: the process that did it; 0: not visible from here
  Usage usage;
  int told =
      0;  // HUP, INT, QUIT or TERM, when one came for us while the command ran: we were told to end
  bool silenced = false;  // refused, and not yet often enough in a row to speak of (--alert-after)
  std::uint32_t refusals = 0;  // so many in a row, where they are counted
  Decision decision;
  Error error;
  std::uint64_t token = 0;
  std::uint32_t slot = 0;
  Duration waited{};
  Duration ran{};
};

}  // namespace atmost

#endif
