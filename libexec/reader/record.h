// One line of the log, read back.
#ifndef ATMOST_LIBEXEC_READER_RECORD_H
#define ATMOST_LIBEXEC_READER_RECORD_H

#include <cstdint>
#include <string_view>

#include "core/event.h"

namespace atmost::history {

// A date, a signal and an array are read as text.
using ReadText = FieldName<FieldType::text, FieldType::moment, FieldType::signal,
                           FieldType::numbers, FieldType::texts>;

// Views point into the line that was read; texts are still escaped (unescape_json, value.h). Field
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
