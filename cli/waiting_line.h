// A waiter's line: who holds the lock, and its place in the queue.
#ifndef ATMOST_CLI_WAITING_LINE_H
#define ATMOST_CLI_WAITING_LINE_H

#include "core/limiter.h"
#include "invocation.h"

namespace atmost::cli {

// Written to standard error, in one of two forms; nothing with -q or --json.
//
// Output on a terminal that others share is a whole line. So the live form, one line that
// is written over and over in place, is for a terminal to which no other process of the session
// writes; it is removed before anything else is printed, and by a signal that ends or stops the
// process (after SIGKILL it stays). If others come, or the terminal cannot go back in a line, each
// text is a line of its own, and the live form does not come back. Both forms are written only in
// the terminal's foreground. With --progress=lines whole lines are written, whatever standard error
// is.
class WaitingLine {
 public:
  explicit WaitingLine(const Invocation& invocation) : invocation_(invocation) {}

  // Writes it anew if that is due: first a second after the first call, so that a short wait is
  // silent (--progress=lines: at once). Returns the pause until the next call. Looks at the lock,
  // which in a fleet costs requests.
  Duration show();
  // Removes the live line, if it is there. Nothing is written otherwise.
  void remove() {
    if (shown_) erase();
  }

 private:
  enum class Form : unsigned char { unknown, none, live, lines };
  Form form_here() const;
  void say();
  void erase();
  Duration pause() const;

  const Invocation& invocation_;
  Form form_ = Form::unknown;
  bool shown_ = false;    // the live line is on the screen
  bool learned_ = false;  // usual_ was asked for
  Duration usual_{};      // half of the runs took no longer; 0: not known
  std::int64_t due_ns_ = 0;
};

// "3rd".
Text<16> ordinal(std::uint32_t number);

// A waiter's view of its lock, as LockVisitor sees it.
struct QueueView {
  std::uint32_t held = 0;     // holders, of one slot or several
  std::uint32_t place = 0;    // of the waiter in its queue, from 1; 0: not seen
  std::uint32_t waiting = 0;  // in its queue, with it
  Text<300> holder;           // the first one: "4711 ffmpeg", as it calls itself
  Duration held_for{};        // by it; 0: not known
  Duration soonest{};         // until the first holder has run as long as usual; 0: it has
};

// The expected wait if every run takes `usual`, with `max` slots; 0: not known, also when a holder
// has run longer than that already.
Duration expected_wait(const QueueView& view, Duration usual, std::uint32_t max);

// "waiting for encoder: 3rd of 12, about 4m; held by 4711 ffmpeg for 5m10s, and 3 others"; names
// are escaped.
Text<1500> waiting_words(std::string_view lock, const QueueView& view, Duration usual,
                         std::uint32_t max);

}  // namespace atmost::cli

#endif
