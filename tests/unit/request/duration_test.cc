#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/parse.h"

namespace atmost {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

struct Good {
  const char* text;
  std::int64_t ns;
};

constexpr Good kGood[] = {
    Good{"0", 0}, Good{"90", 90 * kSecond}, Good{"90s", 90 * kSecond}, Good{"15m", 900 * kSecond},
    Good{"1h30m", 5400 * kSecond}, Good{"2d", 172800 * kSecond}, Good{"250ms", kSecond / 4},
    Good{"2d3h4m5s6ms", (172800 + 10800 + 245) * kSecond + 6'000'000},
    Good{"1m250ms", 60 * kSecond + kSecond / 4}, Good{"007", 7 * kSecond}, Good{"0s", 0},
    Good{"1d1ms", 86400 * kSecond + 1'000'000}, Good{"inf", INT64_MAX},
    // The longest: INT64_MAX ns is forever, one less is a length.
    Good{"9223372036s854ms", 9223372036854 * 1'000'000},
    Good{"9223372036854ms", 9223372036854 * 1'000'000}, Good{"106751d", 86400 * kSecond * 106751},
    Good{"153722867m", 60 * kSecond * 153722867}, Good{"2562047h", 3600 * kSecond * 2562047},
    Good{"00000000000000000000000000000000000001s", kSecond}, Good{"1w", 604800 * kSecond},
    Good{"1w2d", 777600 * kSecond}, Good{"5min", 300 * kSecond}, Good{"1h5min1s", 3901 * kSecond},
    Good{"1.5h", 5400 * kSecond}, Good{"1.5", 1'500'000'000}, Good{"0.000s", 0},
    Good{"0.1s", kSecond / 10}, Good{"1h0.5m", 3630 * kSecond}, Good{"0.0000000019s", 1},
    Good{"1.0000015ms", 1'000'001}, Good{"0.999999999999999999999999999999w", 604799999999999},
    Good{"15250.2w", 9223320960 * kSecond}, Good{".5", kSecond / 2}, Good{".5s", kSecond / 2},
    Good{".25h", 900 * kSecond}, Good{"1e1", 10 * kSecond}, Good{"1e3", 1000 * kSecond},
    Good{"1E+2ms", kSecond / 10}, Good{"1.25e1", 12'500'000'000}, Good{"15e-1h", 5400 * kSecond},
    Good{".5e1", 5 * kSecond}, Good{"1e-9", 1}, Good{"1e-99", 0}, Good{"0e999", 0},
    Good{"9223372036854e-3", 9223372036854 * 1'000'000}};

TEST(Duration, IsRead) {
  for (const Good& good : kGood) {
    const Result<Duration> got = parse_duration(good.text);
    ASSERT_TRUE(got.ok()) << good.text << ": " << got.error().message.view();
    EXPECT_EQ(got.value().ns, good.ns) << good.text;
  }
}

constexpr std::string_view kTooLong[] = {"9223372037",
                                         "9223372036855ms",
                                         "106752d",
                                         "153722868m",
                                         "2562048h",
                                         "18446744073709551615",
                                         "18446744073709551616",
                                         "18446744073709551617s",
                                         "9223372036854775807",
                                         "9223372036854775808",
                                         "106751d23h47m17s",
                                         "99999999999999999999999999d",
                                         "106751d86400s",
                                         "1e10",
                                         "1e999",
                                         "106752e0d"};

TEST(Duration, TooLongIsAnErrorAndNotForever) {
  for (std::string_view text : kTooLong) {
    const Result<Duration> got = parse_duration(text);
    ASSERT_FALSE(got.ok()) << text << " = " << got.value().ns;
    EXPECT_EQ(got.error().code, Code::usage);
    EXPECT_NE(got.error().message.view().find("292 years"), std::string_view::npos)
        << got.error().message.view();
  }
}

constexpr std::string_view kRubbish[] = {"",
                                         " ",
                                         "5x",
                                         "x5",
                                         "s",
                                         "ms",
                                         "-1",
                                         "-0",
                                         "+5",
                                         " 5",
                                         "5 ",
                                         "5\n",
                                         "5s ",
                                         "5 s",
                                         "1h 30m",
                                         "1h30",
                                         "30m1h",
                                         "1s1s",
                                         "1s1m",
                                         "5S",
                                         "5M",
                                         "5H",
                                         "1hm",
                                         "1..5s",
                                         "1.s",
                                         "1.",
                                         ".",
                                         "1.5h30m",
                                         "5m5min",
                                         "5minutes",
                                         "1d1w",
                                         "1w.5d",
                                         "1.5h.",
                                         "1.5.5s",
                                         "1,5s",
                                         "1h.5m",
                                         "1h1e1m",
                                         "1e",
                                         "1e+",
                                         "1e1000",
                                         "1e1.5",
                                         "1e1h5m",
                                         "e1",
                                         ".e1",
                                         "0x10",
                                         "INF",
                                         "Inf",
                                         "inf ",
                                         "infinity",
                                         "infs",
                                         "1inf",
                                         "inf1",
                                         "nan",
                                         "5sec",
                                         "5us",
                                         "5ns",
                                         "5y",
                                         "1d\xC3\xA9",
                                         "٣s",
                                         "1m1",
                                         "1ms1s",
                                         "9999999999999999999999x",
                                         std::string_view("5\0", 2),
                                         std::string_view("\0", 1),
                                         std::string_view("5\0s", 3),
                                         "5s\xff"};

TEST(Duration, RubbishIsRefused) {
  for (std::string_view text : kRubbish) {
    const Result<Duration> got = parse_duration(text);
    ASSERT_FALSE(got.ok()) << text << " = " << got.value().ns;
    EXPECT_EQ(got.error().code, Code::usage);
    EXPECT_TRUE(got.error().message.view().starts_with("\"")) << got.error().message.view();
    EXPECT_NE(got.error().message.view().find("is not a duration: use a number with"),
              std::string_view::npos);
  }
}

TEST(Duration, TheErrorNamesTheUnits) {
  EXPECT_EQ(parse_duration("5x").error().message.view(),
            "\"5x\" is not a duration: use a number with ms, s, m, h, d or w, or inf");
}

TEST(Duration, LongRubbishIsCutBetweenCharacters) {
  const std::string text(1000, 'x');
  const Result<Duration> got = parse_duration(text);
  ASSERT_FALSE(got.ok());
  EXPECT_FALSE(got.error().message.truncated());
  EXPECT_LT(got.error().message.size(), 300u);
  EXPECT_NE(got.error().message.view().find("xxx...\" is"), std::string_view::npos);
  std::string umlauts;
  for (int i = 0; i < 300; ++i) umlauts += "\xC3\xA4";
  const Result<Duration> cut = parse_duration("x" + umlauts);
  EXPECT_NE(cut.error().message.view().find("\xC3\xA4...\""), std::string_view::npos);
}

// Whole milliseconds written with every unit come back exactly.
TEST(Duration, RandomSumsAreExact) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const std::int64_t ms = static_cast<std::int64_t>(random() % 9223372036854ull);
    const std::string text =
        std::to_string(ms / 86400000) + "d" + std::to_string(ms / 3600000 % 24) + "h" +
        std::to_string(ms / 60000 % 60) + "m" + std::to_string(ms / 1000 % 60) + "s" +
        std::to_string(ms % 1000) + "ms";
    const Result<Duration> got = parse_duration(text);
    ASSERT_TRUE(got.ok()) << text;
    ASSERT_EQ(got.value().ns, ms * 1'000'000) << text;
  }
}

}  // namespace
}  // namespace atmost
