// What happened, as the history keeps it (docs/history-format.md): one Event is one line.
#ifndef ATMOST_EVENT_H
#define ATMOST_EVENT_H

#include <cstdint>
#include <span>
#include <string_view>

#include "core/decision.h"
#include "core/outcome.h"
#include "core/request.h"
#include "core/time.h"

namespace atmost {

// Fixed-size and cheap to make: all text and the spans are borrowed, and must stay valid until
// the event is appended. Empty text, a zero pid or token mean "not known"; such fields are left out
// of the line.
struct Event {
  enum class Kind : std::uint8_t {
    admitted,   // slots were taken; the command is about to start
    denied,     // refused: too soon or busy, and the caller went away
    expired,    // a holder was found overdue, and is going to be stopped
    signalled,  // a holder was sent a signal
    ended,      // the command ended, or could not be started
    lost,       // the lock was lost or taken over while the command ran
    stopping,   // a holder that is not overdue is going to be stopped: replaced, or by atmost kill
    vanished,   // the previous holder was killed together with its supervisor, so its end was not
                // logged
    undelivered,  // who was to be told of a run was not
  };
  Kind kind = Kind::admitted;
  Instant at;  // from the machine's clocks, never --now

  // The caller whose event this is, not the holder that it met.
  std::string_view host;
  // Of the atmost process: the command's parent, unless the command has replaced it.
  std::int64_t pid = 0;
  std::uint32_t uid = 0;
  std::string_view id;
  std::string_view command;  // the program's name
  // The whole argv, ends with a null; null unless asked for: may hold secrets.
  char* const* arguments = nullptr;

  // The lock, and how many of its slots.
  std::string_view lock;  // as the user calls it
  std::string_view path;  // absolute; for other stores the key
  std::string_view op;    // an atom's two parts; empty for other locks
  std::string_view operand;
  std::uint32_t max = 0;
  std::uint32_t take = 0;
  Mode mode = Mode::plain;
  // Of the caller (admitted, ended); the first of the holder's (expired …).
  std::span<const std::uint32_t> slots;
  std::uint64_t token = 0;  // pairs an `ended` with its `admitted`, within one path

  Duration waited{};  // admitted, denied, ended

  struct Denied {
    Verdict verdict = Verdict::busy;
    Why why = Why::none;
    Duration retry_in = Duration::forever();
    std::uint32_t held = 0;
    std::uint32_t waiters = 0;
  } denied;

  // The other process: the one that is overdue, is signalled, or took the lock away.
  struct Holder {
    std::int64_t pid = 0;
    std::uint64_t token = 0;
    Duration age = Duration::forever();           // forever: not known
    Duration expire_after = Duration::forever();  // the limit that it exceeded
    StopReason reason = StopReason::overdue;      // why it is stopped
  } holder;

  struct Signalled {
    int signal = 0;
    bool worked = false;  // the slot was free after this one
  } signalled;

  struct Undelivered {
    std::string_view to;   // notify, ping
    std::string_view why;  // never holds an address
  } undelivered;

  struct Ended {
    // Why the command could not be started; then nothing else here counts.
    Code not_started = Code::ok;
    ExitStatus status;
    Stopped stopped = Stopped::no;
    bool too_fast = false;    // it succeeded, and counts as failed: shorter than --min-runtime
    bool suspicious = false;  // it succeeded, and nearly all runs before took longer
    Duration ran{};
    Usage usage;
  } ended;
};

// The names of the fields of an event in the log (docs/history-format.md), for its writer and its
// readers.
namespace field {
inline constexpr std::string_view kVersion = "v";
inline constexpr std::string_view kEvent = "event";
inline constexpr std::string_view kTime = "time";
inline constexpr std::string_view kAt = "at";
inline constexpr std::string_view kBootS = "boot_s";
inline constexpr std::string_view kHost = "host";
inline constexpr std::string_view kLock = "lock";
inline constexpr std::string_view kPath = "path";
inline constexpr std::string_view kOperator = "operator";
inline constexpr std::string_view kOperand = "operand";
inline constexpr std::string_view kMax = "max";
inline constexpr std::string_view kTake = "take";
inline constexpr std::string_view kMode = "mode";
inline constexpr std::string_view kSlot = "slot";
inline constexpr std::string_view kSlots = "slots";
inline constexpr std::string_view kToken = "token";
inline constexpr std::string_view kPid = "pid";
inline constexpr std::string_view kUid = "uid";
inline constexpr std::string_view kId = "id";
inline constexpr std::string_view kCommand = "command";
inline constexpr std::string_view kArgs = "args";
inline constexpr std::string_view kTo = "to";
inline constexpr std::string_view kWhy = "why";
inline constexpr std::string_view kRetryInS = "retry_in_s";
inline constexpr std::string_view kHeld = "held";
inline constexpr std::string_view kWaiters = "waiters";
inline constexpr std::string_view kSignal = "signal";
inline constexpr std::string_view kWorked = "worked";
inline constexpr std::string_view kHolderPid = "holder_pid";
inline constexpr std::string_view kHolderToken = "holder_token";
inline constexpr std::string_view kAgeS = "age_s";
inline constexpr std::string_view kExpireAfterS = "expire_after_s";
inline constexpr std::string_view kExit = "exit";
inline constexpr std::string_view kCore = "core";
inline constexpr std::string_view kStarted = "started";
inline constexpr std::string_view kStopped = "stopped";
inline constexpr std::string_view kTooFast = "too_fast";
inline constexpr std::string_view kSuspicious = "suspicious";
inline constexpr std::string_view kWaitedS = "waited_s";
inline constexpr std::string_view kRanS = "ran_s";
inline constexpr std::string_view kCpuS = "cpu_s";
inline constexpr std::string_view kPeakKib = "peak_kib";
inline constexpr std::string_view kCut = "cut";
}  // namespace field

}  // namespace atmost

#endif
