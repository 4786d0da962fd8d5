#include "limit.h"

#include <cstring>

namespace atmost::local {
namespace {

constexpr std::string_view kFirstLine = "atmost limit 1";
constexpr std::size_t kMostName = 63;

// The next line, without its newline. False if no newline follows.
bool next_line(std::string_view& text, std::string_view& line) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return false;
  line = {text.data(), end};
  text.remove_prefix(end + 1);
  return true;
}

// Takes `word` and a blank away from the beginning.
bool take_word(std::string_view& line, std::string_view word) {
  if (line.size() <= word.size() || line.find(word) != 0 || line[word.size()] != ' ') return false;
  line.remove_prefix(word.size() + 1);
  return true;
}

// Digits without a zero in front.
bool take_number(std::string_view& line, std::uint64_t most, std::uint64_t& to) {
  to = 0;
  std::size_t size = 0;
  while (size < line.size() && line[size] >= '0' && line[size] <= '9') {
    const auto digit = static_cast<std::uint64_t>(line[size++] - '0');
    if (to > (most - digit) / 10) return false;
    to = to * 10 + digit;
  }
  if (size == 0 || line[0] == '0') return false;
  line.remove_prefix(size);
  return true;
}

bool take_rate(std::string_view line, Rate& to) {
  std::uint64_t count = 0;
  std::uint64_t window = 0;
  if (!take_number(line, kMaxRate, count) || line.empty() || line.front() != ' ') return false;
  line.remove_prefix(1);
  if (!take_number(line, Duration::kForever - 1, window) || !line.empty()) return false;
  to = {static_cast<std::uint32_t>(count), {static_cast<std::int64_t>(window)}};
  return true;
}

bool fits_name(std::string_view name) {
  if (name.empty() || name.size() > kMostName) return false;
  for (const char c : name) {
    if (c >= '\0' && c <= ' ') return false;
    if (c == '\x7f') return false;
  }
  return true;
}

// The name before the next comma; takes both away.
std::string_view next_name(std::string_view& names, bool& last) {
  const std::size_t comma = names.find(',');
  last = comma == std::string_view::npos;
  const std::string_view name = {names.data(), last ? names.size() : comma};
  names.remove_prefix(last ? names.size() : comma + 1);
  return name;
}

// The number of names; 0 if one of them cannot be a name.
std::uint32_t count_names(std::string_view names) {
  std::uint32_t count = 0;
  for (bool last = false; !last; ++count) {
    if (!fits_name(next_name(names, last))) return 0;
  }
  return count;
}

bool has_twins(std::string_view names) {
  for (bool last = false; !last;) {
    const std::string_view one = next_name(names, last);
    std::string_view rest = names;
    for (bool end = last; !end;) {
      if (next_name(rest, end) == one) return true;
    }
  }
  return false;
}

// Appends as long as all of it has room.
class Writer {
 public:
  explicit Writer(std::span<char> to) : to_(to) {}
  Writer& add(std::string_view text) {
    whole_ = whole_ && to_.size() - size_ >= text.size();
    if (whole_ && !text.empty()) std::memcpy(to_.data() + size_, text.data(), text.size());
    if (whole_) size_ += text.size();
    return *this;
  }
  Writer& add(std::uint64_t number) { return add(Text<24>().append_unsigned(number).view()); }
  std::size_t size() const { return whole_ ? size_ : 0; }

 private:
  std::span<char> to_;
  std::size_t size_ = 0;
  bool whole_ = true;
};

Error wrong(std::string_view words) { return error_of(Code::usage, 0, words); }

}  // namespace

bool parse_limit(std::string_view text, std::string_view lock, RecordedLimit& to) {
  to = {};
  std::string_view line;
  std::uint64_t max = 0;
  if (text.size() > kLimitMost || !next_line(text, line) || line != kFirstLine) return false;
  if (!next_line(text, line) || !take_word(line, "lock") || line != lock) return false;
  if (!next_line(text, line) || !take_word(line, "max")) return false;
  if (!take_number(line, kMaxSlots, max) || !line.empty()) return false;
  to.max = static_cast<std::uint32_t>(max);
  if (!next_line(text, line)) return false;
  while (take_word(line, "rate")) {
    if (to.rate_count == kMostRates || !take_rate(line, to.rates[to.rate_count++])) return false;
    if (!next_line(text, line)) return false;
  }
  if (take_word(line, "names")) {
    to.names = line;
    if (count_names(line) != to.max || !next_line(text, line)) return false;
  }
  return line == "end" && text.empty();
}

std::size_t format_limit(const RecordedLimit& limit, std::string_view lock, std::span<char> to) {
  if (lock.find('\n') != std::string_view::npos) return 0;
  Writer text({to.data(), to.size() < kLimitMost ? to.size() : kLimitMost});
  text.add(kFirstLine).add("\nlock ").add(lock).add("\nmax ").add(limit.max).add("\n");
  for (std::uint32_t i = 0; i < limit.rate_count; ++i) {
    const Rate& rate = limit.rates[i];
    text.add("rate ").add(rate.count).add(" ");
    text.add(static_cast<std::uint64_t>(rate.window.ns)).add("\n");
  }
  if (!limit.names.empty()) text.add("names ").add(limit.names).add("\n");
  return text.add("end\n").size();
}

Status change_limit(const RecordedLimit& before, const LimitChange& change, RecordedLimit& to) {
  to = change.clears ? RecordedLimit() : before;
  const bool any = change.max > 0 || change.rate_count > 0 || change.names_given;
  if (!any) return change.clears ? Status() : wrong("give N, --rate, --names or --clear");
  if (change.rate_count > 0) {
    to.rate_count = change.rate_count;
    for (std::uint32_t i = 0; i < change.rate_count; ++i) to.rates[i] = change.rates[i];
  }
  if (change.names_given) to.names = change.names;
  const std::uint32_t named = to.names.empty() ? 0 : count_names(to.names);
  if (!to.names.empty() && named == 0)
    return wrong("--names: each name has 1 to 63 bytes, and neither a blank nor a comma");
  if (named > kMaxRate) return wrong("--names: too many: at most 1024 slots can have names");
  if (change.names_given && has_twins(to.names)) return wrong("--names: each name once");
  if (change.max > 0) {
    to.max = change.max;
  } else if (named > 0) {
    to.max = named;
  } else if (to.max == 0) {
    to.max = kMaxSlots;
  }
  if (named == 0 || named == to.max) return {};
  Error error = wrong("");
  error.message.append_unsigned(to.max).append(" slots, and ").append_unsigned(named);
  error.message.append(named == 1 ? " name" : " names").append(": give --names with one for each");
  return error;
}

}  // namespace atmost::local
