#include "record.h"

namespace atmost::history {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// True for a character that stands for itself in a string, as nearly all do.
bool is_ordinary(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte != '"' && byte != '\\';
}

bool hex_value(char c, std::uint32_t& to) {
  if (is_digit(c)) {
    to = static_cast<std::uint32_t>(c - '0');
  } else if (c >= 'a' && c <= 'f') {
    to = static_cast<std::uint32_t>(c - 'a' + 10);
  } else if (c >= 'A' && c <= 'F') {
    to = static_cast<std::uint32_t>(c - 'A' + 10);
  } else {
    return false;
  }
  return true;
}

// The four digits of \uXXXX. REQUIRES: they are there.
std::uint32_t four_digits(const char* at) {
  std::uint32_t code = 0;
  for (int i = 0; i < 4; ++i) {
    std::uint32_t digit = 0;
    hex_value(at[i], digit);
    code = code << 4 | digit;
  }
  return code;
}

std::size_t utf8(std::uint32_t code, char* to) {
  const auto tail = [code](unsigned shift) {
    return static_cast<char>(0x80 | (code >> shift & 0x3F));
  };
  if (code < 0x80) {
    to[0] = static_cast<char>(code);
    return 1;
  }
  if (code < 0x800) {
    to[0] = static_cast<char>(0xC0 | code >> 6);
    to[1] = tail(0);
    return 2;
  }
  if (code < 0x10000) {
    to[0] = static_cast<char>(0xE0 | code >> 12);
    to[1] = tail(6);
    to[2] = tail(0);
    return 3;
  }
  to[0] = static_cast<char>(0xF0 | code >> 18);
  to[1] = tail(12);
  to[2] = tail(6);
  to[3] = tail(0);
  return 4;
}

bool is_high(std::uint32_t code) { return code >= 0xD800 && code < 0xDC00; }
bool is_low(std::uint32_t code) { return code >= 0xDC00 && code < 0xE000; }

// The character that begins with the backslash at `at`; returns where the text goes on.
const char* escaped_character(const char* at, const char* end, std::uint32_t& code) {
  switch (at[1]) {
    case 'b':
      code = '\b';
      return at + 2;
    case 'f':
      code = '\f';
      return at + 2;
    case 'n':
      code = '\n';
      return at + 2;
    case 'r':
      code = '\r';
      return at + 2;
    case 't':
      code = '\t';
      return at + 2;
    case 'u':
      break;
    default:
      code = static_cast<unsigned char>(at[1]);
      return at + 2;
  }
  constexpr std::uint32_t kReplacement = 0xFFFD;
  code = four_digits(at + 2);
  at += 6;
  if (is_high(code) && end - at >= 6 && at[0] == '\\' && at[1] == 'u' &&
      is_low(four_digits(at + 2))) {
    code = 0x10000 + ((code - 0xD800) << 10) + (four_digits(at + 2) - 0xDC00);
    return at + 6;
  }
  if (is_high(code) || is_low(code)) code = kReplacement;
  return at;
}

}  // namespace

bool Cursor::done() {
  blanks();
  return at_ == end_;
}

bool Cursor::string(std::string_view& raw) { return take('"') && string_body(raw); }

bool Cursor::string_body(std::string_view& raw) {
  const char* const begin = at_;
  for (; at_ != end_; ++at_) {
    if (is_ordinary(*at_)) continue;
    if (*at_ == '"') {
      raw = {begin, static_cast<std::size_t>(at_ - begin)};
      ++at_;
      return true;
    }
    if (*at_ != '\\') return false;  // a control
    if (++at_ == end_) return false;
    if (*at_ != 'u') {
      if (std::string_view("\"\\/bfnrt").find(*at_) == std::string_view::npos) return false;
      continue;
    }
    if (end_ - at_ < 5) return false;
    for (int i = 0; i < 4; ++i) {
      std::uint32_t digit;
      if (!hex_value(*++at_, digit)) return false;
    }
  }
  return false;
}

