#include "atmost/words.h"

#include <cstdint>
#include <cstring>

namespace atmost {
namespace {

constexpr std::int64_t kMilli = 1'000'000;

struct Step {
  std::int64_t ms;
  std::string_view name;
};
constexpr Step kSteps[] = {{86'400'000, "d"}, {3'600'000, "h"}, {60'000, "m"}, {1'000, "s"}};
constexpr std::size_t kStepCount = sizeof kSteps / sizeof kSteps[0];

}  // namespace

Text<32> duration_words(Duration span) {
  Text<32> words;
  if (span.is_forever()) return words.append("inf");
  std::int64_t ms = span.ns > 0 ? span.ns / kMilli : 0;
  if (ms == 0) return words.append("0s");
  if (ms < 1000) return words.append_signed(ms).append("ms");
  std::size_t largest = 0;
  while (kSteps[largest].ms > ms) ++largest;
  for (std::size_t i = largest; i < kStepCount && i < largest + 2; ++i) {
    const std::int64_t count = ms / kSteps[i].ms;
    ms %= kSteps[i].ms;
    if (count > 0) words.append_signed(count).append(kSteps[i].name);
  }
  return words;
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
