// JSON, as much as reading one flat object takes (RFC 8259). No heap: everything is a view into the
// text.
#ifndef ATMOST_LIBEXEC_READER_VALUE_H
#define ATMOST_LIBEXEC_READER_VALUE_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace atmost::history {

struct Value {
  enum class Kind : std::uint8_t { string, number, yes, no, null, array, object };
  Kind kind = Kind::null;
  std::string_view raw;  // a string without its quotes, still escaped; anything else as it stands
};

// Reads one JSON text from front to end. After a false answer the cursor is where the text was
// wrong.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  // Skips blanks, then this very character.
  bool take(char wanted) {
    blanks();
    if (at_ == end_ || *at_ != wanted) return false;
    ++at_;
    return true;
  }
  bool value(Value& to) { return any(to, 0); }
  bool string(std::string_view& raw);
  // True if nothing but blanks is left.
  bool done();
  const char* position() const { return at_; }

 private:
  static constexpr int kDeepest =
      16;  // of arrays and objects in each other; a deeper text is refused

  void blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) ++at_;
  }
  bool any(Value& to, int depth);
  bool string_body(std::string_view& raw);
  bool number();
  bool literal(std::string_view word);
  bool array(int depth);
  bool object(int depth);

  const char* at_;
  const char* end_;
};

// The bytes that a string's content stands for; at most `room` are written, whole characters only.
// Half of a surrogate pair becomes U+FFFD. REQUIRES: `raw` came from a Cursor. Returns the number
// of bytes written.
std::size_t unescape_json(std::string_view raw, char* to, std::size_t room);

// A JSON number as billionths, further digits dropped. False when it has an exponent or does not
// fit.
bool billionths(std::string_view number, std::int64_t& to);
// A JSON number that is whole, not negative and fits.
bool whole_number(std::string_view number, std::int64_t& to);

}  // namespace atmost::history

#endif
