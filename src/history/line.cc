#include <csignal>
#include <cstdint>
#include <string_view>

#include "core/json_line.h"
#include "log.h"

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

namespace {

struct Civil {
  std::int64_t year;
  unsigned month, day;
};

// Days since 1970 as a date of the Gregorian calendar. Years begin with March here, so that the
// leap day is their last; 400 of them always have 146097 days.
Civil civil_of(std::int64_t days) {
  constexpr std::int64_t kEra = 146'097;
  const std::int64_t since = days + 719'468;  // from 0000-03-01
  const std::int64_t era = (since >= 0 ? since : since - kEra + 1) / kEra;
  const std::int64_t day = since - era * kEra;
  const std::int64_t year = (day - day / 1460 + day / 36'524 - day / 146'096) / 365;
  const std::int64_t in_year = day - (365 * year + year / 4 - year / 100);
  // 0 is March: the lengths 31, 30, 31, 30, 31 repeat
  const std::int64_t month = (5 * in_year + 2) / 153;
  const auto in_month = static_cast<unsigned>(in_year - (153 * month + 2) / 5 + 1);
  const auto calendar = static_cast<unsigned>(month < 10 ? month + 3 : month - 9);
  return {year + era * 400 + (calendar <= 2 ? 1 : 0), calendar, in_month};
}

template <unsigned width>
void put_padded(Text<40>& to, std::uint64_t value) {
  char digits[width];
  for (unsigned i = width; i > 0; value /= 10) digits[--i] = static_cast<char>('0' + value % 10);
  to.append({digits, width});
}

}  // namespace

Text<40> utc_words(std::int64_t real_ns) {
  constexpr std::int64_t kDay = 86'400'000'000;  // in µs
  std::int64_t micros = real_ns / 1000;
  std::int64_t days = micros / kDay;
  micros -= days * kDay;
  if (micros < 0) {
    micros += kDay;
    --days;
  }
  const Civil date = civil_of(days);
  const auto rest = static_cast<std::uint64_t>(micros);
  Text<40> words;
  put_padded<4>(words, static_cast<std::uint64_t>(date.year));
  put_padded<2>(words.push('-'), date.month);
  put_padded<2>(words.push('-'), date.day);
  put_padded<2>(words.push('T'), rest / 3'600'000'000);
  put_padded<2>(words.push(':'), rest / 60'000'000 % 60);
  put_padded<2>(words.push(':'), rest / 1'000'000 % 60);
  put_padded<6>(words.push('.'), rest % 1'000'000);
  return words.push('Z');
}

Text<16> signal_name(int signal) {
  struct Named {
    int signal;
    std::string_view name;
  };
  constexpr Named kNames[] = {
      {SIGHUP, "HUP"},   {SIGINT, "INT"},   {SIGQUIT, "QUIT"}, {SIGILL, "ILL"},
      {SIGTRAP, "TRAP"}, {SIGABRT, "ABRT"}, {SIGBUS, "BUS"},   {SIGFPE, "FPE"},
      {SIGKILL, "KILL"}, {SIGUSR1, "USR1"}, {SIGSEGV, "SEGV"}, {SIGUSR2, "USR2"},
      {SIGPIPE, "PIPE"}, {SIGALRM, "ALRM"}, {SIGTERM, "TERM"}, {SIGCONT, "CONT"},
      {SIGSTOP, "STOP"}, {SIGXCPU, "XCPU"}, {SIGXFSZ, "XFSZ"}, {SIGVTALRM, "VTALRM"},
      {SIGPROF, "PROF"}, {SIGSYS, "SYS"},   {SIGCHLD, "CHLD"}, {SIGTSTP, "TSTP"},
      {SIGTTIN, "TTIN"}, {SIGTTOU, "TTOU"}, {SIGURG, "URG"},   {SIGWINCH, "WINCH"},
  };
  for (const Named& one : kNames) {
    if (one.signal == signal) return Text<16>(one.name);
  }
  return Text<16>().append_signed(signal);
}

}  // namespace atmost::history
