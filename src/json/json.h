// JSON objects, written field by field: the writer of every program of the back tier. (The front
// tier has no heap; its writer is core/json_line.h.)
#ifndef ATMOST_JSON_JSON_H
#define ATMOST_JSON_JSON_H

#include <cstdint>
#include <string>
#include <string_view>

namespace atmost::json {

// Any bytes as a JSON string with its quotes, escaped by the rules of escape_json() (core/words.h).
std::string quoted(std::string_view text);

// The same JSON without <, > and &, which only its strings can contain: for a script element of
// HTML.
std::string safe_in_html(std::string_view json);

// Decimal notation without an exponent: at most `places` digits behind the point, no trailing
// zeros: "0.25", "3". Never "-0".
std::string decimal(double value, int places);
// Nanoseconds as seconds with up to six digits behind the point.
std::string seconds(std::int64_t ns);

class Object {
 public:
  Object& text(std::string_view name, std::string_view value) { return raw(name, quoted(value)); }
  Object& number(std::string_view name, std::uint64_t value) {
    return raw(name, std::to_string(value));
  }
  Object& real(std::string_view name, double value) { return raw(name, decimal(value, 6)); }
  Object& time(std::string_view name, std::int64_t ns) { return raw(name, seconds(ns)); }
  Object& truth(std::string_view name, bool value) { return raw(name, value ? "true" : "false"); }
  Object& null(std::string_view name) { return raw(name, "null"); }
  // `json` is JSON already.
  Object& raw(std::string_view name, std::string_view json) {
    text_.append(text_.size() > 1 ? "," : "").append(quoted(name)).append(":").append(json);
    return *this;
  }
  std::string str() const { return text_ + "}"; }

 private:
  std::string text_ = "{";
};

}  // namespace atmost::json

#endif
