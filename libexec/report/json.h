// JSON objects, written field by field.
#ifndef ATMOST_LIBEXEC_REPORT_JSON_H
#define ATMOST_LIBEXEC_REPORT_JSON_H

#include <cstdint>
#include <string>
#include <string_view>

namespace atmost::report {

// Any bytes as a JSON string with its quotes. Also safe inside of HTML: <, > and & are \u escapes.
std::string json_string(std::string_view text);

// Digits with a point and no exponent, `places` behind it, zeros at the end left out: "0.25", "3".
// Never "-0".
std::string decimal(double value, int places);
// Nanoseconds as seconds with up to six digits behind the point.
std::string seconds(std::int64_t ns);

class JsonObject {
 public:
  JsonObject& text(std::string_view name, std::string_view value) {
    return raw(name, json_string(value));
  }
  JsonObject& number(std::string_view name, std::uint64_t value) {
    return raw(name, std::to_string(value));
  }
  JsonObject& real(std::string_view name, double value) { return raw(name, decimal(value, 6)); }
  JsonObject& time(std::string_view name, std::int64_t ns) { return raw(name, seconds(ns)); }
  // `json` is one already.
  JsonObject& raw(std::string_view name, std::string_view json) {
    text_.append(text_.size() > 1 ? "," : "").append(json_string(name)).append(":").append(json);
    return *this;
  }
  std::string str() const { return text_ + "}"; }

 private:
  std::string text_ = "{";
};

}  // namespace atmost::report

#endif
