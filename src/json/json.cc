#include "json.h"

#include <cstdio>
#include <cstdlib>

#include "core/words.h"

namespace atmost::json {

std::string quoted(std::string_view text) {
  constexpr std::size_t kPiece = 256;
  constexpr std::size_t kLongestEscape = 6;  // \u0000
  std::string to = "\"";
  while (!text.empty()) {
    const std::size_t piece = whole_characters(text, kPiece);
    char room[kLongestEscape * kPiece];
    to.append(room, escape_json(text.substr(0, piece), room, sizeof room));
    text.remove_prefix(piece);
  }
  return to.append("\"");
}

std::string safe_in_html(std::string_view json) {
  std::string to;
  for (const char c : json) {
    if (c == '<') {
      to.append("\\u003c");
    } else if (c == '>') {
      to.append("\\u003e");
    } else if (c == '&') {
      to.append("\\u0026");
    } else {
      to.push_back(c);
    }
  }
  return to;
}

std::string decimal(double value, int places) {
  char room[64];
  std::snprintf(room, sizeof room, "%.*f", places, value);
  std::string to = room;
  if (to.find('.') != std::string::npos) {
    to.erase(to.find_last_not_of('0') + 1);
    if (to.back() == '.') to.pop_back();
  }
  return to == "-0" ? "0" : to;
}

std::string seconds(std::int64_t ns) {
  const std::int64_t us = ns / 1000;
  char room[40];
  std::snprintf(room, sizeof room, "%s%lld.%06lld", us < 0 ? "-" : "",
                static_cast<long long>(std::abs(us / 1'000'000)),
                static_cast<long long>(std::abs(us % 1'000'000)));
  std::string to = room;
  to.erase(to.find_last_not_of('0') + 1);
  if (to.back() == '.') to.pop_back();
  return to == "-0" ? "0" : to;
}

}  // namespace atmost::json
