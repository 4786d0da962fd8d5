#include "record.h"

#include <cstddef>

#include "names.h"
#include "value.h"

namespace atmost::history {
namespace {

enum class Type : std::uint8_t { text, whole, time, flag, array };

struct Field {
  std::string_view name;
  Type type;
  std::string_view Record::*text = nullptr;
  std::int64_t Record::*number = nullptr;
  bool Record::*flag = nullptr;
};

constexpr Field text(std::string_view name, std::string_view Record::*at) {
  return {name, Type::text, at, nullptr, nullptr};
}
constexpr Field array(std::string_view name, std::string_view Record::*at) {
  return {name, Type::array, at, nullptr, nullptr};
}
constexpr Field whole(std::string_view name, std::int64_t Record::*at) {
  return {name, Type::whole, nullptr, at, nullptr};
}
constexpr Field time(std::string_view name, std::int64_t Record::*at) {
  return {name, Type::time, nullptr, at, nullptr};
}
constexpr Field flag(std::string_view name, bool Record::*at) {
  return {name, Type::flag, nullptr, nullptr, at};
}

// In the order they are written in, so that each is found next to the one before.
constexpr Field kFields[] = {
    whole("v", &Record::version),
    text("event", &Record::event),
    text("time", &Record::time),
    time("at", &Record::at_ns),
    time("boot_s", &Record::boot_ns),
    text("host", &Record::host),
    text("lock", &Record::lock),
    text("path", &Record::path),
    text("operator", &Record::op),
    text("operand", &Record::operand),
    whole("max", &Record::max),
    whole("take", &Record::take),
    text("mode", &Record::mode),
    whole("slot", &Record::slot),
    array("slots", &Record::slots),
    whole("token", &Record::token),
    whole("pid", &Record::pid),
    whole("uid", &Record::uid),
    text("id", &Record::id),
    text("command", &Record::command),
    array("args", &Record::args),
    text("why", &Record::why),
    time("retry_in_s", &Record::retry_in_ns),
    whole("held", &Record::held),
    whole("waiters", &Record::waiters),
    text("signal", &Record::signal),
    flag("worked", &Record::worked),
    whole("holder_pid", &Record::holder_pid),
    whole("holder_token", &Record::holder_token),
    time("age_s", &Record::age_ns),
    time("expire_after_s", &Record::expire_after_ns),
    whole("exit", &Record::exit),
    flag("core", &Record::core),
    flag("started", &Record::started),
    text("stopped", &Record::stopped),
    time("waited_s", &Record::waited_ns),
    time("ran_s", &Record::ran_ns),
    time("cpu_s", &Record::cpu_ns),
    whole("peak_kib", &Record::peak_kib),
    flag("cut", &Record::cut),
};
constexpr std::size_t kCount = sizeof kFields / sizeof kFields[0];

void store(const Field& field, const Value& value, Record& to) {
  std::int64_t number = 0;
  switch (field.type) {
    case Type::text:
      if (value.kind == Value::Kind::string) to.*field.text = value.raw;
      break;
    case Type::array:
      if (value.kind == Value::Kind::array) to.*field.text = value.raw;
      break;
    case Type::whole:
      if (value.kind == Value::Kind::number && whole_number(value.raw, number))
        to.*field.number = number;
      break;
    case Type::time:
      if (value.kind == Value::Kind::null) to.*field.number = Record::kNever;
      if (value.kind == Value::Kind::number && billionths(value.raw, number))
        to.*field.number = number;
      break;
    case Type::flag:
      if (value.kind == Value::Kind::yes) to.*field.flag = true;
      if (value.kind == Value::Kind::no) to.*field.flag = false;
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
      const Field& field = kFields[next];
      next = next + 1 < kCount ? next + 1 : 0;
      if (field.name != name) continue;
      store(field, value, to);
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
