// One line of JSON, an object, in the caller's memory: the writer of the front tier, for the
// history and for --json. (The back tier has the heap; its writer is json/json.h.)
//
// Fields are written in the order of the calls. With any values nothing is written behind the
// memory, and the line is valid JSON with its newline: a text that does not fit is cut, any other
// field that does not fit is left out, and the line then ends with "cut":true.
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
  static constexpr std::string_view kCut = "cut";
  // Bytes that texts leave free for fields that are not texts.
  static constexpr std::size_t kKept = 1024;

  // In less than kEnd bytes there is no line: finish() is empty.
  explicit JsonLine(std::span<char> to, std::size_t kept = kKept)
      : to_(to.data()),
        limit_(to.size() > kEnd ? to.size() - kEnd : 0),
        free_(limit_ > kept ? limit_ - kept : 0) {
    fits_ = limit_ > 0;
    put("{");
  }

  // Any bytes, as escape_json() writes them. All texts together leave `kept` bytes to the other
  // fields. Each gets half of what the ones before it have left, so that a long one does not take
  // everything; where nothing is left, it is left out.
  JsonLine& text(std::string_view name, std::string_view value) {
    const std::size_t before = begin(name);
    std::size_t room = begin_text(before);
    if (room == 0 && !value.empty()) fits_ = false;
    string(value, room);
    return end_text(before);
  }
  // A constant word, which needs no escaping.
  JsonLine& word(std::string_view name, std::string_view value) {
    const std::size_t before = begin(name);
    put("\"");
    put(value);
    put("\"");
    return end(before);
  }
  JsonLine& number(std::string_view name, std::uint64_t value) {
    return raw(name, Text<20>().append_unsigned(value));
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
    const std::size_t before = begin(name);
    put(json);
    return end(before);
  }
  // All of them, or none.
  JsonLine& numbers(std::string_view name, std::span<const std::uint32_t> all);
  // A list that ends with a null, for example an argv; together they get what one text gets.
  JsonLine& texts(std::string_view name, char* const* all);

  // True if something was cut or left out.
  bool cut() const { return cut_; }

  // Ends the line, newline included.
  std::string_view finish() {
    if (limit_ == 0) return {};
    limit_ += kEnd;
    if (cut_) truth(kCut, true);
    put("}\n");
    return {to_, size_};
  }

 private:
  // The longest end of a line: ,"cut":true}\n
  static constexpr std::size_t kEnd = 4 + kCut.size() + 4 + 2;

  // A field: end() takes it back if it did not fit.
  std::size_t begin(std::string_view name) {
    const std::size_t before = size_;
    put(size_ == 1 ? "\"" : ",\"");
    put(name);
    put("\":");
    return before;
  }
  JsonLine& end(std::size_t before) {
    if (!fits_) {
      size_ = before;
      cut_ = true;
      fits_ = limit_ > 0;
    }
    return *this;
  }
  void put(std::string_view plain) {
    fits_ = fits_ && plain.size() <= limit_ - size_;
    if (!fits_) return;
    std::memcpy(to_ + size_, plain.data(), plain.size());
    size_ += plain.size();
  }
  // The number of bytes of a text's content that fit.
  std::size_t begin_text(std::size_t before) const {
    constexpr std::size_t kQuotes = 2;
    const std::size_t name = size_ - before + kQuotes;
    const std::size_t most = free_ < limit_ - before ? free_ : limit_ - before;
    return most > name ? (most - name + 1) / 2 : 0;
  }
  JsonLine& end_text(std::size_t before) {
    end(before);
    const std::size_t used = size_ - before;
    free_ -= used < free_ ? used : free_;
    return *this;
  }
  // A string with its quotes, which has at most `room` bytes between them; they are taken off
  // `room`. False if it was cut.
  bool string(std::string_view value, std::size_t& room);

  char* const to_;
  std::size_t limit_;  // without the end of the line
  std::size_t free_;   // for texts
  std::size_t size_ = 0;
  bool fits_ = false;  // of the field that is being written
  bool cut_ = false;
};

inline bool JsonLine::string(std::string_view value, std::size_t& room) {
  put("\"");
  bool whole = true;
  if (fits_) {
    const std::size_t count = escape_json(value, to_ + size_, room, &whole);
    size_ += count;
    room -= count;
  }
  if (!whole) cut_ = true;
  put("\"");
  return whole;
}

inline JsonLine& JsonLine::numbers(std::string_view name, std::span<const std::uint32_t> all) {
  const std::size_t before = begin(name);
  put("[");
  for (const std::uint32_t& one : all) {
    if (&one != all.data()) put(",");
    put(Text<20>().append_unsigned(one));
  }
  put("]");
  return end(before);
}

inline JsonLine& JsonLine::texts(std::string_view name, char* const* all) {
  constexpr std::size_t kQuotesAndComma = 3;
  const std::size_t before = begin(name);
  put("[");
  std::size_t room = begin_text(before);
  if (room == 0) fits_ = false;
  for (char* const* one = all; *one != nullptr; ++one) {
    if (room < kQuotesAndComma) {
      cut_ = true;
      break;
    }
    room -= kQuotesAndComma;
    if (one != all) put(",");
    if (!string(*one, room)) break;
  }
  put("]");
  return end_text(before);
}

inline JsonLine& JsonLine::micros(std::string_view name, std::int64_t ns) {
  if (ns == Duration::kForever) return null(name);
  const bool negative = ns / 1000 < 0;
  std::uint64_t micros = static_cast<std::uint64_t>(negative ? -(ns / 1000) : ns / 1000);
  Text<32> value(negative ? "-" : "");
  value.append_unsigned(micros / 1'000'000);
  char fraction[7] = ".";
  for (int i = 6; i > 0; --i, micros /= 10) fraction[i] = static_cast<char>('0' + micros % 10);
  return raw(name, value.append({fraction, 7}));
}

}  // namespace atmost

#endif
