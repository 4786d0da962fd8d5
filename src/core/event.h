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

// Fixed-size and cheap to make: all text and the spans are borrowed, and have to live until the
// event is appended. Empty text, a zero pid or token mean "not known"; such fields are left out of
// the line.
struct Event {
  enum class Kind : std::uint8_t {
    admitted,   // slots were taken; the command is about to start
    denied,     // refused: too soon or busy, and the caller went away
    expired,    // a holder was found overdue, and is going to be stopped
    signalled,  // a holder was sent a signal
    ended,      // the command ended, or could not be started
    lost,       // the lock was lost or taken over while the command ran
    stopping,   // a holder that is not overdue is going to be stopped: replaced, or by atmost kill
    vanished,   // whoever had the slot before was killed together with its supervisor: its end was
                // not logged
  };
  Kind kind = Kind::admitted;
  Instant at;  // the clocks', never --now

  // Whose event it is: the caller's, not the holder's that it met.
  std::string_view host;
  std::int64_t pid =
      0;  // of atmost itself; the command's parent, unless it was replaced by the command
  std::uint32_t uid = 0;
  std::string_view id;
  std::string_view command;  // the program's name
  char* const* arguments =
      nullptr;  // the whole argv, ends with a null; null unless asked for: may hold secrets

  // The lock, and how much of it.
  std::string_view lock;  // as the user calls it
  std::string_view path;  // absolute; for other stores the key
  std::string_view op;    // an atom's two parts; empty for other locks
  std::string_view operand;
  std::uint32_t max = 0;
  std::uint32_t take = 0;
  Mode mode = Mode::plain;
  std::span<const std::uint32_t>
      slots;  // of the caller (admitted, ended); the first of the holder's (expired …)
  std::uint64_t token = 0;  // pairs an `ended` with its `admitted`, within one path

  Duration waited{};  // admitted, denied, ended

  struct Denied {
    Verdict verdict = Verdict::busy;
    Why why = Why::none;
    Duration retry_in = Duration::forever();
    std::uint32_t held = 0;
    std::uint32_t waiters = 0;
  } denied;

  // The process that was met: who is overdue, who is signalled, who took the lock away.
  struct Holder {
    std::int64_t pid = 0;
    std::uint64_t token = 0;
    Duration age = Duration::forever();           // forever: not known
    Duration expire_after = Duration::forever();  // the limit that it overstepped
    StopReason reason = StopReason::overdue;      // why it is stopped
  } holder;

  struct Signalled {
    int signal = 0;
    bool worked = false;  // the slot was free after this one
  } signalled;

  struct Ended {
    Code not_started =
        Code::ok;  // why the command could not be started; then nothing else here counts
    ExitStatus status;
    Stopped stopped = Stopped::no;
    Duration ran{};
    Usage usage;
  } ended;
};

}  // namespace atmost

#endif