bool Cursor::number() {
  const auto digits = [this] {
    const char* const begin = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return at_ != begin;
  };
  if (at_ != end_ && *at_ == '-') ++at_;
  if (at_ != end_ && *at_ == '0') {
    ++at_;
  } else if (!digits()) {
    return false;
  }
  if (at_ != end_ && *at_ == '.') {
    ++at_;
    if (!digits()) return false;
  }
  if (at_ == end_ || (*at_ != 'e' && *at_ != 'E')) return true;
  ++at_;
  if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
  return digits();
}

bool Cursor::literal(std::string_view word) {
  if (static_cast<std::size_t>(end_ - at_) < word.size() ||
      std::string_view(at_, word.size()) != word)
    return false;
  at_ += word.size();
  return true;
}

bool Cursor::array(int depth) {
  ++at_;
  if (take(']')) return true;
  do {
    Value ignored;
    if (!any(ignored, depth + 1)) return false;
  } while (take(','));
  return take(']');
}

bool Cursor::object(int depth) {
  ++at_;
  if (take('}')) return true;
  do {
    Value ignored;
    if (!string(ignored.raw) || !take(':') || !any(ignored, depth + 1)) return false;
  } while (take(','));
  return take('}');
}

bool Cursor::any(Value& to, int depth) {
  blanks();
  if (at_ == end_ || depth > kDeepest) return false;
  const char* const begin = at_;
  bool right = false;
  switch (*at_) {
    case '"':
      ++at_;
      to.kind = Value::Kind::string;
      return string_body(to.raw);
    case '[':
      to.kind = Value::Kind::array;
      right = array(depth);
      break;
    case '{':
      to.kind = Value::Kind::object;
      right = object(depth);
      break;
    case 't':
      to.kind = Value::Kind::yes;
      right = literal("true");
      break;
    case 'f':
      to.kind = Value::Kind::no;
      right = literal("false");
      break;
    case 'n':
      to.kind = Value::Kind::null;
      right = literal("null");
      break;
    default:
      to.kind = Value::Kind::number;
      right = number();
  }
  to.raw = {begin, static_cast<std::size_t>(at_ - begin)};
  return right;
}

std::size_t unescape_json(std::string_view raw, char* to, std::size_t room) {
  const char* at = raw.data();
  const char* const end = at + raw.size();
  std::size_t size = 0;
  while (at != end) {
    if (*at != '\\') {
      // A character of several bytes whose last do not fit is left out whole.
      std::size_t count = 1;
      while (at + count != end && (at[count] & '\xC0') == '\x80') ++count;
      if (count > room - size) break;
      for (; count > 0; --count) to[size++] = *at++;
      continue;
    }
    std::uint32_t code = 0;
    char bytes[4];
    at = escaped_character(at, end, code);
    const std::size_t count = utf8(code, bytes);
    if (count > room - size) break;
    for (std::size_t i = 0; i < count; ++i) to[size++] = bytes[i];
  }
  return size;
}

bool billionths(std::string_view number, std::int64_t& to) {
  constexpr int kPlaces = 9;
  const bool negative = !number.empty() && number[0] == '-';
  if (negative) number.remove_prefix(1);
  std::int64_t value = 0;
  int places = -1;  // after the point; -1 before it
  for (char c : number) {
    if (c == '.') {
      places = 0;
      continue;
    }
    if (!is_digit(c)) return false;
    if (places == kPlaces) continue;
    if (places >= 0) ++places;
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, c - '0', &value))
      return false;
  }
  for (places = places < 0 ? 0 : places; places < kPlaces; ++places) {
    if (__builtin_mul_overflow(value, 10, &value)) return false;
  }
  to = negative ? -value : value;
  return true;
}

bool whole_number(std::string_view number, std::int64_t& to) {
  std::int64_t value = 0;
  for (char c : number) {
    if (!is_digit(c)) return false;
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, c - '0', &value))
      return false;
  }
  to = value;
  return !number.empty();
}

}  // namespace atmost::history
