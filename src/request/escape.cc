// Makes names harmless to a terminal, a log line and a JSON reader. No other code does this.
#include <cstdint>
#include <cstring>

#include "core/words.h"

namespace atmost {
namespace {

// The number of bytes at the beginning that stand for themselves in a JSON string, as nearly all
// bytes of names do.
std::size_t plain_bytes(std::string_view from) {
  // Eight bytes at a time, while certainly each of them does; the highest bit of a byte marks one
  // that may not.
  constexpr std::uint64_t kEach = 0x0101010101010101;
  constexpr std::uint64_t kHighest = 0x80 * kEach;
  const auto maybe_zero = [](std::uint64_t word) { return (word - kEach) & ~word; };
  std::size_t count = 0;
  for (std::uint64_t word; count + sizeof word <= from.size(); count += sizeof word) {
    std::memcpy(&word, from.data() + count, sizeof word);
    const std::uint64_t maybe = word | ((word - 0x20 * kEach) & ~word) |
                                maybe_zero(word ^ 0x7F * kEach) | maybe_zero(word ^ '"' * kEach) |
                                maybe_zero(word ^ '\\' * kEach);
    if ((maybe & kHighest) != 0) break;
  }
  while (count < from.size()) {
    const char c = from[count];
    if (c < 0x20 || c == 0x7F || c == '"' || c == '\\') break;  // bytes above 0x7F are negative
    ++count;
  }
  return count;
}

// One character: its length in bytes, and its code point or kBad when the first byte begins no
// valid UTF-8.
struct Character {
  std::size_t length = 1;
  std::uint32_t code = 0;
};
constexpr std::uint32_t kBad = UINT32_MAX;

// Table 3-7 of the Unicode standard: shortest forms only, no surrogates, nothing above U+10FFFF.
Character first_character(std::string_view from) {
  const auto lead = static_cast<unsigned char>(from[0]);
  if (lead < 0x80) return {1, lead};
  std::size_t length = 0;
  std::uint32_t least = 0;
  std::uint32_t code = 0;
  if ((lead & 0xE0) == 0xC0) {
    length = 2, least = 0x80, code = lead & 0x1Fu;
  } else if ((lead & 0xF0) == 0xE0) {
    length = 3, least = 0x800, code = lead & 0x0Fu;
  } else if ((lead & 0xF8) == 0xF0) {
    length = 4, least = 0x10000, code = lead & 0x07u;
  }
  if (length == 0 || length > from.size()) return {1, kBad};
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(from[i]);
    if ((next & 0xC0) != 0x80) return {1, kBad};
    code = code << 6 | (next & 0x3Fu);
  }
  if (code < least || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {1, kBad};
  return {length, code};
}

// Code points that change how others are shown, or move the cursor: C0, DEL, C1; the bidirectional
// controls (UAX #9); line and paragraph separator.
bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x061C || code == 0x200E ||
         code == 0x200F || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

constexpr std::string_view kUpper = "0123456789ABCDEF";
constexpr std::string_view kLower = "0123456789abcdef";

// Appends whole pieces while there is room; after the first that does not fit, nothing.
class Sink {
 public:
  Sink(char* to, std::size_t room) : to_(to), room_(room) {}

  // As many bytes as fit.
  bool put_some(std::string_view bytes) {
    const std::size_t left = room_ - size_;
    const std::size_t count = bytes.size() < left ? bytes.size() : left;
    std::memcpy(to_ + size_, bytes.data(), count);
    size_ += count;
    return count == bytes.size();
  }

  bool put(std::string_view piece) {
    if (piece.size() > room_ - size_) return false;
    for (char c : piece) to_[size_++] = c;
    return true;
  }
  std::size_t size() const { return size_; }

 private:
  char* to_;
  std::size_t room_;
  std::size_t size_ = 0;
};

// Every byte of a control or a bad sequence as \xHH, all of them or none.
bool put_hex(Sink& sink, std::string_view bytes) {
  Text<16> escaped;
  for (char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    escaped.append("\\x").push(kUpper[byte >> 4]).push(kUpper[byte & 15]);
  }
  return sink.put(escaped);
}

bool put_json_number(Sink& sink, std::uint32_t code) {
  // All controls lie below U+10000: one \u is enough.
  const char escaped[6] = {'\\',
                           'u',
                           kLower[code >> 12 & 15],
                           kLower[code >> 8 & 15],
                           kLower[code >> 4 & 15],
                           kLower[code & 15]};
  return sink.put({escaped, 6});
}

}  // namespace

std::size_t escape(std::string_view from, char* to, std::size_t room) {
  Sink sink(to, room);
  while (!from.empty()) {
    const Character one = first_character(from);
    const std::string_view bytes{from.data(), one.length};
    bool fits = false;
    if (one.code == '\\') {
      fits = sink.put("\\\\");
    } else if (one.code == '\n') {
      fits = sink.put("\\n");
    } else if (one.code == '\t') {
      fits = sink.put("\\t");
    } else if (one.code == kBad || is_control(one.code)) {
      fits = put_hex(sink, bytes);
    } else {
      fits = sink.put(bytes);
    }
    if (!fits) break;
    from.remove_prefix(one.length);
  }
  return sink.size();
}

std::size_t escape_json(std::string_view from, char* to, std::size_t room, bool* whole) {
  Sink sink(to, room);
  while (!from.empty()) {
    const std::size_t plain = plain_bytes(from);
    if (plain > 0) {
      if (!sink.put_some({from.data(), plain})) break;
      from.remove_prefix(plain);
      continue;
    }
    const Character one = first_character(from);
    bool fits = false;
    if (one.code == '"') {
      fits = sink.put("\\\"");
    } else if (one.code == '\\') {
      fits = sink.put("\\\\");
    } else if (one.code == '\n') {
      fits = sink.put("\\n");
    } else if (one.code == '\t') {
      fits = sink.put("\\t");
    } else if (one.code == kBad) {
      fits = sink.put("\\ufffd");
    } else if (is_control(one.code)) {
      fits = put_json_number(sink, one.code);
    } else {
      fits = sink.put({from.data(), one.length});
    }
    if (!fits) break;
    from.remove_prefix(one.length);
  }
  if (whole != nullptr) *whole = from.empty();
  return sink.size();
}

}  // namespace atmost
