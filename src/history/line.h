// An event as one line of JSON.
#ifndef ATMOST_HISTORY_LINE_H
#define ATMOST_HISTORY_LINE_H

#include <cstddef>
#include <span>

#include "core/event.h"
#include "core/text.h"

namespace atmost::history {

// No line is longer, its newline included.
inline constexpr std::size_t kMaxLine = 24576;

struct Line {
  std::size_t size = 0;
  bool cut = false;  // something did not fit, and the line has "cut":true
};

// Writes the line, newline included: at most `to` and kMaxLine, whatever the event holds. Pure: the
// same event, the same bytes.
Line format_line(const EventValues& event, std::span<char> to);

// "2026-11-21T07:29:17.123456Z". The years are 1677 to 2262, the range of 64 bits of nanoseconds.
Text<40> utc_words(std::int64_t real_ns);

// "TERM" for SIGTERM; "RTMIN+3", or the number alone for a signal without a name. The reader has
// the same table.
Text<16> signal_name(int signal);

}  // namespace atmost::history

#endif
