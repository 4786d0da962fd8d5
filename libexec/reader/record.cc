#include "record.h"

#include <cstddef>
#include <iterator>

namespace atmost::history {
namespace {

// A field of an unexpected type is left out.
void store(std::size_t field, const Value& value, EventValues& to) {
  using Kind = Value::Kind;
  std::int64_t number = 0;
  switch (kEventFields[field].type) {
    case FieldType::text:
    case FieldType::moment:
    case FieldType::signal:
      if (value.kind == Kind::string) to.set(field, value.raw);
      break;
    case FieldType::numbers:
    case FieldType::texts:
      if (value.kind == Kind::array) to.set(field, value.raw);
      break;
    case FieldType::number:
      if (value.kind == Kind::number && whole_number(value.raw, number)) to.set(field, number);
      break;
    case FieldType::time:
      if (value.kind == Kind::null) to.set(field, Record::kNever);
      if (value.kind == Kind::number && billionths(value.raw, number)) to.set(field, number);
      break;
    case FieldType::flag:
      if (value.kind == Kind::yes || value.kind == Kind::no) to.set(field, value.kind == Kind::yes);
      break;
  }
}

bool known_kind(std::string_view name, Event::Kind& to) {
  for (std::size_t i = 0; i < std::size(Event::kKinds); ++i) {
    if (Event::kKinds[i] == name) {
      to = static_cast<Event::Kind>(i);
      return true;
    }
  }
  return false;
}

bool read_object(std::string_view line, Record& to) {
  to.line = line;
  to.given = 0;
  Cursor cursor(line);
  if (!cursor.take('{')) return false;
  std::size_t next = 0;
  do {
    std::string_view name;
    Value value;
    if (!cursor.string(name) || !cursor.take(':') || !cursor.value(value)) return false;
    // Fields stand in the table's order: each is found behind the one before.
    for (std::size_t i = 0; i < kEventFieldCount; ++i) {
      const std::size_t field = next;
      next = next + 1 < kEventFieldCount ? next + 1 : 0;
      if (kEventFields[field].name != name) continue;
      store(field, value, to);
      break;
    }
  } while (cursor.take(','));
  if (!cursor.take('}') || !cursor.done()) return false;
  const std::int64_t at = to.ns("at");
  return to.number("v") == Event::kVersion && at != Record::kAbsent && at != Record::kNever &&
         known_kind(to.text("event"), to.kind);
}

}  // namespace

Reading read_line(std::string_view line, Record& to) {
  if (read_object(line, to)) return Reading::whole;
  // Inside a string a quote is always escaped: these bytes can only be the beginning of a line of
  // ours.
  constexpr std::string_view kBeginning = "{\"v\":";
  for (std::size_t at = line.find(kBeginning, 1); at != std::string_view::npos;
       at = line.find(kBeginning, at + 1)) {
    if (read_object({line.data() + at, line.size() - at}, to)) return Reading::behind;
  }
  return Reading::foreign;
}

}  // namespace atmost::history
