#include "world/script.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace world {
namespace {

struct DurationUnit {
  std::string_view name;
  std::int64_t ns;
};
constexpr DurationUnit kUnits[] = {
    {"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1000}, {"ns", 1}};
constexpr int kMostProcesses = 10'000;

// A mistake: parse() adds the line.
struct Wrong {
  std::string text;
};
[[noreturn]] void wrong(std::string text) { throw Wrong{std::move(text)}; }
std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

template <class T>
std::optional<T> whole_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> read_duration(std::string_view text) {
  const std::size_t digits = text.find_last_of("0123456789") + 1;
  const auto value = whole_number<std::int64_t>(text.substr(0, digits));
  for (const DurationUnit& unit : kUnits) {
    std::int64_t ns = 0;
    if (value && text.substr(digits) == unit.name && !__builtin_mul_overflow(*value, unit.ns, &ns))
      return ns;
  }
  return std::nullopt;
}

// The words of one line, taken from the left.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line.substr(0, line.find('#'))) {}

  std::string_view next() {  // empty: the line is at its end
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size()));
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t\r"));
    rest_.remove_prefix(word.size());
    return word;
  }
  std::string_view need(std::string_view what) {
    const std::string_view word = next();
    if (word.empty()) wrong(std::string(what) + " is missing");
    return word;
  }
  void end() {
    if (const std::string_view word = next(); !word.empty()) wrong(quoted(word) + " is too much");
  }

 private:
  std::string_view rest_;
};

std::int64_t one_of(std::span<const std::string_view> words, std::string_view name,
                    std::string_view text) {
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == text) return static_cast<std::int64_t>(i);
    all += (i == 0 ? "" : ", ") + std::string(words[i]);
  }
  wrong(std::string(name) + " is one of " + all + ", not " + quoted(text));
}

template <class T>
std::int64_t read_value(const Field<T>& field, std::string_view text) {
  if (field.unit == Unit::word) return one_of(field.words, field.name, text);
  const bool time = field.unit == Unit::time;
  const auto value = time ? read_duration(text) : whole_number<std::int64_t>(text);
  if (value && *value >= field.least && *value <= field.most) return *value;
  const auto shown = [&](std::int64_t n) { return time ? duration(n) : std::to_string(n); };
  wrong(std::string(field.name) + " is " + shown(field.least) + "…" + shown(field.most) + ", not " +
        quoted(text));
}

// `name=value` up to the end of the line, each at most once.
template <class T>
void read_fields(Words& words, T& to) {
  std::set<std::string_view> seen;
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    const std::size_t equal = word.find('=');
    const std::string_view name = word.substr(0, equal);
    const Field<T>* found = nullptr;
    for (const Field<T>& field : fields<T>())
      if (field.name == name) found = &field;
    if (found == nullptr || equal == std::string_view::npos)
      wrong(quoted(word) + " is not a setting here");
    if (!seen.insert(name).second) wrong(std::string(name) + " is set twice");
    to.*found->value = read_value(*found, word.substr(equal + 1));
  }
}

int read_process(std::string_view text) {
  const auto index = text.starts_with('p') ? whole_number<int>(text.substr(1)) : std::nullopt;
  if (index && *index >= 0 && *index < kMostProcesses) return *index;
  wrong("a process is p0, p1, …, not " + quoted(text));
}

std::int64_t read_time(std::string_view text, std::int64_t least) {
  if (const auto ns = read_duration(text); ns && *ns >= least) return *ns;
  wrong(quoted(text) + " is not a duration such as 16400ms");
}

// Of any size from `least` on.
template <class T>
T read_number(std::string_view text, std::string_view name, T least) {
  if (const auto value = whole_number<T>(text); value && *value >= least) return *value;
  wrong(std::string(name) + " is a number from " + std::to_string(least) + " on, not " +
        quoted(text));
}

std::int64_t read_event_value(EventWord::Value value, Words& words) {
  switch (value) {
    case EventWord::Value::none:
      return 0;
    case EventWord::Value::process:
      return read_process(words.need("the process that runs next"));
    case EventWord::Value::delay: {
      const std::string_view delay = words.next();
      return delay.empty() ? 0 : read_time(delay, 0);
    }
    case EventWord::Value::time:
      return read_time(words.need("the duration"), 0);
    case EventWord::Value::step:
      return read_time(words.need("the duration"), INT64_MIN);
    case EventWord::Value::answer:
      return read_number<std::int64_t>(words.need("the answer"), "an answer", 0);
  }
  return 0;
}

Event read_event(Words& words) {
  Event event;
  event.process = read_process(words.need("the process"));
  event.call = read_number<std::uint64_t>(words.need("the call"), "a call", 1);
  const std::string_view name = words.need("the event");
  for (const EventWord& word : event_words())
    if (word.name == name) {
      event.kind = word.kind;
      event.value = read_event_value(word.value, words);
      return event;
    }
  wrong(quoted(name) + " is not an event");
}

