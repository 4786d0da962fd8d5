// One line of the log, read back.
#ifndef ATMOST_LIBEXEC_READER_RECORD_H
#define ATMOST_LIBEXEC_READER_RECORD_H

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/event.h"

namespace atmost::history {

// JSON, as much as reading one flat object takes (RFC 8259). No heap: everything is a view into the
// text.

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

// A date, a signal and an array are read as text.
using ReadText = FieldName<FieldType::text, FieldType::moment, FieldType::signal,
                           FieldType::numbers, FieldType::texts>;

// Views point into the line that was read; texts are still escaped (unescape_json). Field
// names and meanings: docs/monitoring.md.
struct Record : EventValues {
  static constexpr std::int64_t kAbsent = INT64_MIN;
  static constexpr std::int64_t kNever = Duration::kForever;  // null where a time is expected

  Event::Kind kind = Event::Kind::admitted;
  std::string_view line;  // the whole object

  // Empty if the line does not have it.
  std::string_view text(ReadText field) const { return text_at(field.index); }
  std::string_view text_at(std::size_t field) const {
    return has(field) ? values[field].text : std::string_view();
  }
  // kAbsent if the line does not have it.
  std::int64_t number(NumberField field) const { return value(field.index, kAbsent); }
  std::int64_t ns(TimeField field) const { return value(field.index, kAbsent); }
  bool flag(FlagField field, bool otherwise = false) const {
    return value(field.index, otherwise ? 1 : 0) != 0;
  }

 private:
  std::int64_t value(std::size_t field, std::int64_t otherwise) const {
    return has(field) ? values[field].number : otherwise;
  }
};

enum class Reading : std::uint8_t {
  whole,    // a line as we write them
  behind,   // a good line behind the beginning of another one, which its writer could not finish
  foreign,  // none of ours: torn, of a format that is not known, or another program's
};

// `line` without its newline. `to` is filled unless the line is foreign. Unknown fields are
// skipped; a field of an unexpected type counts as absent.
Reading read_line(std::string_view line, Record& to);

}  // namespace atmost::history

#endif
