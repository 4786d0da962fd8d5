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

// A JSON string in a line, as it may be shown: what it stands for, escaped.
std::string shown(std::string_view raw);

// Whether a line holds nothing that a terminal would obey. A line that another user put into the
// log may, none of ours does.
bool is_safe(std::string_view line);

}  // namespace atmost::history

#endif