// Lines that may stand in a script once.
class Reader {
 public:
  explicit Reader(Script& script) : script_(script) {}

  void read(std::string_view line) {
    Words words(line);
    const std::string_view key = words.next();
    if (key.empty()) return;
    if (!begun_ && key != "world") wrong("a world begins with the line \"world 1\"");
    read(key, words);
    words.end();
  }
  bool begun() const { return begun_; }
  bool has_seed() const { return seen_.contains("seed"); }

 private:
  void once(std::string_view key) {
    if (!seen_.emplace(key).second) wrong(std::string(key) + " is set twice");
  }

  void read(std::string_view key, Words& words) {
    if (key == "caller") {
      script_.callers.emplace_back();
      return read_fields(words, script_.callers.back());
    }
    if (key == "run") {
      if (script_.callers.empty()) wrong("a run stands behind its caller");
      return read_fields(words, script_.callers.back().runs.emplace_back());
    }
    if (key == "event") {
      if (!script_.listed) wrong("events stand behind the line \"events listed\"");
      script_.events.push_back(read_event(words));
      return;
    }
    once(key);
    if (key == "world") {
      if (words.need("the version") != "1") wrong("this program reads worlds of version 1");
      begun_ = true;
    } else if (key == "seed") {
      script_.seed = read_number<std::uint64_t>(words.need("the number"), "a seed", 0);
    } else if (key == "plant") {
      script_.plant = words.need("the name");
    } else if (key == "breaks") {
      script_.breaks = words.need("the name");
    } else if (key == "rates") {
      read_fields(words, script_.rates);
    } else if (key == "events") {
      constexpr std::string_view kSources[] = {"drawn", "listed"};
      script_.listed = one_of(kSources, "the source of events", words.need("the source")) == 1;
    } else {
      wrong(quoted(key) + " begins no line of a world");
    }
  }

  Script& script_;
  bool begun_ = false;
  std::set<std::string, std::less<>> seen_;
};

// Only what differs from its default.
template <class T>
std::string shown(const T& value) {
  std::string line;
  for (const Field<T>& field : fields<T>()) {
    const std::int64_t is = value.*field.value;
    if (is == T{}.*field.value) continue;
    line += " " + std::string(field.name) + "=";
    line += field.unit == Unit::word   ? std::string(field.words[static_cast<std::size_t>(is)])
            : field.unit == Unit::time ? duration(is)
                                       : std::to_string(is);
  }
  return line;
}

}  // namespace

std::string duration(std::int64_t ns) {
  for (const DurationUnit& unit : kUnits)
    if (ns % unit.ns == 0) return std::to_string(ns / unit.ns) + std::string(unit.name);
  return {};
}

std::optional<ScriptError> parse(std::string_view text, Script& script) {
  script = {};
  Reader reader(script);
  std::size_t line = 0;
  try {
    while (!text.empty()) {
      ++line;
      const std::size_t end = text.find('\n');
      reader.read(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
  } catch (const Wrong& mistake) {
    return ScriptError{line, mistake.text};
  }
  if (!reader.begun()) return ScriptError{0, "a world begins with the line \"world 1\""};
  if (!reader.has_seed()) return ScriptError{0, "the line with the seed is missing"};
  if (script.callers.empty()) return ScriptError{0, "a world has one caller at least"};
  return std::nullopt;
}

std::string print(const Event& event) {
  const EventWord& word = event_word(event.kind);
  std::string line = "event p" + std::to_string(event.process) + " " + std::to_string(event.call) +
                     " " + std::string(word.name);
  switch (word.value) {
    case EventWord::Value::none:
      return line;
    case EventWord::Value::process:
      return line + " p" + std::to_string(event.value);
    case EventWord::Value::delay:
      return event.value == 0 ? line : line + " " + duration(event.value);
    case EventWord::Value::time:
    case EventWord::Value::step:
      return line + " " + duration(event.value);
    case EventWord::Value::answer:
      return line + " " + std::to_string(event.value);
  }
  return line;
}

std::string print(const Script& script) {
  std::string text = "world 1\nseed " + std::to_string(script.seed) + "\n";
  if (!script.plant.empty()) text += "plant " + script.plant + "\n";
  if (!script.breaks.empty()) text += "breaks " + script.breaks + "\n";
  if (script.rates != Rates{}) text += "rates" + shown(script.rates) + "\n";
  for (const Caller& caller : script.callers) {
    text += "caller" + shown(caller) + "\n";
    for (const Run& run : caller.runs) text += "  run" + shown(run) + "\n";
  }
  text += script.listed ? "events listed\n" : "events drawn\n";
  for (const Event& event : script.events) text += print(event) + "\n";
  return text;
}

}  // namespace world
