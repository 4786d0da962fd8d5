// The line that a waiter shows on a terminal: who holds the lock, and its place in the queue.
#ifndef ATMOST_CLI_WAITING_LINE_H
#define ATMOST_CLI_WAITING_LINE_H

#include "core/limiter.h"
#include "invocation.h"

namespace atmost::cli {

// Written to standard error over and over, in place, and removed before anything else is printed.
// Only in the terminal's foreground, and not with -q or --json. If the process dies, its last line
// stays on the screen.
class WaitingLine {
 public:
  explicit WaitingLine(const Invocation& invocation) : invocation_(invocation) {}

  // Shows the line anew, from the second call on, so that a short wait shows none. Returns the
  // pause until the next call. Looks at the lock, which in a fleet costs requests.
  Duration show();
  // Removes the line, if it is there. Nothing is written otherwise.
  void remove();

 private:
  enum class State : unsigned char { unknown, never, soon, shown };  // soon: with the next call
  bool belongs_here() const;
  void write();

  const Invocation& invocation_;
  State state_ = State::unknown;
  Duration usual_{};  // half of the runs took no longer; 0: not known
};

// "3rd".
Text<16> ordinal(std::uint32_t number);

// What a waiter is told about its lock, as LockVisitor sees it.
struct QueueView {
  std::uint32_t held = 0;     // holders, of one slot or several
  std::uint32_t place = 0;    // of the waiter in its queue, from 1; 0: not seen
  std::uint32_t waiting = 0;  // in its queue, with it
  Text<300> holder;           // the first one: "4711 ffmpeg", as it calls itself
  Duration held_for{};        // by it; 0: not known
  Duration soonest{};         // until the first holder has run as long as usual; 0: it has
};

// How long the waiter will wait if every run takes `usual`, with `max` slots; 0: not known, also
// when a holder has run longer than that already.
Duration expected_wait(const QueueView& view, Duration usual, std::uint32_t max);

// "waiting for encoder: 3rd of 12, about 4m; held by 4711 ffmpeg for 5m10s, and 3 others"; names
// are escaped.
Text<1500> waiting_words(std::string_view lock, const QueueView& view, Duration usual,
                         std::uint32_t max);

}  // namespace atmost::cli

#endif
