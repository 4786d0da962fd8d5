#include "core/words.h"

#include <cstdint>
#include <cstring>

namespace atmost {
namespace {

constexpr std::int64_t kMilli = 1'000'000;

struct Step {
  std::int64_t ms;
  std::string_view name;
};
constexpr Step kUnits[] = {{86'400'000, "d"}, {3'600'000, "h"}, {60'000, "m"}, {1'000, "s"}};
constexpr std::size_t kUnitCount = sizeof kUnits / sizeof kUnits[0];

}  // namespace

Text<32> duration_words(Duration span) {
  Text<32> words;
  if (span.is_forever()) return words.append("inf");
  std::int64_t ms = span.ns > 0 ? span.ns / kMilli : 0;
  if (ms == 0) return words.append("0s");
  if (ms < 1000) return words.append_signed(ms).append("ms");
  std::size_t largest = 0;
  while (kUnits[largest].ms > ms) ++largest;
  for (std::size_t i = largest; i < kUnitCount && i < largest + 2; ++i) {
    const std::int64_t count = ms / kUnits[i].ms;
    ms %= kUnits[i].ms;
    if (count > 0) words.append_signed(count).append(kUnits[i].name);
  }
  return words;
}

Text<400> learned_words(const Limits& limits, std::string_view lock) {
  Text<400> words;
  if (limits.too_few != 0) {
    words.append(", with too few runs to learn from: ").append_unsigned(limits.learned_from);
    return words.append(" of ").append_unsigned(limits.too_few);
  }
  words.append(", learned from ")
      .append_unsigned(limits.learned_from)
      .append(" runs, nearly all up to ");
  words.append(duration_words(limits.longest_run));
  return words.append("; see: atmost tune ").append(lock);
}

Text<32> duration_words_up(Duration span) {
  if (span.is_forever() || span.ns <= 0) return duration_words(span);
  constexpr std::int64_t kNsPerSecond = 1000 * kMilli;
  std::int64_t seconds = span.ns / kNsPerSecond + (span.ns % kNsPerSecond != 0 ? 1 : 0);
  std::size_t largest = 0;
  while (kUnits[largest].ms / 1000 > seconds) ++largest;
  if (largest + 1 < kUnitCount) {
    const std::int64_t smaller = kUnits[largest + 1].ms / 1000;
    seconds = (seconds + smaller - 1) / smaller * smaller;
  }
  return duration_words(Duration::seconds(seconds));
}

Text<32> duration_seconds(Duration span) {
  Text<32> words;
  if (span.is_forever()) return words.append("null");
  const std::int64_t ms = span.ns > 0 ? span.ns / kMilli : 0;
  words.append_signed(ms / 1000);
  std::int64_t rest = ms % 1000;
  if (rest == 0) return words;
  words.push('.');
  for (std::int64_t weight = 100; rest > 0; weight /= 10) {
    words.push(static_cast<char>('0' + rest / weight));
    rest %= weight;
  }
  return words;
}

// The C library's own sentences: users know them, and exectimes' messages end in them.
std::string_view errno_words(int error) {
  const char* words = std::strerror(error);
  return words != nullptr && words[0] != '\0' ? words : "unknown error";
}

}  // namespace atmost
