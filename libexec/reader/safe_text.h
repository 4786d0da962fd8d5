// Texts out of a log, made fit for a terminal.
#ifndef ATMOST_LIBEXEC_READER_SAFE_TEXT_H
#define ATMOST_LIBEXEC_READER_SAFE_TEXT_H

#include <string>
#include <string_view>

namespace atmost::history {

// The text of a JSON string in a line.
std::string text_of(std::string_view raw);

// Any bytes as `escape` (core/words.h) shows them, whatever their length.
std::string escaped(std::string_view text);

// The decoded text of a JSON string in a line, escaped so that it may be shown.
std::string shown(std::string_view raw);

// True if a line is free of bytes that a terminal would obey. Our own lines are; a line that
// another user put into the log may not be.
bool is_safe(std::string_view line);

}  // namespace atmost::history

#endif
