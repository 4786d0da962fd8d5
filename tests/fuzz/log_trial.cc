#include "log_trial.h"

#include <stdlib.h>
#include <unistd.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "history/log.h"
#include "reader/record.h"
#include "tell/tell_request.h"

namespace atmost::fuzz {
namespace {

// Values from the bytes, and zeros behind their end.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

  std::uint64_t number(int bytes) {
    std::uint64_t value = 0;
    for (; bytes > 0; --bytes) value = value << 8 | (at_ != end_ ? *at_++ : 0);
    return value;
  }
  // A few bytes, again and again, so that a short input makes long texts. Kept by this object.
  std::string& text() {
    std::size_t size = number(1);
    if (size % 16 == 0) size = number(2);
    const std::size_t period = 1 + number(1) % 6;
    std::string& made = texts_.emplace_back(size, '\0');
    for (std::size_t i = 0; i < size; ++i)
      made[i] = i < period ? static_cast<char>(number(1)) : made[i - period];
    return made;
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
  std::deque<std::string> texts_;
};

// Values of any fields. The first ones and `token` are there always, and `peak_kib`, which stands
// at the end.
struct Made {
  Event event;
  std::int64_t token = 0;
  std::string_view to, why;
  std::deque<std::vector<std::uint32_t>> slots;
  std::deque<std::vector<char*>> arguments;
};

EventValues::Value value_of(FieldType type, Input& from, Made& to) {
  switch (type) {
    case FieldType::text:
      return std::string_view(from.text());
    case FieldType::flag:
      return static_cast<std::int64_t>(from.number(1) % 2);
    case FieldType::signal:
      return static_cast<std::int64_t>(from.number(1));
    case FieldType::numbers: {
      const std::size_t count =
          from.number(1) % 4 == 0 ? from.number(2) % 1025 : from.number(1) % 3;
      return std::span<const std::uint32_t>(
          to.slots.emplace_back(count, static_cast<std::uint32_t>(from.number(2))));
    }
    case FieldType::texts: {
      std::vector<char*>& all = to.arguments.emplace_back();
      for (std::uint64_t left = from.number(1) % 16; left > 0; --left)
        all.push_back(from.text().data());
      all.push_back(nullptr);
      return all.data();
    }
    default:
      return static_cast<std::int64_t>(from.number(8));
  }
}

void make(Input& from, Made& to) {
  to.event.begin(static_cast<Event::Kind>(from.number(1) % std::size(Event::kKinds)),
                 {static_cast<std::int64_t>(from.number(8)),
                  static_cast<std::int64_t>(from.number(8)), false});
  for (std::size_t i = 0; i + 1 < kEventFieldCount; ++i) {
    if (to.event.has(i) || from.number(1) % 8 == 0) continue;
    to.event.set(i, value_of(kEventFields[i].type, from, to));
  }
  to.token = 1 + static_cast<std::int64_t>(from.number(8) % INT64_MAX);
  to.event.number("token", to.token).number("peak_kib", 1);
  to.to = from.text();
  to.why = from.text();
}

// Strings are not looked at: those of a cut line are shorter.
const char* check_line(std::string_view line, const Made* made) {
  if (line.size() > history::kMaxLine) return "a line is too long";
  if (!line.ends_with("}\n") || line.find('\n') != line.size() - 1) return "a line has no end";
  history::Record record;
  line.remove_suffix(1);
  if (history::read_line(line, record) != history::Reading::whole) return "a line cannot be read";
  if (made == nullptr) return nullptr;
  if (record.number("token") != made->token || record.number("peak_kib") != 1)
    return "a number is missing";
  return nullptr;
}

// Memory of the heap, of which the sanitizer knows the end.
const char* check_formatting(const Made& made, std::size_t room) {
  std::vector<char> memory(room);
  const history::Line line = history::format_line(made.event, memory);
  if (line.size > room) return "a line is longer than its memory";
  const std::string_view text(memory.data(), line.size);
  if (line.cut != (line.size == 0 || text.ends_with(",\"cut\":true}\n")) &&
      line.cut != text.ends_with("{\"cut\":true}\n"))
    return "a cut line does not say so";
  if (text.empty()) return room < 16 ? nullptr : "there is no line";
  history::Cursor cursor({text.data(), text.size() - 1});
  history::Value object;
  if (!cursor.value(object) || object.kind != history::Value::Kind::object || !cursor.done())
    return "a line is not JSON";
  return room >= history::kMaxLine ? check_line(text, &made) : nullptr;
}

}  // namespace

LogTrial::LogTrial() {
  directory_ = std::filesystem::temp_directory_path() / "atmost-log.XXXXXX";
  if (mkdtemp(directory_.data()) == nullptr) abort();
  path_ = directory_ + "/history.jsonl";
}

LogTrial::~LogTrial() { std::filesystem::remove_all(directory_); }

const char* LogTrial::run(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  Made one;
  Made other;
  const std::size_t room = input.number(2) % (history::kMaxLine + 4096);
  const bool both = input.number(1) % 2 == 0;
  make(input, one);
  make(input, other);
  for (const std::size_t memory : {room, history::kMaxLine, room % 64}) {
    if (const char* wrong = check_formatting(one, memory)) return wrong;
  }
  (void)truncate(path_.c_str(), 0);
  history::LogPlace place;
  place.path.assign(path_);
  place.check_directories = false;
  history::Log log(place);
  if (!log.append(one.event).ok()) return "an event is not logged";
  if (both && !log.append(other.event).ok()) return "an event is not logged";
  if (const char* wrong = check_log(both ? 2 : 1)) return wrong;
  std::vector<char> memory(history::kMaxLine);
  tell::TellRequest request;
  request.line.assign(memory.data(), history::format_line(other.event, memory).size);
  request.log = path_;
  tell::log_undelivered(request, std::string(one.to), std::string(one.why));
  return check_log(both ? 3 : 2);
}

const char* LogTrial::check_log(std::size_t lines) {
  std::ifstream file(path_, std::ios::binary);
  std::size_t count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    if (const char* wrong = check_line(line + "\n", nullptr)) return wrong;
  }
  return count == lines ? nullptr : "the log has other lines";
}

}  // namespace atmost::fuzz
