#include "core/words.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <random>
#include <string>

#include "core/parse.h"

namespace atmost {
namespace {

TEST(DurationWords, TwoUnitsAtMostRoundedDown) {
  const struct {
    std::int64_t ms;
    const char* words;
  } cases[] = {
      {0, "0s"},
      {1, "1ms"},
      {250, "250ms"},
      {999, "999ms"},
      {1000, "1s"},
      {1999, "1s"},
      {59999, "59s"},
      {60000, "1m"},
      {61000, "1m1s"},
      {192000, "3m12s"},
      {3599999, "59m59s"},
      {3600000, "1h"},
      {3601000, "1h"},
      {5400000, "1h30m"},
      {86399999, "23h59m"},
      {86400000, "1d"},
      {187200000, "2d4h"},
      {86460000, "1d"},
      {9223372036854, "106751d23h"},
  };
  for (const auto& one : cases)
    EXPECT_EQ(duration_words(Duration::millis(one.ms)).view(), one.words);
  EXPECT_EQ(duration_words(Duration::forever()).view(), "inf");
  EXPECT_EQ(duration_words({999'999}).view(), "0s");
  EXPECT_EQ(duration_words({-5}).view(), "0s");
  EXPECT_EQ(duration_words({INT64_MIN}).view(), "0s");
}

TEST(DurationWords, AreADurationNoLongerThanTheOneTheyName) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 20000; ++i) {
    const Duration span{static_cast<std::int64_t>(random() >> (1 + random() % 62))};
    const Result<Duration> back = parse_duration(duration_words(span));
    ASSERT_TRUE(back.ok()) << duration_words(span).view();
    ASSERT_LE(back.value().ns, span.ns);
  }
}

TEST(DurationWordsUp, NameNoTimeThatIsTooEarly) {
  struct Case {
    std::int64_t ns;
    std::string_view words;
  };
  constexpr std::int64_t kSecond = 1'000'000'000;
  constexpr Case cases[] = {
      {0, "0s"},
      {1, "1s"},
      {300'000'000, "1s"},
      {2'900'000'000, "3s"},
      {3 * kSecond, "3s"},
      {59 * kSecond + 1, "1m"},
      {3600 * kSecond, "1h"},
      {3600 * kSecond + 1, "1h1m"},
      {5370 * kSecond, "1h30m"},
      {86'400 * kSecond - 1, "1d"},
      {86'401 * kSecond, "1d1h"},
  };
  for (const auto& one : cases) EXPECT_EQ(duration_words_up({one.ns}).view(), one.words) << one.ns;
  EXPECT_EQ(duration_words_up(Duration::forever()).view(), "inf");
  std::mt19937_64 random(12);
  for (int i = 0; i < 20000; ++i) {
    const Duration span{static_cast<std::int64_t>(random() >> (1 + random() % 62))};
    if (span.ns > Duration::kForever - 90'000 * kSecond) continue;
    const Result<Duration> back = parse_duration(duration_words_up(span));
    ASSERT_TRUE(back.ok()) << duration_words_up(span).view();
    ASSERT_GE(back.value().ns, span.ns) << duration_words_up(span).view();
  }
}

TEST(DurationSeconds, UpToThreeDecimals) {
  EXPECT_EQ(duration_seconds({}).view(), "0");
  EXPECT_EQ(duration_seconds(Duration::millis(192500)).view(), "192.5");
  EXPECT_EQ(duration_seconds(Duration::millis(1)).view(), "0.001");
  EXPECT_EQ(duration_seconds(Duration::millis(1010)).view(), "1.01");
  EXPECT_EQ(duration_seconds(Duration::millis(12345)).view(), "12.345");
  EXPECT_EQ(duration_seconds({1'999'999'999}).view(), "1.999");
  EXPECT_EQ(duration_seconds({INT64_MAX - 1}).view(), "9223372036.854");
  EXPECT_EQ(duration_seconds({-1}).view(), "0");
  EXPECT_EQ(duration_seconds(Duration::forever()).view(), "null");
}

TEST(ErrnoWords, AreNeverEmpty) {
  EXPECT_EQ(errno_words(ENOENT), "No such file or directory");
  for (int error = -1; error < 300; ++error) EXPECT_FALSE(errno_words(error).empty()) << error;
}

TEST(DisplayWidth, CountsCells) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("build"), 5u);
  EXPECT_EQ(display_width("Größe"), 5u);
  EXPECT_EQ(display_width("e\u0301"), 1u);
  EXPECT_EQ(display_width("日本"), 4u);
  EXPECT_EQ(display_width("🎉x"), 3u);
  EXPECT_EQ(display_width("\\x1B"), 4u);
}

TEST(CutToWidth, EndsBetweenCharacters) {
  EXPECT_EQ(cut_to_width("build", 3), "bui");
  EXPECT_EQ(cut_to_width("build", 9), "build");
  EXPECT_EQ(cut_to_width("äöü", 2), "äö");
  EXPECT_EQ(cut_to_width("日本", 3), "日");
  EXPECT_EQ(cut_to_width("日本", 1), "");
  EXPECT_EQ(cut_to_width("e\u0301x", 1), "e\u0301") << "a mark belongs to its letter";
}

}  // namespace
}  // namespace atmost
