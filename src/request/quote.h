// The beginning of each parsing error: the text that was wrong, in quotes, cut when it is long.
#ifndef ATMOST_REQUEST_QUOTE_H
#define ATMOST_REQUEST_QUOTE_H

#include <string_view>

#include "core/result.h"
#include "core/words.h"

namespace atmost::request {

// A usage error that reads: "TEXT" REST.
inline Error wrong(std::string_view text, std::string_view rest) {
  Error error = error_of(Code::usage, 0, "\"");
  const std::size_t shown = whole_characters(text, 120);
  error.message.append({text.data(), shown})
      .append(shown < text.size() ? "...\" " : "\" ")
      .append(rest);
  return error;
}

}  // namespace atmost::request

#endif
