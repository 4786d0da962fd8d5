#include "record.h"

#include <cstddef>

#include "history/names.h"
#include "value.h"

namespace atmost::history {
namespace {

constexpr std::size_t kCount = sizeof kRecordFields / sizeof kRecordFields[0];

void store(const RecordField& row, const Value& value, Record& to) {
  std::int64_t number = 0;
  switch (row.type) {
    case FieldType::text:
      if (value.kind == Value::Kind::string) to.*row.text = value.raw;
      break;
    case FieldType::array:
      if (value.kind == Value::Kind::array) to.*row.text = value.raw;
      break;
    case FieldType::whole:
      if (value.kind == Value::Kind::number && whole_number(value.raw, number))
        to.*row.number = number;
      break;
    case FieldType::time:
      if (value.kind == Value::Kind::null) to.*row.number = Record::kNever;
      if (value.kind == Value::Kind::number && billionths(value.raw, number))
        to.*row.number = number;
      break;
    case FieldType::flag:
      if (value.kind == Value::Kind::yes) to.*row.flag = true;
      if (value.kind == Value::Kind::no) to.*row.flag = false;
      break;
  }
}

bool known_kind(std::string_view name, Event::Kind& to) {
  for (std::size_t i = 0; i < kKinds; ++i) {
    if (kKindNames[i] == name) {
      to = static_cast<Event::Kind>(i);
      return true;
    }
  }
  return false;
}

bool read_object(std::string_view line, Record& to) {
  to = Record{};
  to.line = line;
  Cursor cursor(line);
  if (!cursor.take('{')) return false;
  std::size_t next = 0;
  do {
    std::string_view name;
    Value value;
    if (!cursor.string(name) || !cursor.take(':') || !cursor.value(value)) return false;
    for (std::size_t i = 0; i < kCount; ++i) {
      const RecordField& row = kRecordFields[next];
      next = next + 1 < kCount ? next + 1 : 0;
      if (row.name != name) continue;
      store(row, value, to);
      break;
    }
  } while (cursor.take(','));
  if (!cursor.take('}') || !cursor.done()) return false;
  return to.version == kVersion && to.at_ns != Record::kAbsent && to.at_ns != Record::kNever &&
         known_kind(to.event, to.kind);
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
