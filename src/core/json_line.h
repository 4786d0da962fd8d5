// One line of JSON, an object, in the caller's memory: the writer of the front tier, for the
// history and for --json. (The back tier has the heap; its writer is json/json.h.)
//
// Fields are written in the order of the calls. `room` limits the escaped bytes of each text; the
// rest is left out, and cut() reports it. The caller's memory must be large enough for the rooms of
// all texts, the names and the numbers together: it is not checked.
#ifndef ATMOST_JSON_LINE_H
#define ATMOST_JSON_LINE_H

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "core/text.h"
#include "core/time.h"
#include "core/words.h"

namespace atmost {

class JsonLine {
 public:
  // Room for a text of 700 bytes or fewer, each of which is escaped.
  static constexpr std::size_t kTextRoom = 4224;

  explicit JsonLine(std::span<char> to) : to_(to.data()) { put("{"); }

  // Any bytes, as escape_json() writes them.
  JsonLine& text(std::string_view name, std::string_view value, std::size_t room = kTextRoom) {
    key(name);
    string(value, room);
    return *this;
  }
  // A constant word, which needs no escaping.
  JsonLine& word(std::string_view name, std::string_view value) {
    key(name);
    put("\"");
    put(value);
    put("\"");
    return *this;
  }
  JsonLine& number(std::string_view name, std::uint64_t value) {
    key(name);
    digits(value);
    return *this;
  }
  JsonLine& signed_number(std::string_view name, std::int64_t value) {
    return raw(name, Text<20>().append_signed(value));
  }
  JsonLine& truth(std::string_view name, bool value) { return raw(name, value ? "true" : "false"); }
  JsonLine& null(std::string_view name) { return raw(name, "null"); }
  // Nanoseconds as seconds with six digits behind the point; kForever is null.
  JsonLine& micros(std::string_view name, std::int64_t ns);
  // Seconds as duration_seconds() writes them; may be negative.
  JsonLine& seconds(std::string_view name, Duration span) {
    const bool negative = span.ns < 0;
    Text<40> value(negative ? "-" : "");
    return raw(name, value.append(duration_seconds({negative ? -span.ns : span.ns})));
  }
  // `json` is JSON already.
  JsonLine& raw(std::string_view name, std::string_view json) {
    key(name);
    put(json);
    return *this;
  }

  // For arrays: the parts of a field.
  void key(std::string_view name) {
    put(size_ == 1 ? "\"" : ",\"");
    put(name);
    put("\":");
  }
  void put(std::string_view plain) {
    std::memcpy(to_ + size_, plain.data(), plain.size());
    size_ += plain.size();
  }
  void digits(std::uint64_t value) { put(Text<20>().append_unsigned(value)); }
  // A string with its quotes, at most `room` bytes between them; returns the number of those bytes.
  std::size_t string(std::string_view value, std::size_t room);

  bool cut() const { return cut_; }
  void cut_here() { cut_ = true; }

  // Ends the line, newline included.
  std::string_view finish() {
    put("}\n");
    return {to_, size_};
  }

 private:
  static constexpr std::size_t kPiece = 128;  // bytes escaped at a time; each becomes six at most

  char* to_;
  std::size_t size_ = 0;
  bool cut_ = false;
};

inline std::size_t JsonLine::string(std::string_view value, std::size_t room) {
  put("\"");
  const std::size_t before = size_;
  while (!value.empty()) {
    const std::size_t piece = whole_characters(value, kPiece);
    char escaped[6 * kPiece];
    const std::size_t left = room - (size_ - before);
    const std::size_t count = escape_json({value.data(), piece}, escaped, sizeof escaped);
    if (count > left) {
      size_ += escape_json({value.data(), piece}, to_ + size_, left);
      cut_ = true;
      break;
    }
    put({escaped, count});
    value.remove_prefix(piece);
  }
  const std::size_t filled = size_ - before;
  put("\"");
  return filled;
}

inline JsonLine& JsonLine::micros(std::string_view name, std::int64_t ns) {
  if (ns == Duration::kForever) return null(name);
  key(name);
  std::int64_t micros = ns / 1000;
  if (micros < 0) {
    put("-");
    micros = -micros;
  }
  digits(static_cast<std::uint64_t>(micros / 1'000'000));
  char fraction[7] = ".";
  for (int i = 6; i > 0; --i, micros /= 10) fraction[i] = static_cast<char>('0' + micros % 10);
  put({fraction, 7});
  return *this;
}

}  // namespace atmost

#endif
