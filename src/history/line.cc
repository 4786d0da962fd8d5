#include "line.h"

#include <cstdint>
#include <string_view>

#include "core/json_line.h"

namespace atmost::history {
namespace {

static_assert(JsonLine::kCut == kEventFields[kEventFieldCount - 1].name);

void put(JsonLine& line, const EventField& field, const EventValues::Value& value) {
  switch (field.type) {
    case FieldType::text:
      line.text(field.name, value.text);
      break;
    case FieldType::number:
      line.number(field.name, static_cast<std::uint64_t>(value.number));
      break;
    case FieldType::time:
      line.micros(field.name, value.number);
      break;
    case FieldType::flag:
      line.truth(field.name, value.number != 0);
      break;
    case FieldType::moment:
      line.word(field.name, utc_words(value.number));
      break;
    case FieldType::signal:
      line.word(field.name, signal_name(static_cast<int>(value.number)));
      break;
    case FieldType::numbers:
      line.numbers(field.name, value.numbers);
      break;
    case FieldType::texts:
      line.texts(field.name, value.texts);
      break;
  }
}

// The longest JSON of a value that is never cut.
constexpr std::size_t longest(FieldType type) {
  switch (type) {
    case FieldType::number:
    case FieldType::time:
      return 20;
    case FieldType::flag:
      return 5;
    case FieldType::moment:
      return 2 + sizeof "2262-01-01T00:00:00.000000Z";
    case FieldType::signal:
      return 2 + sizeof "-2147483648";
    default:
      return 0;
  }
}

// Left free by the texts: no other field is left out for them.
constexpr std::size_t kOthers = [] {
  constexpr std::size_t kAroundName = 4;
  std::size_t sum = 0;
  for (const EventField& field : kEventFields)
    sum += kAroundName + field.name.size() + longest(field.type);
  return sum;
}();

}  // namespace

Line format_line(const EventValues& event, std::span<char> to) {
  constexpr std::size_t kSlot = 7;
  constexpr std::size_t kSlots = FieldName<FieldType::numbers>("slots").index;
  const std::size_t slots = event.has(kSlots) ? event.values[kSlots].numbers.size() : 0;
  JsonLine line(to.first(to.size() < kMaxLine ? to.size() : kMaxLine), kOthers + kSlot * slots);
  for (std::size_t i = 0; i < kEventFieldCount; ++i) {
    if (event.has(i)) put(line, kEventFields[i], event.values[i]);
  }
  const std::size_t size = line.finish().size();
  return {size, line.cut()};
}

}  // namespace atmost::history
