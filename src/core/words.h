// Text and numbers for people, safe to print: names become output only through these functions.
#ifndef ATMOST_WORDS_H
#define ATMOST_WORDS_H

#include <cstddef>
#include <string_view>

#include "core/request.h"
#include "core/result.h"
#include "core/stats.h"
#include "core/text.h"
#include "core/time.h"

namespace atmost {

// `from` made safe for a terminal and a log line: C0, DEL, C1, bidirectional controls, line and
// paragraph separators, and bytes that are not UTF-8 become \n, \t, \xHH (per byte); a backslash
// becomes \\. Other UTF-8 stays. Writes at most `room` bytes, whole escapes only; returns the
// number of bytes written.
std::size_t escape(std::string_view from, char* to, std::size_t room);

// The same as JSON string content (no quotes around it): RFC 8259, bytes that are not UTF-8 as
// U+FFFD. `whole` becomes false if not all of `from` has room.
std::size_t escape_json(std::string_view from, char* to, std::size_t room, bool* whole = nullptr);

// The length of the longest beginning of `from` of at most `most` bytes (4 or more) that does not
// split a character, so that a text can be processed in pieces as if it were whole.
inline std::size_t whole_characters(std::string_view from, std::size_t most) {
  if (from.size() <= most) return from.size();
  for (std::size_t end = most; end > most - 4; --end) {
    if ((from[end] & '\xC0') != '\x80') return end;
  }
  return most;  // four continuation bytes in a row: no character reaches over the cut
}

template <class To>
To& append_escaped(To& to, std::string_view from) {
  char buffer[4 * 256];
  while (!from.empty()) {
    const std::size_t piece = whole_characters(from, 256);
    const std::size_t written = escape({from.data(), piece}, buffer, sizeof buffer);
    to.append({buffer, written});
    from.remove_prefix(piece);
  }
  return to;
}

// "250ms", "3m12s", "2d4h", "inf": two units at most, rounded down.
Text<32> duration_words(Duration span);

// The same rounded up, to whole seconds or the smaller of the two units: a caller that comes
// back after that long does not come too early.
Text<32> duration_words_up(Duration span);

// Seconds with up to three decimals, rounded down, no trailing zeros, for JSON: "192.5"; "null" for
// forever.
Text<32> duration_seconds(Duration span);

// The origin of a learned limit on runs, and the command that shows more. To be put after the
// limit.
Text<400> learned_words(const Limits& limits, std::string_view lock);

// A limit of record: "4, 10/1m, names a,b"; "none" without an N. Long lists are cut.
Text<200> recorded_words(const RecordedLimit& limit);

// The system's message for an errno value; never empty.
std::string_view errno_words(int error);
// The exit code for an errno value met on a file: permission, creation or I/O (a full disk, too).
Code code_for(int error);

// The number of terminal cells of a text without controls: combining marks none, East Asian wide
// ones two.
std::size_t display_width(std::string_view text);

// The longest beginning of `text` that is at most `width` cells wide and ends between characters.
std::string_view cut_to_width(std::string_view text, std::size_t width);

// The longest end of `text`, likewise.
std::string_view end_of_width(std::string_view text, std::size_t width);

}  // namespace atmost

#endif
